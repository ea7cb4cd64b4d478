// A program as a device: the worked example passes, and whatever goes wrong is exit code 4.
#include "sim/process/process.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "golden/bytes/host_error.hpp"
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

RecordRun run_process(const ProcessOptions& options, std::uint64_t records = 8) {
  ProcessDevice device(options);
  const golden::VectorHeader header = mxfp4_header(records);
  return run_records(header, test::suite_input(header), device, test::one_thread());
}

RecordRun run_process(const std::string& command, std::uint64_t records = 8,
                      std::chrono::milliseconds time_out = 60s) {
  return run_process(command, mxfp4_header(records), time_out);
}

const std::string kExample = std::string(MX_PYTHON) + " " + MX_EXAMPLE;

// Expects exit code 4 and the words in the message.
void expect_failure(const ProcessOptions& options, std::string_view words) {
  const RecordRun result = run_process(options);
  EXPECT_EQ(result.exit_code(), 4) << options.command;
  EXPECT_NE(result.protocol().find(words), std::string::npos)
      << result.protocol() << " does not say: " << words;
  EXPECT_TRUE(result.digest.empty());
}

void expect_failure(const std::string& command, std::string_view words,
                    std::chrono::milliseconds time_out = 60s) {
  expect_failure({command, time_out}, words);
}

ProcessOptions with_prefix(const std::string& command) {
  ProcessOptions options{command, 60s};
  options.answer_prefix = "MX ";
  return options;
}

ProcessOptions over_fifos(const std::string& command, std::chrono::milliseconds time_out = 60s) {
  ProcessOptions options{command, time_out};
  options.channel = Channel::kFifo;
  return options;
}

/// A folder for temporary files, which has to be empty again at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(testing::TempDir() + "mx_fifos_" + std::to_string(getpid())) {
    std::filesystem::create_directories(path_);
    setenv("TMPDIR", path_.c_str(), 1);
  }
  ~TemporaryFolder() {
    EXPECT_TRUE(std::filesystem::is_empty(path_));
    std::filesystem::remove_all(path_);
    unsetenv("TMPDIR");
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

 private:
  std::string path_;
};

TEST(ProcessDevice, WorkedExamplePasses) {
  for (const golden::Lengths lengths : {golden::Lengths::kFull, golden::Lengths::kVary}) {
    const golden::VectorHeader header = mxfp4_header(~std::uint64_t{0}, lengths);
    const RecordRun result = run_process(kExample, header);
    EXPECT_EQ(result.exit_code(), 0) << result.protocol();
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
  EXPECT_EQ(bits.protocol(), "");
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
      ASSERT_EQ(result.protocol(), "") << lie;
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
  expect_failure("/no/such/program", "died with exit status 127 (command not found)");
  expect_failure("/etc/passwd", "died with exit status 126 (not executable)");
  expect_failure("exit 125", "died with exit status 125 after");
}

TEST(ProcessDevice, GarbageIsCaught) {
  expect_failure("echo hello world; cat > /dev/null", "answer");
  expect_failure(kExample + " | sed -u '3s/.*/zz/'", "answer line 3 'zz'");
  expect_failure(kExample + " | sed -u '4s/ ..$//'", "answer line 4");
  expect_failure(kExample + " | sed -u '4s/$/ 00/'", "answer line 4");
  expect_failure(kExample + " | sed -u 's/$/\\r/'", "answer line 1");
  expect_failure("head -c 100000 /dev/zero; cat > /dev/null", "answer");
}

// What a simulator prints of bits that it does not know; a banner that begins so is talk.
TEST(ProcessDevice, UnknownBitsAreNamed) {
  expect_failure(kExample + " | sed -u '3s/^../xx/'",
                 "column 1, field scale: 'xx': unknown bits (X or Z)");
  expect_failure(kExample + " | sed -u '3s/ .\\(.\\)/ X\\1/'", "field code[0]: 'X");
  expect_failure(kExample + " | sed -u '3s/..$/0z/'", "field flags: '0z': unknown bits (X or Z)");
  const RecordRun unknown = run_process(kExample + " | sed -u '3s/^../xx/'");
  EXPECT_EQ(unknown.protocol().find("--answer-prefix"), std::string::npos) << unknown.protocol();
  expect_failure("echo 'xsim 1.0'; cat > /dev/null", "needs --answer-prefix or --pipe fifo");
  expect_failure("echo 'x'; cat > /dev/null", "expected 2 hex digits");
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

TEST(ProcessDevice, LastWordsAreShown) {
  expect_failure("echo one >&2; printf 'two\\033' >&2; exit 3", "its last words: one | two?");
  expect_failure("seq 9 >&2; exit 3", "its last words: 6 | 7 | 8 | 9");
  EXPECT_EQ(run_process("exit 3").protocol().find("last words"), std::string::npos);
}

// A simulator talks: a banner, a line at $finish, between answers, without end.
TEST(ProcessDevice, AnswersWithAPrefixStandOut) {
  const std::string marked = kExample + " | sed -u 's/^/MX /'";
  const std::string talk = "echo 'Simulator 1.0'; " + marked + "; echo '- $finish'; printf bye";
  EXPECT_EQ(run_process(with_prefix(talk)).exit_code(), 0);
  EXPECT_EQ(run_process(with_prefix(marked + " | sed -u 'i noise'")).exit_code(), 0);
  expect_failure(talk, "answer line 1 'Simulator 1.0'");
  expect_failure(talk, "needs --answer-prefix or --pipe fifo");
  EXPECT_EQ(run_process(with_prefix(marked + " | sed -u 's/ 01/ 02/g'"), 200).exit_code(), 1);
  expect_failure(with_prefix(kExample), "ended after 0 of 8 answers");
  expect_failure(with_prefix(marked + " | sed -u '5s/^MX //'"), "ended after 7 of 8 answers");
  expect_failure(with_prefix(marked + " | sed -u '3s/MX ../MX zz/'"), "answer line 3");
  expect_failure(with_prefix(marked + "; echo 'MX 00'"), "more to say after the last answer");
  ProcessOptions chatter = with_prefix("while sleep 0.05; do echo still here; done");
  chatter.time_out = 1s;
  expect_failure(chatter, "time-out");
}

TEST(ProcessDevice, NamedPipesLeaveTheStreamsFree) {
  const TemporaryFolder folder;
  const std::string example = kExample + " < $MXGOLD_IN > $MXGOLD_OUT";
  const std::string talk = "echo 'Simulator 1.0'; " + example + "; echo '- $finish'";
  EXPECT_EQ(run_process(over_fifos(talk)).exit_code(), 0);
  EXPECT_EQ(run_process(over_fifos(talk), ~std::uint64_t{0}).exit_code(), 0);
  // Opened for every line, and the answers' side first.
  const std::string lines =
      kExample + " < $MXGOLD_IN | while read -r line; do echo \"$line\" > $MXGOLD_OUT; done";
  EXPECT_EQ(run_process(over_fifos(lines)).exit_code(), 0);
  EXPECT_EQ(
      run_process(over_fifos("exec 5> $MXGOLD_OUT; " + kExample + " < $MXGOLD_IN >&5")).exit_code(),
      0);
  EXPECT_EQ(
      run_process(over_fifos(kExample + " < $MXGOLD_IN | sed -u 's/ 01/ 02/g' > $MXGOLD_OUT"), 200)
          .exit_code(),
      1);
}

TEST(ProcessDevice, NamedPipesFailAsStreamsDo) {
  const TemporaryFolder folder;
  const std::string example = kExample + " < $MXGOLD_IN > $MXGOLD_OUT";
  expect_failure(over_fifos("exit 3"), "died with exit status 3 after 0 of 8 answers");
  expect_failure(over_fifos("echo hello"), "ended after 0 of 8 answers; its last words: hello");
  expect_failure(over_fifos(kExample + " < $MXGOLD_IN | head -n 5 > $MXGOLD_OUT"),
                 "after 5 of 8 answers");
  expect_failure(over_fifos(example + "; echo 7f > $MXGOLD_OUT"), "more to say");
  expect_failure(over_fifos("sleep 60", 1s), "time-out of the start");
  expect_failure(over_fifos("cat $MXGOLD_IN > /dev/null; sleep 60", 1s), "time-out");
  expect_failure(over_fifos(example + "; sleep 60", 2s), "time-out");
  expect_failure(over_fifos(example + "; exit 9"), "then ended with exit status 9");
}

TEST(ProcessDevice, TheStartHasPatienceOfItsOwn) {
  ProcessOptions slow{"sleep 4; " + kExample, 3s};
  EXPECT_EQ(run_process(slow).exit_code(), 4);
  slow.start_time_out = 60s;
  EXPECT_EQ(run_process(slow).exit_code(), 0);
  ProcessOptions silent{"sleep 60", 60s};
  silent.start_time_out = 1s;
  expect_failure(silent, "gave no first answer for 1000 ms (time-out of the start)");
}

// What a program leaves running ends with it.
TEST(ProcessDevice, LeavesNoOrphans) {
  const std::string path = testing::TempDir() + "mx_orphan_" + std::to_string(getpid());
  const std::string orphan = "sleep 1000 > /dev/null 2>&1 & echo $! > " + path + "; ";
  for (const std::string& command : {orphan + kExample, orphan + "exit 3", orphan + "sleep 60"}) {
    static_cast<void>(run_process({command, 2s}));
    std::string pid;
    std::ifstream(path) >> pid;
    std::string state;
    for (int i = 0; i < 1000 && state != "gone" && state != "Z"; ++i) {
      std::this_thread::sleep_for(10ms);  // killed, and soon dead
      state = "gone";
      std::string number, name;
      std::ifstream("/proc/" + pid + "/stat") >> number >> name >> state;
    }
    EXPECT_TRUE(state == "gone" || state == "Z") << command << ": " << state;
  }
  std::filesystem::remove(path);
}

// Answers out of step are told apart from wrong ones, and the place is named.
TEST(ProcessDevice, LostAndDoubledAnswersAreNamed) {
  const RecordRun lost = run_process(kExample + " | sed -u '21d'", 60);
  EXPECT_EQ(lost.exit_code(), 4);
  EXPECT_EQ(lost.verdict.vectors, 59U);
  EXPECT_NE(lost.shift.find("one answer was lost at record 20"), std::string::npos) << lost.shift;
  const RecordRun doubled = run_process(kExample + " | sed -u '21p'", 60);
  EXPECT_EQ(doubled.exit_code(), 4);
  EXPECT_NE(doubled.shift.find("the answer to record 20 was doubled"), std::string::npos)
      << doubled.shift;
  // Wrong answers that are nobody's, and right ones, are in step.
  EXPECT_EQ(run_process(kExample + " | sed -u 's/ ..$/ 3f/'", 60).shift, "");
  EXPECT_EQ(run_process(kExample + " | sed -u '20{h;d};21G'", 60).shift, "");
  EXPECT_EQ(run_process(kExample, 60).shift, "");
}

/// A file with the right answers to the records of run_process(), of an earlier run.
class OldAnswers {
 public:
  OldAnswers() : path_(testing::TempDir() + "mx_old_" + std::to_string(getpid())) {
    EXPECT_EQ(run_process(kExample + " | tee " + path_).exit_code(), 0);
  }
  ~OldAnswers() { std::filesystem::remove(path_); }
  OldAnswers(const OldAnswers&) = delete;
  OldAnswers& operator=(const OldAnswers&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Right answers of somebody who did not read the question.
TEST(ProcessDevice, AnswersToUnreadQuestionsAreCaught) {
  const TemporaryFolder folder;
  const OldAnswers old;
  const std::string words = "answers before it was asked: '";
  const std::string say = "cat " + old.path();
  expect_failure(say, words);
  expect_failure(say, "' (the question is still unread)");
  expect_failure("exec <&-; " + say, words);
  expect_failure("exec < /dev/null; " + say, words);
  expect_failure(say + " < " + old.path(), words);
  expect_failure("sleep 0.2; " + say, words);
  expect_failure("cat < /dev/null | sh -c '" + say + "'", words);
  expect_failure("dd bs=1 count=50 of=/dev/null 2>&1 | cat > /dev/null; " + say, words);
  // The first three answered, the others not asked for.
  expect_failure(
      "(while read -r line; do echo \"$line\"; case $line in \\#*) ;; *) n=x$n ;; esac; "
      "test \"$n\" = xxx && break; done) | " +
          kExample + "; tail -n 5 " + old.path(),
      words);
  expect_failure(with_prefix("sed 's/^/MX /' " + old.path()), words);
  expect_failure(over_fifos(say + " > $MXGOLD_OUT"), words);
  expect_failure(over_fifos("exec 5< $MXGOLD_IN; " + say + " > $MXGOLD_OUT"), words);
}

// Whoever reads, when, and in whatever pieces: the question was taken before the answer came.
TEST(ProcessDevice, QuestionsMayBeReadByAnybodyInAnyPieces) {
  const TemporaryFolder folder;
  const std::string by_bytes = "while IFS= read -r line; do printf '%s\\n' \"$line\"; done | ";
  for (const std::string& before : {std::string("cat | "), std::string("sleep 0.3; "), by_bytes,
                                    std::string("dd bs=1M iflag=fullblock 2> /dev/null | "),
                                    std::string("dd bs=1 status=none | ")}) {
    EXPECT_EQ(run_process(before + kExample).exit_code(), 0) << before;
    EXPECT_EQ(run_process("sh -c \"cat | " + kExample + "\"", 200).exit_code(), 0);
  }
  EXPECT_EQ(run_process(over_fifos("cat $MXGOLD_IN | " + kExample + " > $MXGOLD_OUT")).exit_code(),
            0);
  EXPECT_EQ(run_process(with_prefix(by_bytes + kExample + " | sed -u 's/^/MX /'")).exit_code(), 0);
}

// What this machine lacks is no verdict on the program.
TEST(ProcessDevice, AWantOfTheMachineIsNoVerdict) {
  rlimit files{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
  rlimit few = files;
  few.rlim_cur = static_cast<rlim_t>(::dup(0)) + 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_THROW(run_process(kExample), golden::HostError);
  EXPECT_THROW(run_process(over_fifos(kExample)), golden::HostError);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  setenv("TMPDIR", "/no/such/folder", 1);
  EXPECT_THROW(run_process(over_fifos(kExample)), golden::HostError);
  unsetenv("TMPDIR");
  EXPECT_EQ(run_process(kExample).exit_code(), 0);
}

TEST(ProcessDevice, AKilledParentLeavesNothingRunning) {
  const std::string path = testing::TempDir() + "mx_left_" + std::to_string(getpid());
  const pid_t parent = fork();
  if (parent == 0) {
    const Child child("echo $$ > " + path + "; exec sleep 1000");
    for (;;) pause();
  }
  std::string number, rest;
  for (int i = 0; i < 1000 && number.empty(); ++i) {
    std::this_thread::sleep_for(10ms);
    std::ifstream(path) >> number;
  }
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  std::string state;
  for (int i = 0; i < 1000 && state != "gone" && state != "Z"; ++i) {
    std::this_thread::sleep_for(10ms);
    state = "gone";
    std::ifstream("/proc/" + number + "/stat") >> number >> rest >> state;
  }
  EXPECT_TRUE(state == "gone" || state == "Z") << state;
  std::filesystem::remove(path);
}

TEST(ProcessDevice, FailureStatusAtTheEndIsCaught) {
  expect_failure(kExample + "; exit 9", "then ended with exit status 9");
}

}  // namespace
}  // namespace mx::sim
