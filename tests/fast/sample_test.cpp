// SPDX-License-Identifier: Apache-2.0
// What a part of the products keeps: every value once, every unit of the stimulus.
#include "tests/fast/sample.hpp"

#include <gtest/gtest.h>

#include <set>

namespace mx::fast::test {
namespace {

TEST(FastSample, TakesEveryValueAndNotEveryPair) {
  Part some(1000);
  std::set<int> firsts;
  std::set<int> seconds;
  int taken = 0;
  for (int first = 0; first < 20; ++first) {
    for (int second = 0; second < 30; ++second) {
      if (!some.takes(first, second)) continue;
      ++taken;
      firsts.insert(first);
      seconds.insert(second);
    }
  }
  EXPECT_EQ(firsts.size(), 20u);
  EXPECT_EQ(seconds.size(), 30u);
  EXPECT_TRUE(runs_whole() ? taken == 600 : taken < 100) << taken;
}

TEST(FastSample, DealsEveryUnitOnce) {
  std::vector<int> all(1003);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  std::multiset<int> dealt;
  for (const std::vector<int>& hand : deal(all, 16, 5)) {
    EXPECT_FALSE(hand.empty());
    for (std::size_t i = 1; i < hand.size(); ++i) {
      EXPECT_TRUE(hand[i] % 16 == 0 || hand[i] == hand[i - 1] + 1) << "units stay whole";
    }
    dealt.insert(hand.begin(), hand.end());
  }
  EXPECT_EQ(dealt, std::multiset<int>(all.begin(), all.end()));
}

TEST(FastSample, OneInTakesOneOfEachNeighbourhood) {
  std::vector<std::size_t> all(1003);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{16}, std::size_t{2000}}) {
    const std::vector<std::size_t> taken = one_in(n, all, 7);
    ASSERT_EQ(taken.size(), runs_whole() ? all.size() : (all.size() + n - 1) / n) << n;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      EXPECT_EQ(taken[i] / (runs_whole() ? 1 : n), i) << n;
    }
  }
  EXPECT_TRUE(runs_whole() || one_in(16, all, 7) != one_in(16, all, 8)) << "streams differ";
}

}  // namespace
}  // namespace mx::fast::test
