// What becomes of a row: which build counts, when there is a verdict, and that a mismatch has no
// ratio.
#include "bench/measure/row.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace mx::goals {
namespace {

constexpr int kRounds = kLeastRounds;

/// A contestant of these seconds, in turn; the last ones go on.
Contestant lasting(std::string name, std::vector<double> seconds) {
  const auto runs = std::make_shared<std::size_t>(0);
  return {std::move(name), [runs] { ++*runs; },
          [runs, seconds] { return seconds[std::min(*runs, seconds.size()) - 1]; }};
}

Row row_of(std::vector<Contestant> theirs, double goal) {
  Row row{.id = "T1", .what = "nothing", .goal = goal};
  row.clock = Clock::kOwn;
  row.items = 100;
  row.ours = lasting("ours", {1});
  row.theirs = std::move(theirs);
  row.difference = [] { return std::string(); };
  return row;
}

TEST(Row, TheFastestBuildIsThePeer) {
  const Outcome outcome = measure(
      row_of({lasting("slow", {9}), lasting("fast", {4}), lasting("slower", {5})}, 3), kRounds);
  EXPECT_EQ(outcome.peer, "fast");
  ASSERT_TRUE(outcome.ratio.has_value());
  EXPECT_EQ(outcome.ratio->median, 4);
  EXPECT_EQ(outcome.our_rate, 100);
  EXPECT_EQ(outcome.peer_rate, 25);
  ASSERT_EQ(outcome.others.size(), 2U);
  EXPECT_EQ(outcome.others[1].name, "slower");
  EXPECT_EQ(outcome.others[1].rate, 20);
}

TEST(Row, AGoalIsMetFromItselfOn) {
  EXPECT_EQ(measure(row_of({lasting("peer", {4})}, 4), kRounds).verdict, Verdict::kMet);
  EXPECT_EQ(measure(row_of({lasting("peer", {4})}, 4.01), kRounds).verdict, Verdict::kNotMet);
  EXPECT_EQ(measure(row_of({lasting("peer", {4})}, 0), kRounds).verdict, Verdict::kReported);
}

TEST(Row, AnUnsteadyMeasurementHasNoVerdict) {
  std::vector<double> seconds;
  for (int i = 0; i < 2 * kRounds; ++i) seconds.push_back(i % 2 == 0 ? 10 : 20);
  const Outcome outcome = measure(row_of({lasting("peer", seconds)}, 2), kRounds);
  EXPECT_EQ(outcome.verdict, Verdict::kUnsteady);
  EXPECT_TRUE(outcome.ratio.has_value());
}

TEST(Row, TooFewRoundsHaveNoVerdict) {
  EXPECT_EQ(measure(row_of({lasting("peer", {4})}, 1), kLeastRounds - 1).verdict,
            Verdict::kUnsteady);
}

TEST(Row, AMismatchHasNoRatioAndIsNotTimed) {
  Row row = row_of({lasting("good", {4}), lasting("bad", {1})}, 1);
  int compared = 0;
  row.difference = [&compared] { return ++compared == 2 ? "place 7" : ""; };
  int runs = 0;
  row.ours.run = [&runs] { ++runs; };
  const Outcome outcome = measure(row, kRounds);
  EXPECT_EQ(outcome.verdict, Verdict::kMismatch);
  EXPECT_EQ(outcome.note, "bad: place 7");
  EXPECT_FALSE(outcome.ratio.has_value());
  EXPECT_EQ(outcome.our_rate, 0);
  EXPECT_EQ(runs, 1);
}

TEST(Row, ASkippedRowRunsNothing) {
  Row row = row_of({}, 1);
  row.skip = "no peer";
  row.ours.run = [] { FAIL() << "ran"; };
  const Outcome outcome = measure(row, kRounds);
  EXPECT_EQ(outcome.verdict, Verdict::kSkipped);
  EXPECT_EQ(outcome.note, "no peer");
  EXPECT_FALSE(outcome.ratio.has_value());
}

}  // namespace
}  // namespace mx::goals
