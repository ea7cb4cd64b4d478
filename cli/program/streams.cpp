#include "cli/program/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace mx::cli {

void open_missing_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number is `stream`. Results need somebody who gets them; messages do not:
    // standard input and output are opened in the direction in which their use fails.
    if (::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY) < 0) return;
  }
}

void survive_closed_pipes() {
  // A handler, unlike SIG_IGN, does not outlive exec().
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPIPE, &action, nullptr);
}

void collect_children() { std::signal(SIGCHLD, SIG_DFL); }

std::string stdout_problem() {
  // After an earlier failure the stream tries again to write what it still holds, and fails alike.
  const bool has_failed = std::ferror(stdout) != 0;
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;
  if (is_flushed && !has_failed) return "";
  return fmt::format("standard output: cannot write{}{}; choose an output that can be written",
                     errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
}

}  // namespace mx::cli
