// A run that a signal ends: its device is gone, nothing is left behind, and what was done is told.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "tests/sim/program.hpp"

namespace mx::sim::test {
namespace {

using namespace std::chrono_literals;

class RunSignal : public ProgramTest {
 protected:
  /// Starts `mxgold run` with a device that answers five records and hangs, sends the signal once
  /// the device has said that it did, and collects the program. The device tells its number.
  ProgramEnd interrupt(int signal, const std::string& options, bool over_fifos) {
    const std::string path = gen("--format mxfp4 --source bf16 --rounding ties_to_even");
    const std::string answers =
        std::string(MX_PYTHON) + " " MX_ANSWERS " " + path +
        (over_fifos ? " < $MXGOLD_IN | head -n 5 > $MXGOLD_OUT" : " | head -n 5");
    const std::string device =
        "process:" + answers + "; sleep 1000 & echo $! > " + file("device") + "; wait";
    const std::string command = "TMPDIR=" + file("tmp") + " exec " + MXGOLD + " run --dut '" +
                                device + "' --vectors " + path + " " + options + " > " +
                                file("text") + " 2>&1";
    std::filesystem::create_directories(file("tmp"));
    const pid_t program = fork();
    if (program == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(99);
    }
    for (int i = 0; i < 6000 && read(file("device")).empty(); ++i)
      std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(500ms);
    kill(program, signal);
    int status = 0;
    waitpid(program, &status, 0);
    ProgramEnd end;
    end.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    end.text = read(file("text"));
    return end;
  }
  /// Is the process that the device started gone?
  [[nodiscard]] bool device_is_gone() const {
    const std::string text = read(file("device"));
    const std::string path = "/proc/" + text.substr(0, text.find('\n')) + "/stat";
    std::string state;
    for (int i = 0; i < 1000 && state != "gone" && state != "Z"; ++i) {
      std::this_thread::sleep_for(10ms);  // killed, and soon dead
      state = "gone";
      std::string number, name;
      std::ifstream(path) >> number >> name >> state;
    }
    return state == "gone" || state == "Z";
  }
};

TEST_F(RunSignal, TellsWhatWasDoneAndLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM}) {
    for (const bool over_fifos : {false, true}) {
      std::filesystem::remove(file("device"));
      const ProgramEnd end = interrupt(
          signal, over_fifos ? "--pipe fifo --time-out 100" : "--time-out 100", over_fifos);
      EXPECT_EQ(end.exit, 128 + signal) << end.tail();
      EXPECT_TRUE(end.says("INTERRUPTED by signal " + std::to_string(signal))) << end.tail();
      EXPECT_TRUE(end.says(": 5 of ")) << end.tail();
      EXPECT_FALSE(end.says("PASS")) << end.tail();
      EXPECT_TRUE(device_is_gone());
      EXPECT_TRUE(std::filesystem::is_empty(file("tmp")));
    }
  }
}

TEST_F(RunSignal, ReportsSayThatTheRunIsNotWhole) {
  const ProgramEnd end = interrupt(SIGINT, "--json --time-out 100 --junit " + file("r.xml"), false);
  EXPECT_EQ(end.exit, 128 + SIGINT) << end.tail();
  EXPECT_TRUE(end.says("\"verdict\": \"INTERRUPTED\"")) << end.tail();
  EXPECT_NE(read(file("r.xml")).find("INTERRUPTED"), std::string::npos);
  EXPECT_TRUE(device_is_gone());
}

// A device with a clock ends between two segments.
TEST_F(RunSignal, StreamsTellWhatWasDone) {
  const std::string command = std::string("exec ") + MXGOLD +
                              " run --dut reference --suite full --threads 1 --json --junit " +
                              file("r.xml") + " > " + file("text") + " 2>&1";
  const pid_t program = fork();
  if (program == 0) {
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(99);
  }
  for (int i = 0; i < 6000 && read(file("text")).find("run: ") == std::string::npos; ++i)
    std::this_thread::sleep_for(10ms);
  std::this_thread::sleep_for(500ms);
  kill(program, SIGINT);
  int status = 0;
  waitpid(program, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
  const std::string text = read(file("text"));
  EXPECT_NE(text.find("INTERRUPTED by signal 2 (Interrupt): "), std::string::npos) << text;
  EXPECT_EQ(text.find(": 0 of "), std::string::npos) << text;
  EXPECT_NE(text.find("\"verdict\": \"INTERRUPTED\""), std::string::npos) << text;
  EXPECT_EQ(text.find("PASS"), std::string::npos) << text;
  EXPECT_NE(read(file("r.xml")).find("INTERRUPTED"), std::string::npos);
}

}  // namespace
}  // namespace mx::sim::test
