// The command that a failure prints fails again by itself, with the same verdict: every fault of
// every kind of device.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pty.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
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
  std::istringstream text(end.text);
  for (std::string line; std::getline(text, line);) {
    constexpr std::string_view kProgram = "mxgold ";
    const std::size_t word = line.find("replay");
    const std::size_t at = word == std::string::npos ? word : line.find(kProgram, word);
    if (at != std::string::npos) lines.push_back(line.substr(at + kProgram.size()));
  }
  return lines;
}

/// A mismatch may be shown alone where the run also broke the protocol. What the failure shrank to
/// is one of the replays. Of several lines the first that fails is meant.
void expect_replays_fail(const std::vector<std::string>& lines, int exit) {
  const std::string file =
      testing::TempDir() + "mxgold_small_" + std::to_string(::getpid()) + ".json";
  ProgramEnd end;
  std::string command;
  for (const std::string& line : lines) {
    command = line;
    command.append(" --shrink ").append(file);
    end = mxgold(command);
    if (end.exit == exit) break;
  }
  EXPECT_TRUE(end.says("mxgold replay " + file)) << end.tail();
  EXPECT_TRUE(mxgold("replay " + file + " --trust").says(" words compared")) << file;
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
  std::filesystem::remove(file);
}

class StreamFault : public testing::TestWithParam<std::string> {};

TEST_P(StreamFault, EveryReplayFailsAgain) {
  const Fault* const fault = find_fault(GetParam());
  const int exit = fault->port == PortFault::kNone ? 1 : 4;
  // The mismatches that a run shows are its first ones: the start of the suite has them of nearly
  // every fault, the others need all of it.
  const std::string whole = "run --suite smoke --errors 2 --dut reference:" + GetParam();
  expect_replays_fail({whole + " --only 0:8192", whole}, exit);
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
    expect_replays_fail({std::string("run --errors 2 --dut reference:") + GetParam() + " " + set},
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
    expect_replays_fail({run(path, lie) + kSet}, 1);
  }
  for (const char* lie : {"drop", "extra"}) expect_replays_fail({run(path, lie) + kSet}, 4);
}

// Right alone, wrong after what came before: the replay has what came before.
TEST_F(ProcessReplay, ADeviceWithAMemoryIsShownWithIt) {
  const std::string path = gen(kSet);
  expect_replays_fail({run(path, "", " | sed -u '7,\\$s/^../55/'") + kSet}, 1);
  expect_replays_fail({run(path, "", " | sed -u '9d'") + kSet}, 4);
  expect_replays_fail({run(path, "", " | sed -u '9p'") + kSet}, 4);
  // Wrong only if there is more after it.
  expect_replays_fail({run(path, "", " | sed -u '20{\\$!s/^../55/}'") + kSet}, 1);
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

// A program that computes, wrong where a code is 7: one element is left of each block.
TEST_F(ProcessReplay, AFailureShrinksThroughAPipe) {
  const std::string file =
      testing::TempDir() + "mxgold_pipe_" + std::to_string(::getpid()) + ".json";
  const std::string device = " --dut \"process:" MXGOLD " answer - | sed -u 's/ 07/ 06/'\" ";
  const ProgramEnd end = mxgold("run --errors 1 --shrink " + file + device + kSet);
  EXPECT_EQ(end.exit, 1) << end.tail();
  EXPECT_TRUE(end.says(" -> 1 words that are not at rest")) << end.tail();
  EXPECT_TRUE(end.says("no further step fails")) << end.tail();
  const ProgramEnd again = mxgold("replay " + file + " --trust");
  EXPECT_EQ(again.exit, 1) << again.tail();
  EXPECT_TRUE(again.says("FAIL replay of")) << again.tail();
  // The mended device.
  const ProgramEnd right = mxgold("replay " + file + " --dut \"process:" MXGOLD " answer -\"");
  EXPECT_EQ(right.exit, 0) << right.tail();
  EXPECT_TRUE(right.says("PASS replay of")) << right.tail();
  expect("replay " + file + " --dut nosuch", 2, "nosuch");
  expect("replay " + file + " --dut rtl", 2, "rtl");
  expect("replay " + file + ".none", 3, "cannot open");
  std::filesystem::remove(file);
}

/// Runs a command of the shell on a terminal of its own, and types there.
ProgramEnd on_a_terminal(const std::string& command, const std::string& typed) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ProgramEnd end;
  if (::write(terminal, typed.data(), typed.size()) < 0) return end;
  std::array<char, 4096> buffer;
  for (ssize_t n = 0; (n = ::read(terminal, buffer.data(), buffer.size())) > 0;) {
    end.text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  end.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

/// A failure of an operation, whose file then names another device.
class TrustedReplay : public testing::Test {
 protected:
  void SetUp() override {
    name_ = testing::TempDir() + "mxgold_trust_" + std::to_string(::getpid()) + ".json";
    mark_ = name_ + ".mark";
    ASSERT_EQ(mxgold("run --dut reference:record_code --op cvt --format e4m3fn --source bf16 "
                     "--errors 0 --shrink " +
                     name_)
                  .exit,
              1);
    std::ifstream file(name_);
    text_.assign(std::istreambuf_iterator<char>(file), {});
    command_ = "touch " + mark_ + "; " + MXGOLD " answer -";
  }
  void TearDown() override {
    std::filesystem::remove(name_);
    std::filesystem::remove(mark_);
  }

  /// The file with another device, of which every character stands as \u00XX.
  void name_device(const std::string& device) {
    std::string text = text_;
    const std::size_t at = text.find("reference:record_code");
    ASSERT_NE(at, std::string::npos);
    std::string coded;
    for (const char c : device) coded += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    std::ofstream(name_) << text.replace(at, std::string_view("reference:record_code").size(),
                                         coded);
  }
  /// Was the command run? It starts anew.
  [[nodiscard]] bool was_executed() { return std::filesystem::remove(mark_); }

  std::string name_, mark_, text_, command_;
};

TEST_F(TrustedReplay, ExecutesNothingThatWasNotTyped) {
  name_device("process:" + command_);
  const std::string what = "makes this program execute the command '" + command_ + "'";
  for (const std::string stream : {"", " < /dev/null", " < /dev/zero"}) {
    expect("replay " + name_ + stream, 2, what);
    expect("replay " + name_ + stream, 2, "if you trust it: mxgold replay " + name_ + " --trust");
    expect("replay - --time-limit 5 < " + name_, 2, "mxgold replay - --trust");
    EXPECT_FALSE(was_executed());
  }
  expect("replay " + name_ + " --trust", 0, what);
  EXPECT_TRUE(was_executed());
  expect("replay " + name_ + " --dut reference:record_code", 1, "FAIL");
  EXPECT_FALSE(was_executed());
  expect("replay " + name_ + " --dut \"process:" + command_ + "\"", 0, "PASS");
  EXPECT_TRUE(was_executed());
}

TEST_F(TrustedReplay, AsksOnATerminal) {
  name_device("process:" + command_);
  const std::string replay = MXGOLD " replay " + name_;
  for (const std::string no : {"n\n", "\n", "nyes\n", "\x04"}) {
    const ProgramEnd end = on_a_terminal(replay, no);
    EXPECT_EQ(end.exit, 2) << end.tail();
    EXPECT_TRUE(end.says("Execute it? [y/N]")) << end.tail();
    EXPECT_FALSE(was_executed());
  }
  const ProgramEnd end = on_a_terminal(replay, "y\n");
  EXPECT_EQ(end.exit, 0) << end.tail();
  EXPECT_TRUE(end.says("execute the command 'touch ")) << end.tail();
  EXPECT_TRUE(was_executed());
  // One stream that is no terminal: nobody there to ask.
  for (const char* const elsewhere : {" 2>/dev/null", " </dev/null"}) {
    EXPECT_EQ(on_a_terminal(replay + elsewhere, "y\n").exit, 2) << elsewhere;
    EXPECT_FALSE(was_executed());
  }
}

TEST_F(TrustedReplay, SaysTheWholeOfEachKind) {
  struct Named {
    std::string device, says;
  };
  const std::string long_name = std::string(5000, 'x') + "; rm -rf /";
  for (const auto& [device, says] :
       {Named{"plugin:./p.so:a", "the shared library './p.so:a'"},
        Named{"device:d.json", "the Verilog that 'd.json' names, compiled"},
        Named{"rtl:./rtl", "the Verilog in the folder './rtl', compiled"},
        Named{"process:" + long_name, "the command '" + long_name + "'"},
        // Nothing that a terminal would take for more than letters.
        Named{"process:a\x1b[2Kb\rc\nd\x7f", "the command 'a\\x1B[2Kb\\x0Dc\\x0Ad\\x7F'"}}) {
    name_device(device);
    expect("replay " + name_, 2, "execute " + says + ", which you did not type");
  }
  // What the program brings itself needs nothing.
  for (const char* const device : {"reference", "reference:record_code"}) {
    name_device(device);
    EXPECT_NE(mxgold("replay " + name_).exit, 2) << device;
  }
  name_device("nosuch:x");
  expect("replay " + name_, 2, "unknown device");
}

// The RTL passes what broke the reference with a fault.
TEST(StreamReplay, AnotherDeviceMayPass) {
  const std::string file =
      testing::TempDir() + "mxgold_rtl_" + std::to_string(::getpid()) + ".json";
  EXPECT_EQ(mxgold("run --suite smoke --compare strict --random-bits 8 --dut "
                   "reference:sticky_cut_short --shrink " +
                   file)
                .exit,
            1);
  expect("replay " + file, 1, "FAIL replay of");
  expect("replay " + file + " --dut reference", 0, "PASS replay of");
  expect("replay " + file + " --dut 'process:true'", 2, "blocks on streams");
  // A fault of records is none of a device with a clock, which would be right without it.
  expect("replay " + file + " --dut reference:record_code", 2, "blocks on streams");
  expect("replay " + file + " --dut reference:nosuch", 2, "nosuch");
  expect("replay " + file + " --time-limit -1", 2, "--time-limit");
  expect("replay " + file + " --time-limit 59.5", 1, "FAIL replay of");
  const ProgramEnd rtl = mxgold("replay " + file + " --dut rtl");
  EXPECT_TRUE(rtl.exit == 0 || rtl.says("this build has none")) << rtl.tail();
  std::filesystem::remove(file);
  // Nothing failed, nothing is written.
  expect("run --suite smoke --dut reference --shrink " + file, 0,
         "nothing failed, no file written");
  EXPECT_FALSE(std::filesystem::exists(file));
}

// A file that cannot be written is known before the run; on standard output it stands alone.
TEST(ShrunkFile, GoesWhereItWasAskedToOrNowhere) {
  const std::string run = "run --suite smoke --dut reference:sticky_cut_short --errors 1 ";
  expect(run + "--shrink /nosuch/folder/x.json", 3, "/nosuch/folder");
  EXPECT_FALSE(mxgold(run + "--shrink /nosuch/folder/x.json").says("FAIL"));
  expect(run + "--shrink x.txt", 2, ".json");
  EXPECT_EQ(mxgold(run + "--shrink /dev/full").exit, 3);
  const std::string file =
      testing::TempDir() + "mxgold_out_" + std::to_string(::getpid()) + ".json";
  EXPECT_EQ(std::system((MXGOLD " " + run + "--shrink - 2>/dev/null > " + file).c_str()) >> 8, 1);
  expect("replay " + file, 1, "FAIL replay of");
  EXPECT_EQ(mxgold("replay - < " + file).exit, 1);
  // However few mismatches are shown.
  for (const char* device : {"sticky_cut_short", "record_code --op cvt --format e4m3fn"}) {
    const ProgramEnd none =
        mxgold("run --errors 0 --dut reference:" + std::string(device) + " --shrink " + file);
    EXPECT_TRUE(none.says("replay: mxgold replay") && none.says("causes of")) << none.tail();
    EXPECT_FALSE(none.says("(0 more")) << none.tail();
  }
  std::filesystem::remove(file);
}

// A waived deviation is not what a failure shrinks to, whatever the numbers of configurations.
TEST_F(ProcessReplay, WaivedWordsAreNoFailure) {
  const std::string file =
      testing::TempDir() + "mxgold_waived_" + std::to_string(::getpid()) + ".json";
  const std::string waivers =
      testing::TempDir() + "mxgold_waivers_" + std::to_string(::getpid()) + ".json";
  std::ofstream(waivers) << R"({"schema": 1, "waivers": [{"id": "W", "reason": "r",
    "expires": "2999-01-01", "op": "block", "configuration": {"rounding": "toward_zero"},
    "fields": ["flags"]}]})";
  // Flags are wrong in every record; waived in the first configuration only.
  const ProgramEnd end =
      mxgold("run --errors 1 --shrink " + file + " --waivers " + waivers +
             " --format mxfp4 --rounding toward_zero,ties_to_even --dut \"process:" MXGOLD
             " answer - | sed -u 's/ ..$/ 3f/'\"");
  EXPECT_EQ(end.exit, 1) << end.tail();
  EXPECT_TRUE(end.says("\n  replay: mxgold replay " + file)) << end.tail();
  const ProgramEnd again = mxgold("replay " + file + " --trust");
  EXPECT_EQ(again.exit, 1) << again.tail();
  EXPECT_TRUE(again.says("ties_to_even")) << again.tail();
  std::filesystem::remove(file);
  std::filesystem::remove(waivers);
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
