#include "cli/parts/child.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "cli/base/error.hpp"

namespace mx::cli {
namespace {

/// What a child writes, in memory: a full disk cannot lose it.
class Output {
 public:
  Output() : descriptor_(::memfd_create("output", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail(Exit::kHost, "no memory file: {}", std::strerror(errno));
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { ::close(descriptor_); }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::string text() const {
    std::string all;
    std::array<char, 65536> piece{};
    ::lseek(descriptor_, 0, SEEK_SET);
    for (ssize_t n = 0; (n = ::read(descriptor_, piece.data(), piece.size())) > 0;) {
      all.append(piece.data(), static_cast<std::size_t>(n));
    }
    return all;
  }

 private:
  int descriptor_;
};

/// After fork() in a program with threads: system calls alone.
[[noreturn]] void become(const char* program, char* const* arguments, const char* folder,
                         pid_t parent, int out, int err) {
  constexpr int kNotStarted = 127;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kNotStarted);  // it ended before the line above
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDONLY);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (*folder != '\0' && ::chdir(folder) != 0) ::_exit(kNotStarted);
  ::execvp(program, arguments);
  ::_exit(kNotStarted);
}

}  // namespace

ChildEnd run_child(const std::string& program, const std::vector<std::string>& arguments,
                   const std::string& folder) {
  std::vector<std::string> words = {program == "/proc/self/exe" ? "mxgold" : program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const Output out;
  const Output err;
  const auto start = std::chrono::steady_clock::now();
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) fail(Exit::kHost, "no process: {}", std::strerror(errno));
  if (child == 0) {
    become(program.c_str(), pointers.data(), folder.c_str(), parent, out.descriptor(),
           err.descriptor());
  }
  int state = 0;
  while (::waitpid(child, &state, 0) < 0 && errno == EINTR) {
  }
  ChildEnd end;
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  end.status = WIFEXITED(state) ? WEXITSTATUS(state) : 0;
  end.signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
  end.out = out.text();
  end.err = err.text();
  return end;
}

ChildEnd run_this_program(const std::vector<std::string>& arguments, const std::string& folder) {
  return run_child("/proc/self/exe", arguments, folder);
}

}  // namespace mx::cli
