// The suites of runs hit every bin of the coverage model that a block can hit (spec V10).
#include <gtest/gtest.h>

#include "tests/sim/coverage/coverage_kit.hpp"

namespace mx::sim {
namespace {

class FullSuite : public ::testing::TestWithParam<std::string_view> {};

TEST_P(FullSuite, ClosesCoverage) {
  expect_closed({GetParam(), Rounding::kTiesToEven, ScaleRule::kFloor, &formats::fp32});
  expect_closed({GetParam(), Rounding::kStochasticA, ScaleRule::kCeil, &formats::bf16});
  expect_closed({GetParam(), Rounding::kToOdd, ScaleRule::kEvenDown, &formats::fp16});
}

INSTANTIATE_TEST_SUITE_P(All, FullSuite,
                         ::testing::Values("mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3",
                                           "mxfp4", "mxint8"),
                         [](const auto& each) { return std::string(each.param); });

/// Control: the smoke suite leaves bins open, and they are named.
TEST(SmokeSuite, LeavesBinsOpen) {
  const golden::Covergroup group = coverage_of(
      {"mxfp4", Rounding::kTiesToEven, ScaleRule::kFloor, &formats::fp32}, SuiteSize::kSmoke);
  EXPECT_LT(group.score().per_10000(), 10000U);
  EXPECT_EQ(group.score().contradicted, 0U);
  EXPECT_NE(wrong_bins(group), "");
}

/// Property: what a profile leaves open is not compared and covers nothing.
TEST(OpenBlocks, CoverNothing) {
  Choice choice{"mxfp4", Rounding::kTiesToEven, ScaleRule::kFloor, &formats::fp32, 0};
  const auto scale_of_nan = [&] {
    const golden::Covergroup group = coverage_of(choice, SuiteSize::kFull);
    return std::ranges::find(group.points, "scale", &golden::Coverpoint::name)->bins[0xFF].hits;
  };
  EXPECT_NE(scale_of_nan(), 0U);
  choice.masks = kMaskNanBlock | kMaskInfBlock;
  EXPECT_EQ(scale_of_nan(), 0U);
}

}  // namespace
}  // namespace mx::sim
