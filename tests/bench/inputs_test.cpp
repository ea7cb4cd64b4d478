// The arrays of the rows: classes that are there, ranges that hold, memory as it is asked for.
#include "bench/goals/inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "bench/goals/values.hpp"
#include "reference/format/rows.hpp"

namespace mx::goals {
namespace {

constexpr std::size_t kCount = kSmallBlocks * kBlock;

bool is_subnormal(float x) { return x != 0 && std::abs(x) < 0x1p-126F; }

/// Bits 20 and below are 1 and then zeros: half of an ulp of three bits of fraction.
bool is_tie(float x) {
  return (std::bit_cast<std::uint32_t>(x) & 0xFFFFF) == 0x80000 && std::abs(x) >= 0x1p-6F;
}

TEST(Inputs, SingleValuesHaveEveryClassBelow440) {
  const Array<float> values = single_values(kCount);
  EXPECT_EQ(std::ranges::count_if(values.span(), is_subnormal), kCount / 1024);
  EXPECT_EQ(std::ranges::count(values.span(), 0.0F), kCount / 64);
  EXPECT_GE(std::ranges::count_if(values.span(), is_tie), kCount / 32);
  EXPECT_TRUE(
      std::ranges::any_of(values.span(), [](float x) { return std::signbit(x) && x == 0; }));
  EXPECT_TRUE(std::ranges::all_of(values.span(), [](float x) { return std::abs(x) < 440; }));
  EXPECT_TRUE(std::ranges::any_of(values.span(), [](float x) { return std::abs(x) > 300; }));
}

TEST(Inputs, BlocksHaveZerosAndSmallOnes) {
  const Array<float> values = block_values(kCount);
  const auto most = [&](std::size_t block) {
    const float* const from = values.data() + block * kBlock;
    return *std::max_element(from, from + kBlock,
                             [](float a, float b) { return std::abs(a) < std::abs(b); });
  };
  EXPECT_EQ(most(15), 0);
  EXPECT_LT(std::abs(most(31)), 0x1p-117F);
  EXPECT_GE(std::abs(most(31)), 0x1p-123F);
  EXPECT_TRUE(is_subnormal(most(63)));
  EXPECT_GT(std::abs(most(0)), 0x1p-6F);
}

TEST(Inputs, TheSameEveryTime) {
  EXPECT_TRUE(std::ranges::equal(block_values(1024).bytes(), block_values(1024).bytes()));
}

TEST(Inputs, CodesAreFiniteAndScalesInTheMiddle) {
  const Array<std::uint8_t> codes = finite_codes(formats::e4m3fn, 4096);
  EXPECT_TRUE(std::ranges::none_of(codes.span(), [](int code) { return (code & 0x7F) == 0x7F; }));
  EXPECT_TRUE(std::ranges::count(codes.span(), 0x7E) != 0);
  const Array<std::uint8_t> scales = middle_scales(4096);
  EXPECT_EQ(std::ranges::min(scales.span()), 120);
  EXPECT_EQ(std::ranges::max(scales.span()), 134);
}

TEST(Memory, AlignedAndZero) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{5} << 20}) {
    const Array<std::uint8_t> bytes(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % 4096, 0U);
    EXPECT_TRUE(std::ranges::all_of(bytes.span(), [](int byte) { return byte == 0; }));
  }
}

TEST(Values, DifferencesAreCountedAndTheFirstIsNamed) {
  const auto at = [](std::size_t i) { return Pair{1, 2, i != 3 && i != 5}; };
  EXPECT_EQ(first_difference(8, at), "2 of 8 differ, first at 3, ours 0x1p+0, theirs 0x1p+1");
  EXPECT_EQ(first_difference(3, at), "");
  EXPECT_EQ(first_difference(0, at), "nothing to compare");
}

TEST(Values, ZerosDifferBySignUnlessToldOtherwise) {
  EXPECT_FALSE(is_same(0.0F, -0.0F));
  EXPECT_TRUE(is_same(0.0F, -0.0F, true));
  EXPECT_FALSE(is_same(1.0F, -1.0F, true));
}

TEST(Values, ScalesAreTheirPowers) {
  EXPECT_EQ(scale_value(0), 0x1p-127F);
  EXPECT_EQ(scale_value(127), 1.0F);
  EXPECT_EQ(scale_value(254), 0x1p127F);
}

}  // namespace
}  // namespace mx::goals
