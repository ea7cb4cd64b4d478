// A program as a device: the worked example passes, and whatever goes wrong is exit code 4.
#include "sim/dut/process.hpp"

#include <gtest/gtest.h>

#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

using namespace std::chrono_literals;

golden::VectorHeader mxfp4_header() {
  golden::VectorHeader header;
  header.source = formats::fp32;
  header.formats = {"e2m1fn"};
  header.roundings = {"ties_to_even"};
  header.rules = {"floor"};
  header.overflows = {"sat_finite"};
  return header;
}

const SuiteSource& mxfp4_suite() {
  static const SuiteSource source([] {
    SuiteOptions options = test::single_configuration(formats::e2m1fn);
    options.elements = 64;
    return options;
  }());
  return source;
}

// Patience is long where the program should answer, so that a busy machine is no failure.
RunResult run_process(const std::string& command, std::uint64_t blocks = 8,
                      RunOptions options = test::plain_options(),
                      std::chrono::milliseconds time_out = 60s) {
  ProcessOptions process{command, mxfp4_header(), time_out};
  options.last = blocks;
  options.segment_blocks = 1 << 20;
  return run(
      mxfp4_suite(), [process] { return std::make_unique<ProcessDut>(process); }, options);
}

const std::string kExample = std::string(MX_PYTHON) + " " + MX_EXAMPLE;

// Expects exit code 4 and the words in the message.
void expect_failure(const std::string& command, std::string_view words,
                    std::chrono::milliseconds time_out = 60s) {
  const RunResult result = run_process(command, 8, test::plain_options(), time_out);
  EXPECT_EQ(result.exit_code(), 4) << command;
  ASSERT_EQ(result.failures.size(), 1U);
  EXPECT_NE(result.failures[0].what.find(words), std::string::npos)
      << result.failures[0].what << " does not say: " << words;
}

TEST(ProcessDut, WorkedExamplePasses) {
  const RunResult result = run_process(kExample, ~std::uint64_t{0});
  EXPECT_EQ(result.exit_code(), 0) << (result.failures.empty() ? "" : result.failures[0].what);
  EXPECT_EQ(result.checked(), mxfp4_suite().size());
}

TEST(ProcessDut, SurvivesStallsAndRestarts) {
  RunOptions options;
  options.schedule.stall = Stall::kRandom;
  options.schedule.reset = ResetPlan::parse("20,60");
  const RunResult result = run_process(kExample, 60, options);
  EXPECT_EQ(result.exit_code(), 0);
  EXPECT_EQ(result.drive.resets, 2U);
}

// All answers at the end, after the input has ended: legal, and must not block.
TEST(ProcessDut, MayAnswerAtTheEnd) {
  EXPECT_EQ(run_process(kExample + " | tac | tac", ~std::uint64_t{0}).exit_code(), 0);
}

TEST(ProcessDut, WrongBitsAreAMismatch) {
  const RunResult bits = run_process(kExample + " | sed -u 's/ 01/ 02/g'", 200);
  EXPECT_EQ(bits.exit_code(), 1);
}

TEST(ProcessDut, ReorderedAnswersAreAProtocolError) {
  // Lines 20 and 21 change places.
  const RunResult result = run_process(kExample + " | sed -u '20{h;d};21G'", 60);
  EXPECT_EQ(result.exit_code(), 4);
}

TEST(ProcessDut, DeathIsCaught) {
  expect_failure("exit 3", "died with exit status 3 after 0 of 8 answers");
  expect_failure("kill -9 $$", "signal 9");
  expect_failure("head -c 2000 > /dev/null; exit 7", "exit status 7");
  expect_failure(kExample + " | head -n 5", "after 5 of 8 answers");
}

TEST(ProcessDut, MissingProgramIsCaught) {
  expect_failure("/no/such/program 2>/dev/null", "died with exit status 127");
}

TEST(ProcessDut, GarbageIsCaught) {
  expect_failure("echo hello world; cat > /dev/null", "answer");
  expect_failure(kExample + " | sed -u '3s/.*/zz/'", "answer line 3 'zz'");
  expect_failure(kExample + " | sed -u '4s/ ..$//'", "answer line 4");
  expect_failure(kExample + " | sed -u '4s/$/ 00/'", "answer line 4");
  expect_failure(kExample + " | sed -u 's/$/\\r/'", "answer line 1");
  expect_failure("head -c 100000 /dev/zero; cat > /dev/null", "answer");
}

TEST(ProcessDut, TruncatedLastLineIsCaught) {
  expect_failure(kExample + " | head -c 300", "in the middle of a line");
}

TEST(ProcessDut, TooManyLinesAreCaught) {
  expect_failure(kExample + "; echo 7f", "more to say after the last answer");
  expect_failure("echo; " + kExample, "answer");
}

TEST(ProcessDut, SilenceIsCaught) {
  expect_failure("cat > /dev/null; sleep 60", "time-out", 1s);
  expect_failure("sleep 60", "time-out", 1s);
}

TEST(ProcessDut, HangingOnAfterTheLastAnswerIsCaught) {
  expect_failure(kExample + "; sleep 60", "time-out", 1s);
  expect_failure(kExample + "; exec >&-; sleep 60", "did not end", 5s);
}

TEST(ProcessDut, FailureStatusAtTheEndIsCaught) {
  expect_failure(kExample + "; exit 9", "then ended with exit status 9");
}

TEST(ProcessDut, OnlyAnnouncedConfigurationsAreSupported) {
  const ProcessDut dut({"true", mxfp4_header(), 1s});
  EXPECT_TRUE(dut.supports(4));
  EXPECT_FALSE(dut.supports(0));             // e4m3fn
  EXPECT_FALSE(dut.supports(4 | 1U << 7));   // ceil
  EXPECT_FALSE(dut.supports(4 | 1U << 10));  // bf16
}

}  // namespace
}  // namespace mx::sim
