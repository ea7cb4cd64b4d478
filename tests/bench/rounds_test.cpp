// Who runs when, and which rounds count.
#include "bench/measure/rounds.hpp"

#include <gtest/gtest.h>

#include <string>

namespace mx::goals {
namespace {

/// A contestant that notes its turns and says its own times: its number of runs so far.
Contestant noting(std::string name, std::string& log, int& runs) {
  return {name,
          [name, &log, &runs] {
            log += name;
            ++runs;
          },
          [&runs] { return static_cast<double>(runs); }};
}

TEST(Rounds, ContestantsTakeTurnsAndTheFirstRoundIsDropped) {
  std::string log;
  int first_runs = 0;
  int second_runs = 0;
  const Contestant first = noting("a", log, first_runs);
  const Contestant second = noting("b", log, second_runs);
  const auto seconds = take_turns({&first, &second}, Clock::kOwn, 3);
  // Once to see how long a call takes, then a round that is dropped, then three.
  EXPECT_EQ(log, "ababababab");
  const std::vector<double> counted = {3, 4, 5};
  EXPECT_EQ(seconds[0], counted);
  EXPECT_EQ(seconds[1], counted);
}

TEST(Rounds, AShortCallIsRepeatedWithinItsTurn) {
  for (const Clock clock : {Clock::kThread, Clock::kWall}) {
    int runs = 0;
    const Contestant quick = {"quick", [&runs] { ++runs; }};
    const auto seconds = take_turns({&quick}, clock, 2);
    EXPECT_EQ(seconds[0].size(), 2U);
    EXPECT_GT(runs, 3 * 10);
  }
}

}  // namespace
}  // namespace mx::goals
