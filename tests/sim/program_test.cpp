// mxgold run as a program: exit codes and messages of spec V9.
#include "tests/sim/program.hpp"
#include <fmt/format.h>

#include <string>

namespace mx::sim::test {
namespace {

const std::string kOne = " --format e2m1fn --rounding ties_to_even --rule floor --source fp32 ";
const std::string kExample = std::string("process:'") + MX_PYTHON + " " + MX_EXAMPLE + "'";

class RunProgram : public ProgramTest {};

TEST_F(RunProgram, PassesAndSaysSo) {
  expect("run --dut reference --suite smoke" + kOne, 0, "PASS ");
  expect("run --dut cuda-host --suite smoke", 0, "PASS ");
  expect("run --dut cpu --suite smoke" + kOne, 0, "PASS ");
  expect("run --dut " + kExample + kOne, 0, "PASS ");
}

// Every binade of block maxima under every rule, which the smoke suite skips: a part of what
// docs/exhaustive-runs.md has whole.
TEST_F(RunProgram, FastPathsPassTheFullSuiteUnderEveryRule) {
  for (const std::string dut : {"cpu", "cuda-host"}) {
    expect("run --suite full --rule floor,ceil,rceil,even_up,even_down --shard 3/64 --dut " + dut,
           0, "PASS ");
  }
}

TEST_F(RunProgram, FaultIsAMismatchWithAReplayThatShowsIt) {
  const ProgramEnd outcome =
      mxgold("run --dut reference:sticky_cut_short --suite smoke --errors 1");
  EXPECT_EQ(outcome.exit, 1);
  const std::string replay = replay_in(outcome);
  ASSERT_FALSE(replay.empty()) << outcome.tail();
  const ProgramEnd again = mxgold(replay);
  EXPECT_EQ(again.exit, 1) << replay << '\n' << again.tail();
  EXPECT_NE(again.text.find("MISMATCH"), std::string::npos);
}

// A fault that needs the block before: the replay starts where the history starts.
TEST_F(RunProgram, ReplayKeepsTheHistoryAFaultNeeds) {
  const ProgramEnd outcome =
      mxgold("run --dut reference:rounding_of_previous_block --suite smoke --errors 1");
  EXPECT_EQ(outcome.exit, 1);
  const std::string replay = replay_in(outcome);
  EXPECT_NE(replay.find("--only 0:"), std::string::npos) << replay;
  EXPECT_EQ(mxgold(replay).exit, 1);
}

TEST_F(RunProgram, UsageErrorsAreTwo) {
  expect("run --dut refrence", 2, "reference");
  expect("run --dut reference:ties_to_away_for_evn", 2, "ties_to_away_for_even");
  expect("run --dut reference --suite smok", 2, "smoke");
  expect("run --dut reference --suite smoke --vectors x.tv", 2, "one of");
  expect("run --dut reference --format e4m3", 2, "e4m3fn");
  expect("run --dut reference --rounding ties_to_evn", 2, "ties_to_even");
  expect("run --dut reference --stall hevy", 2, "heavy");
  expect("run --dut reference --reset soon", 2, "--reset");
  expect("run --dut reference --shard 4/4", 2, "--shard");
  expect("run --dut reference --only 5:5", 2, "empty range");
  expect("run --dut reference --compare loose", 2, "--compare");
  expect("run --dut process:", 2, "process:COMMAND");
  expect("run --dut cuda-host:x", 2, "nothing follows cuda-host");
  expect("run --dut reference --formats e4m3fn", 2, "did you mean '--format'");
  expect("run --dut reference --random-bits 33", 2, "--random-bits");
  expect("run --no-such-option", 2, "no-such-option");
}

TEST_F(RunProgram, ListsNameSeveralAndBlockFormatsTheirElements) {
  expect(
      "run --dut reference --format mxfp4,e4m3fn --rounding ties_to_even --rule all --source fp32",
      0, "8 configurations");
  expect(
      "run --dut reference --format e2m1fn --format mxfp8_e4m3 --rounding ties_to_even --rule "
      "floor,ceil --source fp32",
      0, "4 configurations");
}

// What `all` leaves out of a device's own is counted and named; what was asked for by name is not.
TEST_F(RunProgram, SaysWhatItDoesNotOffer) {
  const std::string rest = " --suite smoke --format e2m1fn --source fp32";
  const ProgramEnd all = mxgold("run --dut rtl" + rest);
  EXPECT_NE(all.text.find("without 2 roundings of the device (ties_to_zero, ties_toward_positive)"),
            std::string::npos)
      << all.tail();
  EXPECT_NE(all.text.find("without 1 rule of the device (even_down)"), std::string::npos);
  const ProgramEnd named = mxgold("run --dut rtl --rounding ties_to_even --rule floor" + rest);
  EXPECT_EQ(named.text.find("of the device"), std::string::npos) << named.tail();
  const ProgramEnd listed =
      mxgold("run --dut rtl --rounding ties_to_zero,ties_toward_positive --rule even_down" + rest);
  EXPECT_EQ(listed.exit, 0) << listed.tail();
}

TEST_F(RunProgram, TheDeviceSaysHowManyRandomBits) {
  const std::string one = " --format e2m1fn --rounding stochastic_a --rule floor --source fp32 ";
  const ProgramEnd wide = mxgold("run --dut reference" + one);
  const ProgramEnd named = mxgold("run --dut reference --random-bits 16" + one);
  const ProgramEnd narrow = mxgold("run --dut reference --random-bits 8" + one);
  EXPECT_EQ(wide.digest(), named.digest());
  EXPECT_NE(wide.digest(), narrow.digest());
  const ProgramEnd rtl = mxgold("run --dut rtl" + one);
  // Exit 4 is also how a device that breaks the protocol ends: only a build without RTL is a skip.
  if (rtl.text.find("no Verilated RTL") != std::string::npos) GTEST_SKIP() << rtl.text;
  EXPECT_EQ(rtl.digest(), narrow.digest());
  expect("run --dut rtl --random-bits 16" + one, 2, "with 8 random bits");
  // Vectors without random words fit any device, others only one that draws as many bits.
  const std::string drawn = "--suite smoke --rounding stochastic_a";
  expect("run --dut rtl --vectors " + gen("--suite smoke", "plain.tv"), 0, "PASS ");
  expect("run --dut rtl --vectors " + gen(drawn, "random.tv"), 2, "with 8 random bits");
  expect("run --dut rtl --vectors " + gen(drawn + " --random-bits 8", "random8.tv"), 0, "PASS ");
}

TEST_F(RunProgram, BadInputIsThree) {
  expect("run --dut reference --vectors " + file("missing.tv"), 3, "missing.tv");
  expect("run --dut reference --input " + file("missing.npy"), 3, "missing.npy");
  expect("run --dut reference --only 99999999", 2, "--only 99999999: no blocks");
  expect("run --dut reference --shard 9999/10000", 2, "--shard 9999/10000: holds none");
  std::ofstream(file("empty.tv")).close();
  expect("run --dut reference --vectors " + file("empty.tv"), 3, "empty.tv");
}

TEST_F(RunProgram, FlippedGoldenBitIsThree) {
  const std::string path = gen("--suite smoke", "smoke.tv");
  expect("run --dut reference --vectors " + path, 0, "PASS ");
  std::string text = read(path);
  // The last digit of the first record's codes: an answer, so only the digest can tell.
  const std::size_t record = text.find("\n0") + 1;
  char& digit = text[text.find('\n', record) - 4];
  digit = digit == '0' ? '1' : '0';
  std::ofstream(path, std::ios::binary) << text;
  expect("run --dut reference --vectors " + path, 3, "smoke.tv");
}

TEST_F(RunProgram, VectorsComeThroughAPipeToo) {
  const ProgramEnd outcome =
      mxgold("run --dut reference --vectors -", MXGOLD " gen --suite smoke -o - 2>/dev/null | ");
  EXPECT_EQ(outcome.exit, 0) << outcome.tail();
}

// Of every operation, and of blocks that are on no streams: what a file says, a pipe says.
TEST_F(RunProgram, VectorsOfEveryOperationAreReadFromFileAndPipe) {
  for (const std::string options :
       {"--op cvt", "--op dot --lanes 8", "--op arith", "--op dequantize",
        "--op mma --unit h100_f16", "--op block --format nvfp4 --tensor-amax 2688",
        "--op block --format tt_bfp4a --block-size 32",
        "--op block --format tt_bfp8a --block-size 32", "--op block --format mxfp8_e4m3"}) {
    const std::string path = file("every.tv");
    const std::string made =
        fmt::format("gen {} --suite rnd --count 20 --no-manifest -o {}", options, path);
    ASSERT_EQ(mxgold(made).exit, 0);
    const ProgramEnd from_file = mxgold("run --dut reference --vectors " + path);
    EXPECT_EQ(from_file.exit, 0) << options << from_file.tail();
    const ProgramEnd from_pipe =
        mxgold("run --dut reference --vectors -", fmt::format("cat {} | ", path));
    EXPECT_EQ(from_pipe.exit, 0) << options << from_pipe.tail();
  }
}

TEST_F(RunProgram, DeviceFailuresAreFour) {
  expect("run --dut process:'exit 1'" + kOne, 4, "FAIL protocol");
  expect("run --dut process:'yes' --time-out 1" + kOne, 4, "FAIL protocol");
  expect("run --dut reference:hang" + kOne, 4, "watchdog");
  expect("run --dut reference:hang --json" + kOne, 4, "\"exit_code\": 4");
}

TEST_F(RunProgram, UnsupportedVectorsAreTwo) {
  const std::string path = gen("--suite smoke --rule nearest_log", "nearest_log.tv");
  expect("run --dut cuda-host --vectors " + path, 2, "does not do configuration");
}

TEST_F(RunProgram, TensorsRunUnderAllFormats) {
  const std::string input = " --log - --input " + tensor_file();
  expect("run --dut reference" + input, 0, "PASS 36/36 blocks, 720 elements");
  expect("run --dut reference --all-modes" + input, 0, "PASS 1,152/1,152 blocks, 23,040 elements");
  expect("run --dut reference:keep_ignored" + input, 0, "PASS");
}

TEST_F(RunProgram, ReportsAreWritten) {
  const std::string path = file("report.xml");
  expect("run --dut reference --junit " + path + kOne, 0, "PASS ");
  EXPECT_TRUE(std::filesystem::exists(path));
  expect("run --dut reference --junit " + file("no/such/folder.xml") + kOne, 3,
         "choose an output that can be written");
  const ProgramEnd json = mxgold("run --dut reference --json" + kOne + " 2>/dev/null; true");
  EXPECT_NE(json.text.find("\"verdict\": \"PASS\""), std::string::npos);
}

TEST_F(RunProgram, NoControlCharactersInAPipe) {
  EXPECT_EQ(mxgold("run --dut reference" + kOne).text.find('\r'), std::string::npos);
}

}  // namespace
}  // namespace mx::sim::test
