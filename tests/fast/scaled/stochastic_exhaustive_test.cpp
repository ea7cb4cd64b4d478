// 10^8 elements in structured blocks for each pair of a source and a rule, drawn for by every
// variant and number of bits in turn, on every set of vector instructions.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/stochastic_words.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/scaled/stochastic_judge.hpp"
#include "tests/fast/stimulus.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

class ScaledManyDraws : public ::testing::TestWithParam<ScaledCase> {};

TEST_P(ScaledManyDraws, Agree) {
  MX_NEEDS_CPU_PATH();
  constexpr std::uint64_t kElements = 100'000'000;
  constexpr std::uint64_t kBlocks = std::uint64_t{1} << 14;
  const auto& [of_job, rule] = GetParam();
  const ElementFormat& source = of_job;  // clang 14 keeps bindings from lambdas
  CpuTally tally;
  for (std::uint64_t seed = 2000; tally.elements < kElements; ++seed) {
    const auto bits = static_cast<int>(1 + seed % 31);
    const ScaledBlockJob job = stochastic_job(source, rule, seeded_amax(seed),
                                              stochastic_roundings()[seed / 31 % 4], bits);
    random_blocks(source, seed, kBlocks, [&](std::span<const std::uint32_t> piece) {
      compare_stochastic(job, to_bytes(source, piece), seed * 0x123456789, tally);
    });
    ASSERT_EQ(tally.mismatches, 0u) << tally.first << ", seed " << seed;
  }
  EXPECT_THAT(empty_classes(tally, rule), ::testing::IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(All, ScaledManyDraws,
                         ::testing::Combine(::testing::Values(formats::fp32, formats::bf16,
                                                              formats::fp16),
                                            ::testing::ValuesIn(stochastic_rules())),
                         name_of_case);

}  // namespace
}  // namespace mx::fast::test
