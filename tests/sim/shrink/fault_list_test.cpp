// Every fault of the list shrinks to next to nothing, and what is left fails again from a file.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "golden/bytes/new_file.hpp"
#include "sim/block/fault.hpp"
#include "sim/shrink/replay_file.hpp"
#include "sim/shrink/shrink_run.hpp"
#include "tests/sim/shrink/lanes_in_use.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

class FaultList : public testing::TestWithParam<std::string> {};

/// The case as a later process reads it.
Case written_and_read(const SmallStream& small) {
  ReplayFile replay;
  replay.failure = small.shrunk.failure;
  const std::string path = fmt::format("{}mxgold_fault_{}.json", testing::TempDir(), ::getpid());
  golden::write_file(path, replay_json(replay));
  const ReplayFile read = read_replay(path);
  std::remove(path.c_str());
  EXPECT_EQ(read.failure.questions, small.shrunk.failure.questions);
  EXPECT_EQ(read.failure.input_stall, small.shrunk.failure.input_stall);
  EXPECT_EQ(read.failure.output_stall, small.shrunk.failure.output_stall);
  EXPECT_EQ(read.failure.reset, small.shrunk.failure.reset);
  return read.failure;
}

// Spec V11: at most two lanes that are not at rest, in at most three words; one block where one
// suffices.
TEST_P(FaultList, ShrinksToNextToNothing) {
  const Fault* const fault = find_fault(GetParam());
  const DutFactory make = test::reference_with(fault);
  RunOptions options;
  options.stop_after = 1;
  const RunResult result = run(test::smoke(), make, options);
  ASSERT_NE(result.exit_code(), 0);
  const auto small = shrink_stream(test::smoke(), result, options, make, {});
  ASSERT_TRUE(small);
  EXPECT_TRUE(small->shrunk.is_minimal);
  const Case& failure = small->shrunk.failure;
  EXPECT_LE(test::lanes_in_use(failure), 2U);
  EXPECT_LE(small->words, 3U);
  if (fault->port == PortFault::kNone) {
    const bool needs_a_block_before = GetParam().find("previous") != std::string::npos;
    EXPECT_EQ(failure.questions.size(), needs_a_block_before ? 2U : 1U);
    EXPECT_EQ(failure.input_stall, StallPlan());
    EXPECT_EQ(failure.output_stall, StallPlan());
    EXPECT_EQ(failure.reset, ResetPlan());
  }
  EXPECT_TRUE(small->failure.has_failed());
  EXPECT_TRUE(run_case(written_and_read(*small), small->setting).fails_like(small->failure));
  // The right device passes it.
  StreamSetting right = small->setting;
  right.make = test::reference_with();
  EXPECT_FALSE(run_case(failure, right).has_failed());
}

std::vector<std::string> tokens_of_faults() {
  std::vector<std::string> tokens;
  for (const Fault& fault : all_faults()) tokens.emplace_back(fault.token);
  return tokens;
}

INSTANTIATE_TEST_SUITE_P(Every, FaultList, testing::ValuesIn(tokens_of_faults()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace mx::sim
