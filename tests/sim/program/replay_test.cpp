// The command that a failure prints fails again by itself, with the same verdict: every fault of
// every kind of device.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/block/fault.hpp"
#include "sim/record/reference.hpp"
#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

/// Every command line after `replay`, without the program's name.
std::vector<std::string> replays_in(const ProgramEnd& end) {
  std::vector<std::string> lines;
  constexpr std::string_view kProgram = "mxgold ";
  for (std::size_t at = 0; (at = end.text.find("replay", at)) != std::string::npos;) {
    at = end.text.find(kProgram, at) + kProgram.size();
    lines.push_back(end.text.substr(at, end.text.find('\n', at) - at));
  }
  return lines;
}

/// A mismatch may be shown alone where the run also broke the protocol.
void expect_replays_fail(const std::string& command, int exit) {
  const ProgramEnd end = mxgold(command);
  EXPECT_EQ(end.exit, exit) << command << '\n' << end.tail();
  const std::vector<std::string> replays = replays_in(end);
  EXPECT_FALSE(replays.empty()) << command;
  bool has_same = false;
  for (const std::string& replay : replays) {
    const ProgramEnd again = mxgold(replay);
    EXPECT_TRUE(again.exit == exit || (exit == 4 && again.exit == 1)) << replay << '\n'
                                                                      << again.exit << '\n'
                                                                      << again.tail();
    has_same = has_same || again.exit == exit;
  }
  EXPECT_TRUE(has_same) << command;
}

class StreamFault : public testing::TestWithParam<std::string> {};

TEST_P(StreamFault, EveryReplayFailsAgain) {
  const Fault* const fault = find_fault(GetParam());
  const int exit = fault->port == PortFault::kNone ? 1 : 4;
  expect_replays_fail("run --suite smoke --errors 2 --dut reference:" + GetParam(), exit);
}

std::vector<std::string> stream_faults() {
  std::vector<std::string> tokens;
  for (const Fault& fault : all_faults()) tokens.emplace_back(fault.token);
  return tokens;
}

INSTANTIATE_TEST_SUITE_P(Every, StreamFault, testing::ValuesIn(stream_faults()),
                         [](const auto& test) { return test.param; });

class RecordFaultReplay : public testing::TestWithParam<std::string> {};

TEST_P(RecordFaultReplay, EveryReplayFailsAgain) {
  const int exit = find_record_fault(GetParam())->breaks_protocol() ? 4 : 1;
  for (const char* set :
       {"--op cvt --format e4m3fn", "--format nvfp4", "--op dot --format mxfp4"}) {
    expect_replays_fail(std::string("run --errors 2 --dut reference:") + GetParam() + " " + set,
                        exit);
  }
}

std::vector<std::string> faults_of_records() {
  std::vector<std::string> tokens;
  for (const RecordFault& fault : record_faults()) tokens.emplace_back(fault.token);
  return tokens;
}

INSTANTIATE_TEST_SUITE_P(Every, RecordFaultReplay, testing::ValuesIn(faults_of_records()),
                         [](const auto& test) { return test.param; });

class ProcessReplay : public ProgramTest {
 protected:
  /// A device that answers as the file says, through a filter.
  [[nodiscard]] static std::string run(const std::string& path, const std::string& lie,
                                       const std::string& filter = "") {
    return "run --errors 2 --dut \"process:" + std::string(MX_PYTHON) + " " MX_ANSWERS " " + path +
           " " + lie + filter + "\" ";
  }
};

const std::string kSet = "--format mxfp4 --source bf16 --rounding ties_to_even --rule floor ";

TEST_F(ProcessReplay, EveryReplayFailsAgain) {
  const std::string path = gen(kSet);
  for (const char* lie : {"code", "last_code", "flags", "scale", "flags:first", "flags:middle",
                          "flags:last", "swap"}) {
    expect_replays_fail(run(path, lie) + kSet, 1);
  }
  for (const char* lie : {"drop", "extra"}) expect_replays_fail(run(path, lie) + kSet, 4);
}

// Right alone, wrong after what came before: the replay has what came before.
TEST_F(ProcessReplay, ADeviceWithAMemoryIsShownWithIt) {
  const std::string path = gen(kSet);
  expect_replays_fail(run(path, "", " | sed -u '7,\\$s/^../55/'") + kSet, 1);
  expect_replays_fail(run(path, "", " | sed -u '9d'") + kSet, 4);
  expect_replays_fail(run(path, "", " | sed -u '9p'") + kSet, 4);
  // Wrong only if there is more after it.
  expect_replays_fail(run(path, "", " | sed -u '20{\\$!s/^../55/}'") + kSet, 1);
}

TEST_F(ProcessReplay, OptionsOfTheProgramAreInTheReplay) {
  const std::string path = gen(kSet);
  const std::string options =
      "--observe scale,code --answer-prefix 'MX ' --start-time-out 60 "
      "--time-out 61 ";
  const ProgramEnd end =
      mxgold(run(path, "scale", " | sed -u 's/^/MX /; s/ ..$/ -/'") + options + kSet);
  EXPECT_EQ(end.exit, 1) << end.tail();
  const std::string replay = replay_in(end);
  for (const char* option :
       {"--observe scale,code", "--answer-prefix 'MX '", "--start-time-out 60", "--time-out 61"}) {
    EXPECT_NE(replay.find(option), std::string::npos) << replay;
  }
  EXPECT_EQ(mxgold(replay).exit, 1) << replay;
}

// A device that is right prints none.
TEST_F(ProcessReplay, APassPrintsNoReplay) {
  const std::string path = gen(kSet);
  const ProgramEnd end = mxgold(run(path, "") + kSet);
  EXPECT_EQ(end.exit, 0) << end.tail();
  EXPECT_TRUE(replays_in(end).empty()) << end.tail();
}

}  // namespace
}  // namespace mx::sim::test
