// A program as a device: the worked example passes, and whatever goes wrong is exit code 4.
#include "sim/record/process.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "golden/vectors/protocol.hpp"
#include "tests/sim/record_fixture.hpp"
#include "tests/sim/sim_fixture.hpp"

namespace mx::sim {
namespace {

using namespace std::chrono_literals;

/// FP32 to MXFP4 as the worked example does it.
golden::VectorHeader mxfp4_header(std::uint64_t records,
                                  golden::Lengths lengths = golden::Lengths::kFull) {
  const QuantizerConfig config{formats::fp32, *find_block_format("mxfp4"), {}, {}};
  golden::VectorHeader header = test::suite_header({{config, {}}}, kLanes, lengths);
  header.count = std::min(header.count, records);
  return header;
}

// Patience is long where the program should answer, so that a busy machine is no failure.
RecordRun run_process(const std::string& command, const golden::VectorHeader& header,
                      std::chrono::milliseconds time_out = 60s) {
  ProcessDevice device({command, time_out});
  return run_records(header, test::suite_input(header), device, test::one_thread());
}

RecordRun run_process(const std::string& command, std::uint64_t records = 8,
                      std::chrono::milliseconds time_out = 60s) {
  return run_process(command, mxfp4_header(records), time_out);
}

const std::string kExample = std::string(MX_PYTHON) + " " + MX_EXAMPLE;

// Expects exit code 4 and the words in the message.
void expect_failure(const std::string& command, std::string_view words,
                    std::chrono::milliseconds time_out = 60s) {
  const RecordRun result = run_process(command, 8, time_out);
  EXPECT_EQ(result.exit_code(), 4) << command;
  EXPECT_NE(result.protocol.find(words), std::string::npos)
      << result.protocol << " does not say: " << words;
  EXPECT_TRUE(result.digest.empty());
}

TEST(ProcessDevice, WorkedExamplePasses) {
  for (const golden::Lengths lengths : {golden::Lengths::kFull, golden::Lengths::kVary}) {
    const golden::VectorHeader header = mxfp4_header(~std::uint64_t{0}, lengths);
    const RecordRun result = run_process(kExample, header);
    EXPECT_EQ(result.exit_code(), 0) << result.protocol;
    EXPECT_EQ(result.verdict.vectors, header.count);
    EXPECT_EQ(result.digest.size(), 64U);
  }
}

// All answers at the end, after the input has ended: legal, and must not block.
TEST(ProcessDevice, MayAnswerAtTheEnd) {
  EXPECT_EQ(run_process(kExample + " | tac | tac", ~std::uint64_t{0}).exit_code(), 0);
}

TEST(ProcessDevice, WrongBitsAreAMismatch) {
  const RecordRun bits = run_process(kExample + " | sed -u 's/ 01/ 02/g'", 200);
  EXPECT_EQ(bits.exit_code(), 1);
  EXPECT_EQ(bits.protocol, "");
  EXPECT_FALSE(bits.mismatches.empty());
}

// Lines 20 and 21 change places: nothing but the bits tells.
TEST(ProcessDevice, ReorderedAnswersAreAMismatch) {
  EXPECT_EQ(run_process(kExample + " | sed -u '20{h;d};21G'", 60).exit_code(), 1);
}

// One wrong digit of the first, a middle and the last line: in the scale, the first and the last
// code, the flags.
TEST(ProcessDevice, LyingOnceIsAMismatch) {
  const std::uint64_t count = mxfp4_header(~std::uint64_t{0}).count;
  for (const std::uint64_t line : {std::uint64_t{1}, count / 2, count}) {
    for (const std::size_t column : {1U, 4U, 97U, 100U}) {
      const std::string lie = " | awk 'NR==" + std::to_string(line) + "{c=substr($0," +
                              std::to_string(column) + ",1); $0=substr($0,1," +
                              std::to_string(column - 1) + ") (c==\"0\"?\"1\":\"0\") substr($0," +
                              std::to_string(column + 1) + ")} {print}'";
      const RecordRun result = run_process(kExample + lie, ~std::uint64_t{0});
      ASSERT_EQ(result.protocol, "") << lie;
      // A wrong code under a NaN scale is none.
      if (result.mismatches.empty()) {
        const bool is_code = column == 4 || column == 97;
        EXPECT_TRUE(is_code && result.verdict.dont_care != 0) << lie;
        continue;
      }
      EXPECT_EQ(result.exit_code(), 1) << lie;
      EXPECT_EQ(result.verdict.mismatches, 1U) << lie;
      EXPECT_EQ(result.mismatches.front().number, line - 1) << lie;
    }
  }
}

// What is expected must not reach the device: header, operands, nothing else.
TEST(ProcessDevice, SeesOperandsOnly) {
  const std::string seen = testing::TempDir() + "mx_seen_" + std::to_string(getpid());
  const golden::VectorHeader header = mxfp4_header(8);
  EXPECT_EQ(run_process("tee " + seen + " | " + kExample, header).exit_code(), 0);
  std::ifstream in(seen);
  std::string text, line;
  std::size_t records = 0;
  golden::RecordBatch batch;
  test::suite_input(header).fill(0, 8, batch);
  golden::RecordLines lines(header.shape());
  while (std::getline(in, line)) {
    if (line.starts_with('#')) {
      text += line + '\n';
      continue;
    }
    ASSERT_LT(records, 8U);
    EXPECT_EQ(line, lines.operands(batch, records++));
  }
  EXPECT_EQ(records, 8U);
  EXPECT_EQ(text, golden::protocol_header(header));
  std::filesystem::remove(seen);
}

TEST(ProcessDevice, DeathIsCaught) {
  expect_failure("exit 3", "died with exit status 3 after 0 of 8 answers");
  expect_failure("kill -9 $$", "signal 9");
  expect_failure("head -c 2000 > /dev/null; exit 7", "exit status 7");
  expect_failure(kExample + " | head -n 5", "after 5 of 8 answers");
}

TEST(ProcessDevice, MissingProgramIsCaught) {
  expect_failure("/no/such/program 2>/dev/null", "died with exit status 127");
}

TEST(ProcessDevice, GarbageIsCaught) {
  expect_failure("echo hello world; cat > /dev/null", "answer");
  expect_failure(kExample + " | sed -u '3s/.*/zz/'", "answer line 3 'zz'");
  expect_failure(kExample + " | sed -u '4s/ ..$//'", "answer line 4");
  expect_failure(kExample + " | sed -u '4s/$/ 00/'", "answer line 4");
  expect_failure(kExample + " | sed -u 's/$/\\r/'", "answer line 1");
  expect_failure("head -c 100000 /dev/zero; cat > /dev/null", "answer");
}

TEST(ProcessDevice, TruncatedLastLineIsCaught) {
  expect_failure(kExample + " | head -c 300", "in the middle of a line");
}

TEST(ProcessDevice, TooManyLinesAreCaught) {
  expect_failure(kExample + "; echo 7f", "more to say after the last answer");
  expect_failure("echo; " + kExample, "answer");
}

TEST(ProcessDevice, SilenceIsCaught) {
  expect_failure("cat > /dev/null; sleep 60", "time-out", 1s);
  expect_failure("sleep 60", "time-out", 1s);
}

TEST(ProcessDevice, HangingOnAfterTheLastAnswerIsCaught) {
  expect_failure(kExample + "; sleep 60", "time-out", 1s);
  expect_failure(kExample + "; exec >&-; sleep 60", "did not end", 5s);
}

TEST(ProcessDevice, FailureStatusAtTheEndIsCaught) {
  expect_failure(kExample + "; exit 9", "then ended with exit status 9");
}

}  // namespace
}  // namespace mx::sim
