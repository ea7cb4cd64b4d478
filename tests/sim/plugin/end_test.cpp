// SPDX-License-Identifier: Apache-2.0
// What a plugin does to its process beside its device changes no verdict: at the end of the
// process, to its standard output, its folder, its signals, by threads and processes of its own.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

const std::string kRight = "run --time-out 1 --dut plugin:" MX_REFERENCE_PLUGIN;
const std::string kSet = ":cvt --op cvt --format e4m3fn --source bf16 --suite rnd --count 64 ";
const std::string kWrong = ":cvt,1,code --op cvt --format e4m3fn --source bf16 --errors 0 ";
const std::string kSmall =
    " --format e2m1fn --source bf16 --rounding ties_to_even --rule floor --errors 0 ";
const std::string kClocked = ":clocked" + kSmall;

/// The plugin does that, see reference_plugin.cpp.
std::string does(const std::string& what) { return "MX_PLUGIN_DOES=" + what + " "; }

class PluginEnd : public ProgramTest {};

TEST_F(PluginEnd, TheEndOfItsProcessChangesNoVerdict) {
  for (const std::string what : {"end:_exit", "end:hang", "end:abort", "end:segv", "end:exit"}) {
    const ProgramEnd wrong = mxgold(kRight + kWrong, does(what));
    EXPECT_EQ(wrong.exit, 1) << what << wrong.tail();
    EXPECT_TRUE(wrong.says("FAIL ")) << what << wrong.tail();
    const ProgramEnd right =
        mxgold(kRight + kSet + "--json --junit " + file("run.xml"), does(what));
    EXPECT_EQ(right.exit, 0) << what << right.tail();
    EXPECT_NE(read(file("run.xml")).find("</testsuite>"), std::string::npos) << what;
  }
  EXPECT_EQ(mxgold(kRight + kClocked, does("end:_exit")).exit, 0);
  EXPECT_EQ(mxgold(kRight + ":clocked,ties_to_away_for_even" + kSmall, does("end:_exit")).exit, 1);
}

TEST_F(PluginEnd, AnEndBeforeTheVerdictIsNone) {
  // A thread or a handler of its own ends the process with 0, or destroy() does.
  for (const std::string what : {"thread:_exit", "thread:exit", "handler", "destroy:_exit"}) {
    const ProgramEnd end = mxgold(kRight + kWrong, does(what));
    EXPECT_EQ(end.exit, 4) << what << end.tail();
  }
}

TEST_F(PluginEnd, AStoppedProcessIsAVerdict) {
  const ProgramEnd end = mxgold(kRight + kSet, does("answer:stop"));
  EXPECT_EQ(end.exit, 4) << end.tail();
  EXPECT_TRUE(
      end.says("was stopped by signal 19 (Stopped (signal)) and did not go on when asked "
               "for records 0 to "))
      << end.tail();
}

// What it left to the ends of threads is watched as a call is.
TEST_F(PluginEnd, AThreadThatDoesNotEndIsAVerdict) {
  const ProgramEnd end = mxgold(kRight + kClocked + "--threads 2 ", does("local:hang"));
  EXPECT_EQ(end.exit, 4) << end.tail();
  EXPECT_TRUE(end.says("at the end of a thread, a destructor() did not return in time"))
      << end.tail();
  EXPECT_EQ(mxgold(kRight + kClocked + "--threads 2 ", does("local:nothing")).exit, 0);
}

TEST_F(PluginEnd, AProcessOfItsOwnTellsNothing) {
  const ProgramEnd end = mxgold(kRight + kSet, does("fork"));
  EXPECT_EQ(end.exit, 4) << end.tail();
  EXPECT_TRUE(end.says("ended without a word (_exit)")) << end.tail();
}

TEST_F(PluginEnd, StandardOutputIsTheProgrammes) {
  EXPECT_EQ(mxgold(kRight + kSet, does("output:close")).exit, 3);
  const ProgramEnd lost = mxgold(kRight + kSet, does("output:replace"));
  EXPECT_EQ(lost.exit, 4) << lost.tail();
  EXPECT_TRUE(lost.says("a plugin closed or replaced standard output")) << lost.tail();
}

TEST_F(PluginEnd, ItsFolderIsNotTheReports) {
  const std::string folder = file("here"), other = file("there");
  std::filesystem::create_directories(folder);
  std::filesystem::create_directories(other);
  std::filesystem::copy(MX_REFERENCE_PLUGIN, folder + "/lib.so");
  const std::string before = "cd " + folder + "; MX_PLUGIN_FOLDER=" + other + " ";
  const std::string reports = " --cover c.json --junit j.xml --html h.html";
  for (const std::string& run : {kSet, kClocked}) {
    const ProgramEnd end =
        mxgold(std::string("run --dut plugin:lib.so").append(run).append(reports), before);
    EXPECT_EQ(end.exit, 0) << end.tail();
    for (const std::string name : {"/c.json", "/j.xml", "/h.html"}) {
      EXPECT_TRUE(std::filesystem::remove(folder + name)) << name << end.tail();
    }
  }
  const ProgramEnd wrong = mxgold("run --dut plugin:./lib.so" + kWrong + "--shrink s.json", before);
  EXPECT_EQ(wrong.exit, 1) << wrong.tail();
  const ProgramEnd again = mxgold("replay s.json --trust", before);
  EXPECT_EQ(again.exit, 1) << again.tail();
  std::filesystem::copy(tensor_file(), folder + "/t.npy");
  std::ofstream(folder + "/w.json") << R"({"schema": 1, "waivers": []})";
  const ProgramEnd inputs =
      mxgold("run --dut plugin:lib.so:clocked --input t.npy --waivers w.json", before);
  EXPECT_EQ(inputs.exit, 0) << inputs.tail();
  EXPECT_TRUE(std::filesystem::is_empty(other));
}

// Started with SIGCHLD ignored, nobody collects how a process ended.
TEST_F(PluginEnd, AnIgnoredSignalOfChildrenChangesNoVerdict) {
  EXPECT_EQ(mxgold(kRight + kWrong, "env --ignore-signal=CHLD ").exit, 1);
  EXPECT_EQ(mxgold(kRight + kSet, "env --ignore-signal=CHLD ").exit, 0);
}

TEST_F(PluginEnd, AReplayIsAVerdictToo) {
  const std::string small = file("small.json");
  EXPECT_EQ(mxgold(kRight + kWrong + "--shrink " + small).exit, 1);
  for (const std::string what : {"end:_exit", "end:abort"}) {
    EXPECT_EQ(mxgold("replay --trust " + small, does(what)).exit, 1) << what;
  }
  const ProgramEnd ended = mxgold("replay --trust " + small, does("answer:_exit"));
  EXPECT_EQ(ended.exit, 4) << ended.tail();
  EXPECT_TRUE(ended.says("the replay has no verdict")) << ended.tail();
}

TEST_F(PluginEnd, AFileThatIsNoneIsABadFile) {
  expect("run --dut plugin:" + file("."), 3, "is a folder");
  expect("run --dut plugin:/dev/null", 3, "is no regular file");
  ASSERT_EQ(::mkfifo(file("fifo").c_str(), 0600), 0);
  expect("run --dut plugin:" + file("fifo"), 3, "is no regular file");
  // Cut short where pages are missing that its headers name.
  const auto size = std::filesystem::file_size(MX_EXAMPLE_PLUGIN);
  for (const std::uintmax_t left :
       {size * 1 / 2, size / 4, std::uintmax_t{100}, std::uintmax_t{0}}) {
    std::filesystem::copy(MX_EXAMPLE_PLUGIN, file("cut.so"),
                          std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(file("cut.so"), left);
    const ProgramEnd end = mxgold("run --dut plugin:" + file("cut.so"));
    EXPECT_EQ(end.exit, 3) << left << end.tail();
  }
}

TEST_F(PluginEnd, APathThatNoReplayCanHoldIsRefusedBeforeTheRun) {
  const std::string path = file("lib\xff.so");
  std::filesystem::copy(MX_REFERENCE_PLUGIN, path);
  expect("run --dut plugin:" + path + kWrong + "--shrink " + file("s.json"), 2, "is no UTF-8");
  const ProgramEnd end = mxgold("run --dut plugin:" + path + kWrong);
  EXPECT_EQ(end.exit, 1) << end.tail();
}

}  // namespace
}  // namespace mx::sim::test
