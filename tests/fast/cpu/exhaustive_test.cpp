// All 2^32 words of fp32 to the OCP element formats under every deterministic rounding against the
// threshold certificates, and 10^8 elements in structured blocks for every source, format and rule
// against the reference, both by every set of vector instructions that the machine has; 10^9 random
// blocks by the best set against the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>

#include "fast/cpu/targets.hpp"
#include "golden/certificates/certificate.hpp"
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

constexpr std::size_t kPiece = std::size_t{1} << 16;
constexpr std::uint64_t kWords = std::uint64_t{1} << 32;

golden::ConversionThresholds thresholds_of(const ElementFormat& format,
                                           const ElementPolicy& policy) {
  return golden::conversion_thresholds(golden::make_certificate(formats::fp32, format), policy);
}

ElementPlan plan_of(const ElementFormat& format, const ElementPolicy& policy) {
  return ElementPlan::make({formats::fp32, format, policy}).value();
}

/// Words that follow each other, and what a certificate says of them.
class Piece {
 public:
  void begin_at(std::uint64_t start, const golden::ConversionThresholds& thresholds) {
    std::iota(words_.begin(), words_.end(), static_cast<std::uint32_t>(start));
    golden::expand(thresholds, start, expected_);
    std::ranges::transform(expected_, wrong_.begin(), std::bit_not());
  }

  /// Whether `plan` has those codes by one set of instructions. What it leaves alone is wrong.
  bool agrees(const ElementPlan& plan, std::string_view target) {
    const OnlyCpuTarget only(target);
    std::ranges::copy(wrong_, codes_.begin());
    return plan.convert(std::as_bytes(std::span(words_)),
                        std::as_writable_bytes(std::span(codes_))) &&
           std::memcmp(codes_.data(), expected_.data(), kPiece) == 0;
  }

 private:
  std::vector<std::uint32_t> words_ = std::vector<std::uint32_t>(kPiece);
  std::vector<std::uint8_t> expected_ = std::vector<std::uint8_t>(kPiece);
  std::vector<std::uint8_t> wrong_ = expected_;
  std::vector<std::uint8_t> codes_ = expected_;
};

// The certificate shares no rounding code with the path; `certificate_exhaustive` goes over the
// reference's answers to the same words. One thread: the set of instructions is the program's.
TEST_P(CpuEveryWord, AgreesOnEverySetOfInstructions) {
  MX_NEEDS_CPU_PATH();
  const auto& [format, rounding] = GetParam();
  ElementPolicy policy;
  policy.rounding = rounding;
  const ElementPlan plan = plan_of(format, policy);
  const golden::ConversionThresholds thresholds = thresholds_of(format, policy);
  Piece piece;
  for (std::uint64_t start = 0; start < kWords; start += kPiece) {
    piece.begin_at(start, thresholds);
    for (const std::string_view target : cpu_targets()) {
      ASSERT_TRUE(piece.agrees(plan, target)) << target << ", words from " << start;
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

// Negative control: one threshold of the certificate moved by one word is seen by every set of
// instructions, in the piece where it lies and in no other.
TEST(CpuEveryWordControl, AThresholdThatIsOneWordOffIsSeen) {
  MX_NEEDS_CPU_PATH();
  constexpr std::uint32_t kOne = 0x3F800000;
  const ElementPlan plan = plan_of(formats::e2m1fn, {});
  const golden::ConversionThresholds thresholds = thresholds_of(formats::e2m1fn, {});
  golden::ConversionThresholds moved = thresholds;
  const auto step = std::ranges::find_if(
      moved.finite[0], [](const golden::ThresholdStep& each) { return each.first > kOne; });
  ASSERT_NE(step, moved.finite[0].end());
  const std::uint64_t start = step->first / kPiece * kPiece;
  ++step->first;
  Piece piece;
  for (const std::string_view target : cpu_targets()) {
    piece.begin_at(start, thresholds);
    EXPECT_TRUE(piece.agrees(plan, target)) << target;
    piece.begin_at(start, moved);
    EXPECT_FALSE(piece.agrees(plan, target)) << target;
    piece.begin_at(start + kPiece, moved);
    EXPECT_TRUE(piece.agrees(plan, target)) << target;
  }
}

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

/// Every source, format and rule.
auto block_cases() {
  return ::testing::Combine(::testing::Values(formats::fp32, formats::bf16, formats::fp16),
                            ::testing::Values(formats::e4m3fn, formats::e5m2, formats::e3m2fn,
                                              formats::e2m3fn, formats::e2m1fn, formats::int8),
                            ::testing::ValuesIn(path_rules()));
}
constexpr std::uint64_t kBlockCases = 90;

std::string name_of_case(const ::testing::TestParamInfo<BlockCase>& each) {
  std::string rule(token_of(std::get<2>(each.param)));
  std::erase(rule, '_');
  return fmt::format("{}To{}{}", std::get<0>(each.param).name, std::get<1>(each.param).name, rule);
}

INSTANTIATE_TEST_SUITE_P(All, CpuManyBlocks, block_cases(), name_of_case);

class CpuRandomBlocks : public ::testing::TestWithParam<BlockCase> {};

/// Blocks of which codes or scale differ from those of `config`.
std::uint64_t wrong_blocks(const BlockJob& job, const QuantizerConfig& config,
                           std::span<const std::uint32_t> words) {
  constexpr std::size_t kLanes = 32;
  const BlockPlan plan = BlockPlan::make(job).value();
  const Quantizer reference = Quantizer::make(config).value();
  std::vector<std::byte> codes(words.size());
  std::vector<std::byte> scales(words.size() / kLanes);
  if (!plan.quantize({1, words.size(), 1}, to_bytes(job.source, words), codes, scales, {}, 1)) {
    return scales.size();
  }
  std::uint64_t wrong = 0;
  std::array<std::uint64_t, kLanes> source{};
  std::array<std::uint64_t, kLanes> expected{};
  for (std::size_t b = 0; b < scales.size(); ++b) {
    std::ranges::copy(words.subspan(b * kLanes, kLanes), source.begin());
    const BlockResult result = bulk::quantize_block(reference, source, {}, expected);
    const bool same =
        std::ranges::equal(expected, std::span(codes).subspan(b * kLanes, kLanes), {}, {},
                           [](std::byte code) { return std::to_integer<std::uint64_t>(code); });
    wrong += same && result.scale_code == std::to_integer<std::uint64_t>(scales[b]) ? 0U : 1U;
  }
  return wrong;
}

// 10^9 of them in all cases together; the roundings take turns.
TEST_P(CpuRandomBlocks, Agree) {
  MX_NEEDS_CPU_PATH();
  constexpr std::uint64_t kAll = 1'000'000'000;
  constexpr std::uint64_t kBlocks = std::uint64_t{1} << 16;
  const std::vector<Rounding> roundings = deterministic_roundings();
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 2000; compared * kBlockCases < kAll; ++seed) {
    BlockJob job = default_job(std::get<0>(GetParam()), std::get<1>(GetParam()));
    job.block.rule = std::get<2>(GetParam());
    job.element.rounding = roundings[seed % roundings.size()];
    random_blocks(job.source, seed, kBlocks, [&](std::span<const std::uint32_t> piece) {
      ASSERT_EQ(wrong_blocks(job, config_of(job), piece), 0u) << "seed " << seed;
      compared += piece.size() / 32;
    });
    if (HasFatalFailure()) return;
  }
  RecordProperty("blocks", std::to_string(compared));
}

INSTANTIATE_TEST_SUITE_P(All, CpuRandomBlocks, block_cases(), name_of_case);

// Negative control: another rounding, or another rule, is seen.
TEST(CpuRandomBlocksControl, AnotherConfigurationIsSeen) {
  MX_NEEDS_CPU_PATH();
  const BlockJob job = default_job(formats::fp32, formats::e4m3fn);
  QuantizerConfig rounding = config_of(job);
  rounding.element.rounding = Rounding::kTowardZero;
  QuantizerConfig rule = config_of(job);
  rule.block.rule = ScaleRule::kEvenUp;
  std::uint64_t by_rounding = 0;
  std::uint64_t by_rule = 0;
  random_blocks(job.source, 2000, std::uint64_t{1} << 16,
                [&](std::span<const std::uint32_t> piece) {
                  EXPECT_EQ(wrong_blocks(job, config_of(job), piece), 0u);
                  by_rounding += wrong_blocks(job, rounding, piece);
                  by_rule += wrong_blocks(job, rule, piece);
                });
  EXPECT_GT(by_rounding, 0u);
  EXPECT_GT(by_rule, 0u);
}

}  // namespace
}  // namespace mx::fast::test
