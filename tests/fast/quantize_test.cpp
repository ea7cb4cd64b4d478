// The goldens of the CUDA path: one body for the host program and the device program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <ostream>
#include <string>
#include <vector>

#include "fast/cuda/arithmetic.hpp"
#include "reference/format/table.hpp"
#include "tests/fast/backend.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

constexpr std::uint64_t kSeed = 0x6D78676F6C64;
constexpr std::uint64_t kRandomBlocks = std::uint64_t{1} << 16;

/// A source and an element format.
struct Pair {
  const ElementFormat* source;
  const ElementFormat* element;
};

void PrintTo(const Pair& pair, std::ostream* out) {
  *out << pair.source->name << " to " << pair.element->name;
}

std::string pair_name(const ::testing::TestParamInfo<Pair>& info) {
  return fmt::format("{}To{}", info.param.source->name, info.param.element->name);
}

/// Every combination whose source has at most `widest` bits.
std::vector<Pair> pairs(int widest) {
  std::vector<Pair> all;
  for (const ElementFormat* source : ocp_sources()) {
    for (const ElementFormat* element : ocp_elements()) {
      if (source->bits <= widest) all.push_back({source, element});
    }
  }
  return all;
}

TEST(Combinations, AreThreeSourcesBySixElementFormats) {
  EXPECT_EQ(pairs(32).size(), 18u);
  EXPECT_EQ(pairs(16).size(), 12u);
}

class Quantize : public ::testing::TestWithParam<Pair> {
 protected:
  [[nodiscard]] const ElementFormat& source() const { return *GetParam().source; }
  [[nodiscard]] const ElementFormat& element() const { return *GetParam().element; }
  [[nodiscard]] Sink sink() {
    return
        [this](std::span<const std::uint32_t> codes) { judge_.compare(backend(), codes, tally_); };
  }
  [[nodiscard]] std::uint64_t with_status(std::uint32_t bit) const {
    return tally_.status_bits[static_cast<std::size_t>(__builtin_ctz(bit))];
  }
  /// Every block agreed, and there were at least `floor` elements.
  void expect_agreement(std::uint64_t floor) const {
    EXPECT_GE(tally_.elements, floor);
    EXPECT_EQ(tally_.mismatches, 0u) << tally_.first_mismatch;
    RecordProperty("elements", fmt::format("{}", tally_.elements));
  }

  BackendCheck judge_{source(), element()};
  Tally tally_;
};

TEST_P(Quantize, AgreesOnThresholdsAndTheirNeighboursAtEveryScale) {
  thresholds_at_every_scale(source(), element(), sink());
  expect_agreement(5'000);
}

TEST_P(Quantize, AgreesOnRandomBlocksOfEveryClass) {
  random_blocks(source(), kSeed, kRandomBlocks, sink());
  expect_agreement(kRandomBlocks * kBlockSize);
  EXPECT_GT(with_status(cuda::kZeroBlock), 100u);
  EXPECT_GT(with_status(cuda::kHasInf), 100u);
  EXPECT_GT(with_status(cuda::kHasNan), 100u);
  EXPECT_GT(with_status(cuda::kUnderflow), 100u);
  EXPECT_GT(with_status(cuda::kSaturated), 100u);
  // binary16 has no value small enough for a clamped scale.
  const bool can_clamp = source().exp_bits == 8;
  EXPECT_EQ(with_status(cuda::kScaleClamped) > 100, can_clamp);
}

TEST_P(Quantize, AgreesOnEveryTailLength) {
  std::vector<std::uint32_t> codes;
  random_blocks(source(), kSeed + 1, 8, [&](std::span<const std::uint32_t> piece) {
    codes.insert(codes.end(), piece.begin(), piece.end());
  });
  ASSERT_EQ(codes.size(), 256u);
  for (std::size_t length = 1; length <= codes.size(); ++length) {
    // The last `length` codes, so that every lane of every class comes last once.
    judge_.compare(backend(), std::span<const std::uint32_t>(codes).last(length), tally_);
  }
  expect_agreement(256 * 257 / 2);
}

TEST_P(Quantize, AgreesOnEverySpecialLane) {
  const auto inf = static_cast<std::uint32_t>(source().inf_code());
  const auto nan = static_cast<std::uint32_t>(source().canonical_nan);
  const auto sign = static_cast<std::uint32_t>(source().sign_bit());
  const auto one = static_cast<std::uint32_t>(source().bias) << source().man_bits;
  std::vector<std::uint32_t> codes;
  for (const std::uint32_t special :
       {inf, nan, inf + 1, static_cast<std::uint32_t>(source().magnitude_mask())}) {
    for (const std::uint32_t second : {0u, one, inf | sign, nan | sign}) {
      for (std::size_t lane = 0; lane < kBlockSize; ++lane) {
        std::array<std::uint32_t, kBlockSize> block{};
        block[(lane + 5) % kBlockSize] = second;
        block[lane] = special | (lane % 2 != 0 ? sign : 0);
        codes.insert(codes.end(), block.begin(), block.end());
      }
    }
  }
  judge_.compare(backend(), codes, tally_);
  expect_agreement(codes.size());
  EXPECT_EQ(with_status(cuda::kHasInf), 1u * 4 * 32 + 3 * 32);
  EXPECT_EQ(with_status(cuda::kHasNan), 3u * 4 * 32 + 32);
}

INSTANTIATE_TEST_SUITE_P(All, Quantize, ::testing::ValuesIn(pairs(32)), pair_name);

class QuantizeSixteenBits : public Quantize {};

TEST_P(QuantizeSixteenBits, AgreesOnEveryCodeUnderEveryScale) {
  every_code_under_every_scale(source(), sink());
  // All finite codes meet the largest scale, half as many the next ones, and so on.
  expect_agreement(1'000'000);
}

INSTANTIATE_TEST_SUITE_P(All, QuantizeSixteenBits, ::testing::ValuesIn(pairs(16)), pair_name);

}  // namespace
}  // namespace mx::fast::test
