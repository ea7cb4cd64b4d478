// All 2^32 words of fp32 to the OCP element formats under every deterministic rounding, and 10^8
// elements in structured blocks for every source, format and rule, by every set of vector
// instructions that the machine has, against the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "fast/cpu/targets.hpp"
#include "reference/bulk/bulk.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/stimulus.hpp"
#include "tests/support/print.hpp"

namespace mx {

static void PrintTo(Rounding rounding, std::ostream* out) { *out << token_of(rounding); }

}  // namespace mx

namespace mx::fast::test {
namespace {

using Case = std::tuple<ElementFormat, Rounding>;

class CpuEveryWord : public ::testing::TestWithParam<Case> {};

constexpr std::uint64_t kPiece = std::uint64_t{1} << 18;
constexpr std::uint64_t kWords = std::uint64_t{1} << 32;

/// A piece of all words, the reference's codes of it, and those of the path.
struct Piece {
  std::vector<std::uint64_t> operands = std::vector<std::uint64_t>(kPiece);
  std::vector<std::uint64_t> answers = std::vector<std::uint64_t>(kPiece);
  std::vector<std::uint32_t> words = std::vector<std::uint32_t>(kPiece);
  std::vector<std::byte> expected = std::vector<std::byte>(kPiece);
  std::vector<std::byte> codes = std::vector<std::byte>(kPiece);

  void answer(const Conversion& conversion, std::uint64_t start) {
    for (std::uint64_t i = 0; i < kPiece; ++i) operands[i] = start + i;
    bulk::convert(conversion, operands, {}, answers, {});
    for (std::uint64_t i = 0; i < kPiece; ++i) {
      words[i] = static_cast<std::uint32_t>(start + i);
      expected[i] = static_cast<std::byte>(answers[i]);
    }
  }
};

// One thread: the set of instructions is the program's.
TEST_P(CpuEveryWord, AgreesOnEverySetOfInstructions) {
  MX_NEEDS_CPU_PATH();
  const auto& [format, rounding] = GetParam();
  ElementPolicy policy;
  policy.rounding = rounding;
  const ElementPlan plan = ElementPlan::make({formats::fp32, format, policy}).value();
  const Conversion conversion = Conversion::make({formats::fp32, format, policy}).value();
  Piece piece;
  for (std::uint64_t start = 0; start < kWords; start += kPiece) {
    piece.answer(conversion, start);
    for (const std::string_view target : cpu_targets()) {
      const OnlyCpuTarget only(target);
      std::ranges::transform(piece.expected, piece.codes.begin(), std::bit_not());
      ASSERT_TRUE(plan.convert(std::as_bytes(std::span(piece.words)), piece.codes));
      ASSERT_TRUE(piece.codes == piece.expected) << target << ", words from " << start;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CpuEveryWord,
                         ::testing::Combine(::testing::Values(formats::e4m3fn, formats::e5m2,
                                                              formats::e3m2fn, formats::e2m3fn,
                                                              formats::e2m1fn, formats::int8),
                                            ::testing::ValuesIn(deterministic_roundings())),
                         [](const auto& each) {
                           std::string rounding(token_of(std::get<1>(each.param)));
                           std::erase(rounding, '_');
                           return fmt::format("{}{}", std::get<0>(each.param).name, rounding);
                         });

using BlockCase = std::tuple<ElementFormat, ElementFormat, ScaleRule>;

class CpuManyBlocks : public ::testing::TestWithParam<BlockCase> {};

// The roundings take turns, each with blocks of its own.
TEST_P(CpuManyBlocks, Agree) {
  MX_NEEDS_CPU_PATH();
  constexpr std::uint64_t kElements = 100'000'000;
  constexpr std::uint64_t kBlocks = std::uint64_t{1} << 15;
  const ElementFormat& source = std::get<0>(GetParam());
  const ScaleRule rule = std::get<2>(GetParam());
  const std::vector<Rounding> roundings = deterministic_roundings();
  CpuTally tally;
  for (std::uint64_t seed = 1000; tally.elements < kElements; ++seed) {
    BlockJob job = default_job(source, std::get<1>(GetParam()));
    job.block.rule = rule;
    job.element.rounding = roundings[seed % roundings.size()];
    random_blocks(source, seed, kBlocks, [&](std::span<const std::uint32_t> piece) {
      compare_line(job, to_bytes(source, piece), tally);
    });
    ASSERT_EQ(tally.mismatches, 0u) << tally.first << ", seed " << seed;
  }
  // Their scale for the largest binade of binary32 is one that e8m0 lacks where the element's own
  // largest binade is 0: it is clamped, and the maximum saturates.
  const bool rounds_up = rule == ScaleRule::kCeil || rule == ScaleRule::kRceil;
  const bool keeps_range =
      rounds_up && (std::get<1>(GetParam()).emax() > 0 || source == formats::fp16);
  for (std::size_t i = 0; i < tally.classes.size(); ++i) {
    // No exponent of fp16 leads beyond e8m0, and no maximum under these rules beyond the format.
    if (static_cast<Class>(i) == Class::kScaleClamped && source == formats::fp16) continue;
    if (static_cast<Class>(i) == Class::kSaturated && keeps_range) {
      EXPECT_EQ(tally.classes[i], 0u);
      continue;
    }
    EXPECT_GT(tally.classes[i], 0u) << name_of(static_cast<Class>(i));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CpuManyBlocks,
    ::testing::Combine(::testing::Values(formats::fp32, formats::bf16, formats::fp16),
                       ::testing::Values(formats::e4m3fn, formats::e5m2, formats::e3m2fn,
                                         formats::e2m3fn, formats::e2m1fn, formats::int8),
                       ::testing::ValuesIn(path_rules())),
    [](const auto& each) {
      std::string rule(token_of(std::get<2>(each.param)));
      std::erase(rule, '_');
      return fmt::format("{}To{}{}", std::get<0>(each.param).name, std::get<1>(each.param).name,
                         rule);
    });

}  // namespace
}  // namespace mx::fast::test
