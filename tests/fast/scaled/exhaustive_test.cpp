// 10^8 elements in structured blocks for every source and rule, the roundings and tensor levels in
// turn, by every set of vector instructions; against the reference.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/scaled/judge.hpp"
#include "tests/fast/stimulus.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

class ScaledManyBlocks : public ::testing::TestWithParam<ScaledCase> {};

TEST_P(ScaledManyBlocks, Agree) {
  MX_NEEDS_CPU_PATH();
  constexpr std::uint64_t kElements = 100'000'000;
  constexpr std::uint64_t kBlocks = std::uint64_t{1} << 14;
  const auto& [source, rule] = GetParam();
  const std::vector<Rounding> roundings = roundings_of(rule);
  CpuTally tally;
  for (std::uint64_t seed = 1000; tally.elements < kElements; ++seed) {
    ScaledBlockJob job = nvfp4_job(source, rule);
    if (seed % 2 == 0) job.blocks.element.rounding = roundings[seed / 2 % roundings.size()];
    if (rule == ScaleRule::kNvfp44over6) {
      constexpr auto kKinds = tokens<FourOverSix>();
      job.blocks.block.four_over_six = kKinds[seed / 2 % kKinds.size()].value;
    }
    job = at_amax(job, seeded_amax(seed));
    // nvfp4_ct has no level for maxima whose reciprocal is 0 in fp16.
    if (!Quantizer::problem(config_of(job)).empty()) continue;
    random_blocks(source, seed, kBlocks,
                  [&](std::span<const std::uint32_t> piece) { compare_line(job, piece, tally); });
    ASSERT_EQ(tally.mismatches, 0u) << tally.first << ", seed " << seed;
  }
  EXPECT_THAT(empty_classes(tally, rule), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, ScaledManyBlocks,
                         ::testing::Combine(::testing::Values(formats::fp32, formats::bf16,
                                                              formats::fp16),
                                            ::testing::ValuesIn(scaled_rules())),
                         name_of_case);

}  // namespace
}  // namespace mx::fast::test
