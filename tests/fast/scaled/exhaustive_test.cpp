// 10^8 elements in structured blocks for every source and rule, the roundings and tensor levels in
// turn, by every set of vector instructions; against the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>

#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/scaled/judge.hpp"
#include "tests/fast/stimulus.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

using Case = std::tuple<ElementFormat, ScaleRule>;

class ScaledManyBlocks : public ::testing::TestWithParam<Case> {};

TEST_P(ScaledManyBlocks, Agree) {
  MX_NEEDS_CPU_PATH();
  constexpr std::uint64_t kElements = 100'000'000;
  constexpr std::uint64_t kBlocks = std::uint64_t{1} << 14;
  const auto& [source, rule] = GetParam();
  const bool searches = rule == ScaleRule::kNvfp4Ggml;
  const std::vector<Rounding> roundings = deterministic_roundings();
  CpuTally tally;
  for (std::uint64_t seed = 1000; tally.elements < kElements; ++seed) {
    ScaledBlockJob job = nvfp4_job(source, rule);
    if (!searches && seed % 2 == 0) job.blocks.element.rounding = roundings[seed / 2 % 9];
    // Every exponent of a tensor's maximum, and a seeded significand.
    const auto exponent = static_cast<std::uint32_t>(20 + seed * 37 % 230);
    const auto significand = static_cast<std::uint32_t>(seed * 0x9E3779B97F4A7C15 >> 41);
    job = at_amax(job, exponent << 23 | significand);
    random_blocks(source, seed, kBlocks,
                  [&](std::span<const std::uint32_t> piece) { compare_line(job, piece, tally); });
    ASSERT_EQ(tally.mismatches, 0u) << tally.first << ", seed " << seed;
  }
  for (std::size_t i = 0; i < tally.classes.size(); ++i) {
    if (static_cast<Class>(i) == Class::kSaturated && searches) continue;
    EXPECT_GT(tally.classes[i], 0u) << name_of(static_cast<Class>(i));
  }
}

INSTANTIATE_TEST_SUITE_P(All, ScaledManyBlocks,
                         ::testing::Combine(::testing::Values(formats::fp32, formats::bf16,
                                                              formats::fp16),
                                            ::testing::ValuesIn(scaled_rules())),
                         [](const auto& each) {
                           std::string rule(token_of(std::get<1>(each.param)));
                           std::erase(rule, '_');
                           return fmt::format("{}{}", std::get<0>(each.param).name, rule);
                         });

}  // namespace
}  // namespace mx::fast::test
