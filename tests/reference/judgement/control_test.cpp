// The comparisons can fail: every wrong reference of mutants.hpp is caught with exit code 6, by the
// very functions that pass the true one.
#include <gtest/gtest.h>

#include "reference/format/table.hpp"
#include "tests/reference/judgement/mutants.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle {
namespace {

TEST(NegativeControl, TheReferencePassesBothComparisons) {
  const Report elements = judge_elements(reference_implementation());
  EXPECT_EQ(elements.exit_code(), 0) << elements.text();
  EXPECT_GT(elements.cases(), 100'000U);
  const Report blocks = judge_blocks(reference_blocks());
  EXPECT_EQ(blocks.exit_code(), 0) << blocks.text();
  EXPECT_GT(blocks.cases(), 10'000U);
}

TEST(NegativeControl, AComparisonOfNothingFails) {
  EXPECT_EQ(Report{}.exit_code(), 6);
  Report report;
  sweep_elements<TickField>({formats::fp32, formats::e4m3fn, {}}, {}, reference_implementation(),
                            report);
  EXPECT_EQ(report.exit_code(), 6);
}

class ElementControl : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ElementControl, IsCaught) {
  const ElementMutant& mutant = element_mutants()[GetParam()];
  const Report report = judge_elements(mutant.implementation);
  EXPECT_EQ(report.exit_code(), 6) << mutant.name << " survived " << report.cases() << " cases";
  EXPECT_LT(report.mismatches(), report.cases());
}

class BlockControl : public ::testing::TestWithParam<std::size_t> {};

TEST_P(BlockControl, IsCaught) {
  const BlockMutant& mutant = block_mutants()[GetParam()];
  const Report report = judge_blocks(mutant.implementation);
  EXPECT_EQ(report.exit_code(), 6) << mutant.name << " survived " << report.cases() << " blocks";
  EXPECT_LT(report.mismatches(), report.cases());
}

INSTANTIATE_TEST_SUITE_P(All, ElementControl,
                         ::testing::Range(std::size_t{0}, element_mutants().size()),
                         [](const auto& param) {
                           return std::string(element_mutants()[param.param].name);
                         });
INSTANTIATE_TEST_SUITE_P(All, BlockControl,
                         ::testing::Range(std::size_t{0}, block_mutants().size()),
                         [](const auto& param) {
                           return std::string(block_mutants()[param.param].name);
                         });

// One flipped threshold shows as exactly the inputs between the two thresholds.
TEST(NegativeControl, OneFlippedThresholdIsOnePattern) {
  for (const ElementMutant& mutant : element_mutants()) {
    if (mutant.name != "one_threshold_flipped") continue;
    ElementSweep sweep{formats::fp32, formats::e4m3fn, {}};
    sweep.roundings = {Rounding::kTiesToEven};
    sweep.overflows = {Overflow::kNoneInfOrNan};
    const std::vector<std::uint64_t> inputs =
        threshold_patterns(formats::fp32, formats::e4m3fn, 1, 1);
    Report report;
    sweep_elements<RationalField>(sweep, inputs, mutant.implementation, report);
    EXPECT_EQ(report.mismatches(), 1U) << report.text();
    return;
  }
  FAIL() << "the mutant is gone";
}

}  // namespace
}  // namespace mx::oracle
