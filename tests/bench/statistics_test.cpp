// Medians and quartiles by hand, and when a measurement counts.
#include "bench/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace mx::goals {
namespace {

TEST(Statistics, QuartilesOfFiveAreTheirMembers) {
  const Spread spread = spread_of({5, 1, 4, 2, 3});
  EXPECT_EQ(spread.low, 2);
  EXPECT_EQ(spread.median, 3);
  EXPECT_EQ(spread.high, 4);
}

TEST(Statistics, BetweenMembersTheyAreInterpolated) {
  const Spread spread = spread_of({4, 1, 2, 3});
  EXPECT_EQ(spread.low, 1.75);
  EXPECT_EQ(spread.median, 2.5);
  EXPECT_EQ(spread.high, 3.25);
}

TEST(Statistics, OneMemberIsAllThree) {
  const Spread spread = spread_of({7});
  EXPECT_EQ(spread.low, 7);
  EXPECT_EQ(spread.high, 7);
  EXPECT_TRUE(spread.is_steady());
}

TEST(Statistics, NothingIsRefused) { EXPECT_THROW((void)spread_of({}), std::invalid_argument); }

TEST(Statistics, ASpreadOfAFifteenthOfAHundredIsTheWidest) {
  EXPECT_TRUE((Spread{100, 100, 115}).is_steady());
  EXPECT_FALSE((Spread{100, 100, 115.01}).is_steady());
  EXPECT_FALSE((Spread{0, 0, 0}).is_steady());
}

TEST(Statistics, OneSlowRoundMovesNeitherMedianNorVerdict) {
  const Spread spread = spread_of({2, 2, 2, 2, 2, 2, 2, 900});
  EXPECT_EQ(spread.median, 2);
  EXPECT_TRUE(spread.is_steady());
}

TEST(Statistics, RatiosAreByRound) {
  EXPECT_EQ(ratios({6, 8}, {3, 2}), (std::vector<double>{2, 4}));
  EXPECT_THROW((void)ratios({1}, {1, 2}), std::invalid_argument);
}

}  // namespace
}  // namespace mx::goals
