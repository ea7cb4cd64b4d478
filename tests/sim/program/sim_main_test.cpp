// A program with a device of its own has the whole command line: the worked example, right and with
// a defect. MXGOLD is that program here.
#include <gtest/gtest.h>

#include <string>

#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

class SimMain : public ProgramTest {};

TEST_F(SimMain, WithoutASubcommandItRuns) {
  const ProgramEnd bare = expect("", 0, "PASS ");
  EXPECT_TRUE(bare.says("dut my_dut,")) << bare.tail();
  const ProgramEnd options =
      expect("--suite smoke --stall heavy --reset sweep --threads 2", 0, "PASS ");
  EXPECT_TRUE(options.says("stall heavy, reset sweep")) << options.tail();
  EXPECT_EQ(bare.digest(), options.digest());
  EXPECT_EQ(bare.digest(), expect("run --dut my_dut", 0, "PASS ").digest());
}

TEST_F(SimMain, HasTheOtherSubcommandsAndDevices) {
  expect("--help", 0, "replay");
  expect("--version", 0, "mxgold ");
  expect("run --help-all", 0, "my_dut[:away]");
  expect("run --dut reference --format e2m1fn --source bf16 --rule floor", 0, "PASS ");
  expect("--format e4m3fn", 2, "the device does blocks of 32, fp32 to e2m1fn");
  expect("--dut my_dut:sideways", 2, "unknown argument of my_dut[:away] 'sideways'");
  expect("rum", 2, "unknown subcommand");
}

// What it prints is a command of this program, which a fresh process understands.
TEST_F(SimMain, ADefectIsShownAgainByTheSameProgram) {
  const std::string small = file("small.json");
  const ProgramEnd end = expect("--dut my_dut:away --errors 1 --shrink " + small, 1,
                                "as with rounding ties_to_away for ties_to_even");
  const std::string run = MXGOLD " run --dut my_dut:away --suite smoke";
  const std::size_t at = end.text.find(run);
  ASSERT_NE(at, std::string::npos) << end.tail();
  const std::size_t start = at + std::string(MXGOLD " ").size();
  const std::string again = end.text.substr(start, end.text.find('\n', at) - start);
  EXPECT_EQ(mxgold(again).exit, 1) << again;
  EXPECT_TRUE(end.says(MXGOLD " replay " + small)) << end.tail();
  EXPECT_EQ(mxgold("replay " + small).exit, 1);
  EXPECT_EQ(mxgold("replay " + small + " --dut my_dut").exit, 0);
}

}  // namespace
}  // namespace mx::sim::test
