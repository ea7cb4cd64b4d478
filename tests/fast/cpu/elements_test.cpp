// Conversions of single values by the CPU path, on every set of vector instructions, against the
// reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

/// The formats of the table that the path converts to.
std::vector<const ElementFormat*> path_destinations() {
  std::vector<const ElementFormat*> all;
  for (const ElementFormat& each : all_formats()) {
    if (ElementPlan::make({formats::fp32, each, {}})) all.push_back(&each);
  }
  return all;
}

class CpuElements : public ::testing::TestWithParam<ElementFormat> {};

/// Every rounding under every overflow policy; the other policies take turns.
template <class Function>
void each_policy(const Function& function) {
  std::size_t turn = 0;
  for (const Rounding rounding : deterministic_roundings()) {
    for (const auto& overflow : tokens<Overflow>()) {
      const auto next = [&]<class Policy>(Policy& policy) {
        policy = tokens<Policy>()[turn++ % tokens<Policy>().size()].value;
      };
      turn += 4;  // with the picks 7 in all, prime to the lengths of all lists
      ElementPolicy policy;
      policy.rounding = rounding;
      policy.overflow = overflow.value;
      next(policy.nan);
      next(policy.zero_sign);
      next(policy.int_min);
      function(policy);
    }
  }
}

void expect_elements_agree(const CpuTally& tally, std::uint64_t floor) {
  EXPECT_GE(tally.elements, floor);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally[Class::kSubnormalInput], 100u);
  EXPECT_GT(tally[Class::kNegativeZero], part(50, 16));
}

TEST(CpuDestinations, AreAtLeastTwelve) {
  MX_NEEDS_CPU_PATH();
  EXPECT_GE(path_destinations().size(), 12u);
}

TEST_P(CpuElements, AgreeOnEverySixteenBitSource) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  for (const ElementFormat& destination : all_formats()) {
    if (!ElementPlan::make({GetParam(), destination, {}})) continue;
    std::vector<std::uint32_t> codes(std::size_t{1} << 16);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint32_t>(i);
    const std::vector<std::vector<std::uint32_t>> hands = deal(codes, 1, 16);
    std::size_t turn = 0;
    each_policy([&](const ElementPolicy& policy) {
      const std::vector<std::byte> words = to_bytes(GetParam(), hands[turn++ % hands.size()]);
      compare_elements({GetParam(), destination, policy}, words, tally);
    });
  }
  // A hand is not exactly a sixteenth.
  expect_elements_agree(tally, part((std::uint64_t{1} << 16) * 54 * 12, 17));
}

INSTANTIATE_TEST_SUITE_P(All, CpuElements, ::testing::Values(formats::bf16, formats::fp16),
                         [](const auto& each) { return std::string(each.param.name); });

// Every upper half of a binary32 word with lower halves at and beside the places where they matter.
TEST(CpuElementsOfFp32, AgreeOnEveryUpperHalf) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::uint32_t> codes;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
    constexpr std::array<std::uint32_t, 4> kLower = {0, 1, 0x8000, 0xFFFF};
    codes.push_back(upper << 16 | kLower[0]);
    codes.push_back(upper << 16 | kLower[1 + upper % 3]);
  }
  const std::vector<std::vector<std::uint32_t>> hands = deal(codes, 1, 16);
  CpuTally tally;
  for (const ElementFormat* destination : path_destinations()) {
    std::size_t turn = 0;
    each_policy([&](const ElementPolicy& policy) {
      const std::vector<std::byte> words = to_bytes(formats::fp32, hands[turn++ % hands.size()]);
      compare_elements({formats::fp32, *destination, policy}, words, tally);
    });
  }
  expect_elements_agree(tally, part(codes.size() * 54 * 12, 17));
}

TEST(CpuElementsOfFp32, AgreeOnEveryLength) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::uint32_t> codes;
  for (std::uint32_t i = 0; i < 300; ++i) codes.push_back(0x3F800000 + i * 0x01234567);
  std::vector<std::byte> words = to_bytes(formats::fp32, codes);
  words.insert(words.begin(), std::byte{0xFF});
  CpuTally tally;
  for (std::size_t length = 0; length <= 300; ++length) {
    compare_elements({formats::fp32, formats::e4m3fn, {}}, std::span(words).last(length * 4),
                     tally);
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_EQ(tally.elements, 300u * 301 / 2);
}

}  // namespace
}  // namespace mx::fast::test
