// SPDX-License-Identifier: Apache-2.0
#include "sim/process/supervisor.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>

// After fork() in a program with threads: system calls alone.

namespace mx::sim {
namespace {

constexpr int kNotStarted = 127;

/// Handlers of this program are gone, and what is ignored stays so, as exec() has it.
void forget_handlers() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    ::signal(signal, SIG_DFL);
  }
}

/// Asks for a signal when the parent dies; ends where it has died before.
void die_with(pid_t parent, int signal) {
  ::prctl(PR_SET_PDEATHSIG, signal);
  if (::getppid() != parent) ::_exit(kNotStarted);
}

[[noreturn]] void become(const ChildStart& start, pid_t supervisor) {
  die_with(supervisor, SIGKILL);
  ::setpgid(0, 0);
  forget_handlers();
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::dup2(start.streams[0], STDIN_FILENO);
  ::dup2(start.streams[1], STDOUT_FILENO);
  ::dup2(start.streams[2], STDERR_FILENO);
  ::execve("/bin/sh", start.arguments, start.environment);
  ::_exit(kNotStarted);
}

/// What is kept open here would keep pipes open whose ends others wait for.
int close_others(int kept) {
  constexpr int kPlace = 0;
  ::dup2(kept, kPlace);
  if (::syscall(SYS_close_range, kPlace + 1, ~0U, 0) == 0) return kPlace;
  for (long each = ::sysconf(_SC_OPEN_MAX) - 1; each > kPlace; --each) {
    ::close(static_cast<int>(each));
  }
  return kPlace;
}

/// Sends SIGKILL to every child of this process; those of a child that dies become its own. How
/// many got it; of a kernel that does not list them, to the group of one.
int kill_children(pid_t group) {
  char text[4096];
  const int file = ::open("/proc/thread-self/children", O_RDONLY);
  if (file < 0) return ::kill(-group, SIGKILL) == 0 ? 1 : 0;
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  int killed = 0;
  pid_t child = 0;
  for (const char c : std::string_view(text, size < 0 ? 0 : static_cast<std::size_t>(size))) {
    if (c >= '0' && c <= '9') {
      child = 10 * child + (c - '0');
    } else {
      if (child > 1 && ::kill(child, SIGKILL) == 0) ++killed;
      child = 0;
    }
  }
  return killed;
}

/// Collects children that have ended, and tells the end of one.
void collect(pid_t child, int told) {
  siginfo_t info{};
  while (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG) == 0 && info.si_pid != 0) {
    if (info.si_pid == child && ::write(told, &info, sizeof info) < 0) return;
    info = {};
  }
}

}  // namespace

void supervise(const ChildStart& start, int told) {
  die_with(start.parent, SIGTERM);
  ::setpgid(0, 0);  // what a terminal sends is meant for this program
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::signal(SIGCHLD, SIG_DFL);
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) become(start, self);
  if (child < 0) ::_exit(kNotStarted);
  told = close_others(told);
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  do {
    collect(child, told);
  } while (::sigwaitinfo(&awaited, nullptr) != SIGTERM);
  // Somebody else's processes, as sudo starts, are not this one's to end.
  while (kill_children(child) > 0 && ::waitpid(-1, nullptr, 0) > 0) {
  }
  ::_exit(0);
}

}  // namespace mx::sim
