// Farms and their programs killed at seeded moments: what was done stays done, nothing is left
// behind, and the result is the same.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "tests/farm/farm.hpp"

namespace mx::cli::test {
namespace {

/// MX_FARM_KILLS, for runs that have time.
int kills() {
  const char* const told = std::getenv("MX_FARM_KILLS");
  return told == nullptr ? 3 : std::atoi(told);
}

void pause(std::mt19937& random, int most_ms) {
  std::this_thread::sleep_for(
      std::chrono::milliseconds(std::uniform_int_distribution<int>(0, most_ms)(random)));
}

/// A process that is gone, or dead and waited for by nobody yet.
bool is_gone(pid_t process) {
  const std::string stat = text_of("/proc/" + std::to_string(process) + "/stat");
  return stat.empty() || has(stat, ") Z ");
}

std::string whole_result(const Scratch& scratch) {
  const std::string folder = scratch.path("whole");
  EXPECT_EQ(farm(folder, {"--shards", "5"}, small_sweep()).status, 0);
  return text_of(folder + "/result.json");
}

TEST(FarmKills, AProgramThatIsKilledIsTriedAgain) {
  const Scratch scratch;
  const std::string whole = whole_result(scratch);
  const std::string folder = scratch.path("c");
  std::mt19937 random(7);
  RunningFarm running(folder, {"--local", "2", "--shards", "64", "--retries", "100"},
                      small_sweep());
  int killed = 0;
  while (killed < kills() && running.is_alive()) {
    pause(random, 60);
    const std::vector<pid_t> children = running.children();
    if (children.empty() || receipts_in(folder).empty()) continue;
    killed += ::kill(children[random() % children.size()], SIGKILL) == 0 ? 1 : 0;
  }
  EXPECT_EQ(running.wait(), 0) << running.said();
  EXPECT_GT(killed, 0);
  EXPECT_TRUE(has(running.said(), "killed by signal 9 (Killed); tried again (1 of 100)"))
      << running.said();
  EXPECT_EQ(text_of(folder + "/result.json"), whole);
}

TEST(FarmKills, AShardThatAlwaysFailsIsLostAndNoPass) {
  const Scratch scratch;
  const std::string folder = scratch.path("c");
  const ProgramEnd end = farm(folder, {"--shards", "2", "--retries", "1"},
                              {"run", "--dut", "process:kill -9 $$", "--op", "cvt", "--format",
                               "e2m1fn", "--source", "bf16"});
  EXPECT_EQ(end.status, 4) << end.err;
  EXPECT_TRUE(has(end.err, "tried again (1 of 1)")) << end.err;
  EXPECT_TRUE(has(end.err, "LOST shard 1: ended with status 4")) << end.err;
  EXPECT_TRUE(has(end.out, "INCOMPLETE: 0 of 2 shards")) << end.out;
}

TEST(FarmKills, AFarmThatIsKilledGoesOnWhereItWas) {
  const Scratch scratch;
  const std::string whole = whole_result(scratch);
  const std::string folder = scratch.path("c");
  std::mt19937 random(11);
  const Words options = {"--local", "2", "--shards", "64"};
  int killed = 0;
  std::map<std::string, std::string> before;
  for (int i = 0; i < kills(); ++i) {
    RunningFarm running(folder, options, small_sweep());
    // A little further each time, so that every try may come to new shards.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pause(random, 1200 / kills() + 100);
    const std::vector<pid_t> children = running.children();
    ::kill(running.process(), SIGKILL);
    killed += running.wait() == 128 + SIGKILL ? 1 : 0;
    for (const pid_t child : children) {
      for (int wait = 0; wait < 200 && !is_gone(child); ++wait) ::usleep(10'000);
      EXPECT_TRUE(is_gone(child)) << "a program outlived its farm";
    }
    auto now = receipts_in(folder);
    for (const auto& [name, state] : before) EXPECT_EQ(now[name], state) << name;
    before = now;
  }
  EXPECT_GT(killed, 0);
  const ProgramEnd end = farm(folder, options, small_sweep());
  EXPECT_EQ(end.status, 0) << end.err;
  const std::string counted = std::to_string(before.size()) + " of 64 shards have receipts, " +
                              std::to_string(64 - before.size()) + " to do";
  EXPECT_TRUE(before.empty() || has(end.err, counted)) << counted << "\n" << end.err;
  auto after = receipts_in(folder);
  EXPECT_EQ(after.size(), 64U);
  for (const auto& [name, state] : before) EXPECT_EQ(after[name], state) << name;
  EXPECT_EQ(text_of(folder + "/result.json"), whole);
}

}  // namespace
}  // namespace mx::cli::test
