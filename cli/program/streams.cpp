#include "cli/program/streams.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
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

namespace {

volatile std::sig_atomic_t has_met_closed_pipe = 0;

}  // namespace

void survive_closed_pipes() {
  // A handler, unlike SIG_IGN, does not outlive exec().
  struct sigaction action {};
  action.sa_handler = [](int) { has_met_closed_pipe = 1; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPIPE, &action, nullptr);
}

bool reader_left() {
  if (has_met_closed_pipe == 0) return false;
  // Of a pipe that nobody reads any more.
  pollfd standard_output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&standard_output, 1, 0) == 1 && (standard_output.revents & POLLERR) != 0;
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
