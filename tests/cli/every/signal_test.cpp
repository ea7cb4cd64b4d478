// A program that a signal ends leaves no unfinished file, on file systems with and without unnamed
// files.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "tests/cli/every/every_command.hpp"

namespace mx::cli::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

enum class Files { kUnnamed, kNamed };

/// Starts `mxgold ARGUMENTS...`, quiet, with a signal ignored unless it is 0.
pid_t start(const std::vector<std::string>& arguments, Files files, int ignored) {
  std::vector<std::string> texts = {"mxgold"};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (ignored != 0) std::signal(ignored, SIG_IGN);
  ::setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
  if (files == Files::kNamed) ::setenv("LD_PRELOAD", MX_NO_UNNAMED_FILES, 1);
  if (std::freopen("/dev/null", "w", stderr) == nullptr) ::_exit(126);
  ::execv(MX_PROGRAM, argv.data());
  ::_exit(127);
}

/// The files of a folder that the program is given to write into.
std::size_t count_files(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Waits until the program writes: until its file can be seen, or for a while where it has no name.
bool wait_for_work(const std::string& folder, Files files, pid_t child) {
  for (int i = 0; i < 500; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    if (::waitpid(child, nullptr, WNOHANG) != 0) return false;  // ended by itself: too early
    if (files == Files::kUnnamed ? i >= 10 : count_files(folder) > 0) return true;
  }
  return false;
}

int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

/// Command lines that write for longer than it takes to interrupt them.
std::vector<std::vector<std::string>> long_commands(const Scratch& scratch,
                                                    const std::string& folder) {
  const std::string big = scratch.write("big.npy", npy_array("<f4", "(1000000000,)", ""));
  fs::resize_file(big, fs::file_size(big) + 4'000'000'000U);
  return {{"gen", "--suite", "rnd", "--format", "mxfp4", "--count", "1000000000", "-o",
           folder + "/x.tv"},
          {"quantize", big, "-o", folder + "/x.safetensors", "--format", "mxfp4"}};
}

TEST(Signal, LeavesNothingBehind) {
  const Scratch scratch;
  const std::string folder = scratch.path("folder");
  fs::create_directory(folder);
  for (const std::vector<std::string>& arguments : long_commands(scratch, folder)) {
    for (const Files files : {Files::kUnnamed, Files::kNamed}) {
      for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        const pid_t child = start(arguments, files, 0);
        EXPECT_TRUE(wait_for_work(folder, files, child)) << arguments.front();
        ::kill(child, signal);
        EXPECT_EQ(end_of(child), signal) << arguments.front();
        EXPECT_EQ(count_files(folder), 0U) << arguments.front() << " " << signal;
      }
    }
  }
}

TEST(Signal, WhatIsIgnoredStaysIgnored) {
  const Scratch scratch;
  const std::string folder = scratch.path("folder");
  fs::create_directory(folder);
  const pid_t child = start(long_commands(scratch, folder).front(), Files::kNamed, SIGHUP);
  ASSERT_TRUE(wait_for_work(folder, Files::kNamed, child));
  ::kill(child, SIGHUP);
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "ended by an ignored signal";
  ::kill(child, SIGTERM);
  EXPECT_EQ(end_of(child), SIGTERM);
  EXPECT_EQ(count_files(folder), 0U);
}

// The control of both: a signal that no program can answer does leave the file.
TEST(Signal, AKilledProgramIsSeenToLeaveItsNamedFile) {
  const Scratch scratch;
  const std::string folder = scratch.path("folder");
  fs::create_directory(folder);
  const pid_t child = start(long_commands(scratch, folder).front(), Files::kNamed, 0);
  ASSERT_TRUE(wait_for_work(folder, Files::kNamed, child));
  ::kill(child, SIGKILL);
  EXPECT_EQ(end_of(child), SIGKILL);
  EXPECT_EQ(count_files(folder), 1U);
}

}  // namespace
}  // namespace mx::cli::test
