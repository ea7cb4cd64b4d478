// What the table of a device's rates says of rounds.
#include "bench/gpu/turns.hpp"

#include <gtest/gtest.h>

namespace mx::bench {
namespace {

/// Eight rounds of 1 ms beside `other` ms, of which two take `slow` ms.
Turns turns(float other, float slow) {
  Turns all;
  for (int i = 0; i < 6; ++i) all.add(1, other);
  all.add(1, slow);
  all.add(1, slow);
  return all;
}

TEST(Turns, AreJudgedByTheMedianOfTheirRatios) {
  EXPECT_EQ(turns(0.95F, 0.96F).verdict(0.94), "met");
  EXPECT_EQ(turns(0.95F, 0.96F).verdict(0.96), "NOT MET");
  EXPECT_EQ(turns(0.95F, 0.96F).verdict(0), "reported");
  EXPECT_FLOAT_EQ(turns(0.95F, 0.96F).ratio(), 0.95F);
  EXPECT_FLOAT_EQ(turns(0.95F, 0.96F).high(), 0.96F);
  EXPECT_FLOAT_EQ(turns(0.95F, 0.5F).low(), 0.95F);
  EXPECT_FLOAT_EQ(turns(0.95F, 2).ours(), 1);
  EXPECT_FLOAT_EQ(turns(0.95F, 2).other(), 0.95F);
}

TEST(Turns, SayNothingWhereRoundsLieFarApart) {
  EXPECT_EQ(turns(0.95F, 1.2F).verdict(0.94), "INVALID: too noisy");
  EXPECT_EQ(turns(3, 3.1F).verdict(3), "met");
}

}  // namespace
}  // namespace mx::bench
