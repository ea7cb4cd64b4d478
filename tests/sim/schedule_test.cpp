// Stalls and resets: functions of the seed, of the promised kinds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "sim/drive/reset_plan.hpp"
#include "sim/drive/stall.hpp"

namespace mx::sim {
namespace {

constexpr int kCycles = 20'000;

std::vector<bool> schedule(Stall stall, std::uint64_t seed, StreamUse side) {
  StallSchedule stalls(stall, seed, side, 3);
  std::vector<bool> cycles;
  for (int i = 0; i < kCycles; ++i) cycles.push_back(stalls.next());
  return cycles;
}

double stalled_share(Stall stall) {
  const auto cycles = schedule(stall, 1, StreamUse::kInputStall);
  return static_cast<double>(std::count(cycles.begin(), cycles.end(), true)) / kCycles;
}

TEST(StallSchedule, FollowsTheSeedAndTheSide) {
  for (const Stall stall : {Stall::kLight, Stall::kHeavy, Stall::kRandom}) {
    const auto once = schedule(stall, 7, StreamUse::kInputStall);
    EXPECT_EQ(once, schedule(stall, 7, StreamUse::kInputStall));
    EXPECT_NE(once, schedule(stall, 8, StreamUse::kInputStall));
    EXPECT_NE(once, schedule(stall, 7, StreamUse::kOutputStall));
  }
}

TEST(StallSchedule, IsAsHeavyAsItsName) {
  EXPECT_EQ(stalled_share(Stall::kNone), 0);
  EXPECT_GT(stalled_share(Stall::kLight), 0.05);
  EXPECT_LT(stalled_share(Stall::kLight), 0.25);
  EXPECT_GT(stalled_share(Stall::kHeavy), 0.5);
  EXPECT_GT(stalled_share(Stall::kRandom), 0.3);
}

TEST(StallSchedule, RandomHasEveryLengthClass) {
  const auto cycles = schedule(Stall::kRandom, 1, StreamUse::kOutputStall);
  std::map<int, int> classes;  // 1, 2-3, 4-15, 16 and more
  int length = 0;
  for (const bool stalled : cycles) {
    if (stalled) {
      ++length;
      continue;
    }
    if (length > 0) ++classes[length == 1 ? 1 : length < 4 ? 2 : length < 16 ? 4 : 16];
    length = 0;
  }
  for (const int least : {1, 2, 4, 16}) EXPECT_GT(classes[least], 20) << least;
}

TEST(StallSchedule, TokensRoundTrip) {
  for (const Stall stall : {Stall::kNone, Stall::kLight, Stall::kHeavy, Stall::kRandom}) {
    EXPECT_EQ(parse_stall(token_of(stall)), stall);
  }
  EXPECT_FALSE(parse_stall("medium"));
}

std::vector<std::uint64_t> resets(const ResetPlan& plan, std::uint64_t seed) {
  ResetSchedule schedule(plan, seed, 0);
  std::vector<std::uint64_t> due;
  for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) {
    if (schedule.due(cycle)) due.push_back(cycle);
  }
  return due;
}

TEST(ResetSchedule, SweepHasEveryIntervalOnce) {
  const auto due = resets(*ResetPlan::parse("sweep"), 1);
  ASSERT_EQ(due.size(), 48U);
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < due.size(); ++i) {
    EXPECT_EQ(due[i] - before, i + 1);
    before = due[i];
  }
}

TEST(ResetSchedule, RandomIsSeededAndEnds) {
  const ResetPlan plan = *ResetPlan::parse("random");
  EXPECT_EQ(resets(plan, 5), resets(plan, 5));
  EXPECT_NE(resets(plan, 5), resets(plan, 6));
  EXPECT_EQ(resets(plan, 5).size(), 64U);
}

TEST(ResetSchedule, ListedCyclesAreExact) {
  EXPECT_EQ(resets(*ResetPlan::parse("0,12,40"), 1), (std::vector<std::uint64_t>{0, 12, 40}));
  EXPECT_TRUE(resets(*ResetPlan::parse("none"), 1).empty());
}

TEST(ResetSchedule, SweepHasEveryShape) {
  const ResetPlan plan = *ResetPlan::parse("sweep");
  const auto shapes = [&](std::uint64_t seed, std::uint32_t segment) {
    ResetSchedule schedule(plan, seed, segment);
    std::vector<ResetShape> list;
    for (std::uint64_t cycle = 0; cycle < kCycles; ++cycle) {
      if (schedule.due(cycle)) list.push_back(schedule.shape());
    }
    return list;
  };
  std::vector<ResetShape> seen = shapes(0, 1);
  EXPECT_EQ(seen, shapes(0, 1));
  EXPECT_NE(seen, shapes(0, 8));
  EXPECT_NE(seen, shapes(1, 1));
  for (const std::uint32_t edges : {0U, 1U, 2U, 3U}) {
    for (const bool offering : {false, true}) {
      EXPECT_NE(std::ranges::find(seen, ResetShape{edges, offering}), seen.end())
          << edges << " edges, tvalid " << offering;
    }
  }
}

TEST(ResetPlan, RefusesWhatIsNoList) {
  for (const char* text : {"", "5,", ",5", "5,5", "7,3", "x", "5;6", "-1"}) {
    EXPECT_FALSE(ResetPlan::parse(text)) << text;
  }
  EXPECT_EQ(ResetPlan::parse("3,9")->text(), "3,9");
}

}  // namespace
}  // namespace mx::sim
