#include "tests/cli/program/program.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "tests/cli/files/byte_builder.hpp"

namespace mx::cli::test {
namespace {

/// A descriptor that takes what is written, or does not.
int open_output(Stdout to, const std::string& file) {
  if (to == Stdout::kFullDisk) return ::open("/dev/full", O_WRONLY);
  if (to != Stdout::kClosedPipe) return ::open(file.c_str(), O_WRONLY);
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return -1;
  ::close(ends[0]);
  return ends[1];
}

/// In the child: standard streams onto files, then the program.
[[noreturn]] void become(std::vector<char*> argv, const std::string& in, const std::string& out,
                         const std::string& err, Stdout to) {
  const int streams[] = {::open(in.c_str(), O_RDONLY), open_output(to, out),
                         ::open(err.c_str(), O_WRONLY)};
  for (int i = 0; i < 3; ++i) {
    if (::dup2(streams[i], i) < 0) ::_exit(126);
    ::close(streams[i]);
  }
  if (to == Stdout::kClosed) ::close(STDOUT_FILENO);
  ::execv(MX_PROGRAM, argv.data());
  ::_exit(127);
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& arguments, const std::string& input,
                       Stdout to) {
  const Scratch scratch;
  const std::string in = scratch.write("in", input);
  const std::string out = scratch.write("out", "");
  const std::string err = scratch.write("err", "");
  std::vector<std::string> texts = {"mxgold"};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork");
  if (child == 0) become(argv, in, out, err, to);
  int status = 0;
  struct rusage usage {};
  if (::wait4(child, &status, 0, &usage) != child) throw std::runtime_error("wait4");
  ProgramEnd outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read_file(out);
  outcome.err = read_file(err);
  outcome.peak_kib = usage.ru_maxrss;
  return outcome;
}

}  // namespace mx::cli::test
