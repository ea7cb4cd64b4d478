#include "sim/plugin/crash.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "golden/bytes/host_error.hpp"

namespace mx::sim {
namespace {

constexpr int kDeviceExit = 4;  // spec V9
constexpr int kTries = 6;
constexpr std::array kEnds = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};  // that ask a program to end

/// What the processes share.
struct Note {
  std::atomic<int> is_left = 0;  ///< a crash, in what follows
  std::atomic<int> is_done = 0;  ///< all is told, and `code` is the program's exit code
  std::atomic<int> code = 0;
  /// What a thread asked a plugin for last: all that is known where nobody could leave a crash.
  std::atomic<std::uint64_t> asked_first = 0, asked_last = 0;
  std::uint64_t first = 0, last = 0;
  std::array<char, 1024> what{};
};
static_assert(std::atomic<int>::is_always_lock_free);

// Handlers can reach nothing but static memory.
Note* own_note = nullptr;       // of the process that does the work
pid_t own_number = 0;           // that process: a plugin may start others, which are not it
struct stat own_output {};      // what its standard output is
std::atomic<pid_t> worker = 0;  // of the one that waits
static_assert(std::atomic<pid_t>::is_always_lock_free);

void pass_on(int signal) {
  const pid_t child = worker;
  if (child > 0) ::kill(child, signal);
}

/// While it lives, signals that ask a program to end go to the worker.
class SignalsPassedOn {
 public:
  SignalsPassedOn() {
    for (std::size_t i = 0; i < kEnds.size(); ++i) {
      ::sigaction(kEnds[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;
      struct sigaction action {};
      action.sa_handler = pass_on;
      ::sigaction(kEnds[i], &action, nullptr);
    }
  }
  ~SignalsPassedOn() { restore(); }
  SignalsPassedOn(const SignalsPassedOn&) = delete;
  SignalsPassedOn& operator=(const SignalsPassedOn&) = delete;

  void restore() const {
    for (std::size_t i = 0; i < kEnds.size(); ++i) {
      ::sigaction(kEnds[i], &before_[i], nullptr);
    }
  }

 private:
  std::array<struct sigaction, kEnds.size()> before_{};
};

/// While it lives, the end of a child is waited for by sigtimedwait().
class ChildSignalHeld {
 public:
  ChildSignalHeld() {
    sigemptyset(&held_);
    sigaddset(&held_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~ChildSignalHeld() { restore(); }
  ChildSignalHeld(const ChildSignalHeld&) = delete;
  ChildSignalHeld& operator=(const ChildSignalHeld&) = delete;

  void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  void wait(std::chrono::milliseconds most) const {
    const timespec time{0, std::chrono::nanoseconds(most).count()};
    ::sigtimedwait(&held_, nullptr, &time);
  }

 private:
  sigset_t held_{};
  sigset_t before_{};
};

/// How a worker ended, and the signal that it was stopped by when it was killed for that.
struct WorkerEnd {
  int status = 0;
  int stopped_by = 0;
};

/// Waits for the worker. One that stays stopped, or does not end although all is told, is killed
/// after `patience`. It is counted in steps, so that a stop of both processes (Ctrl-Z) is none.
WorkerEnd await(pid_t child, const Note& note, const ChildSignalHeld& signals,
                std::chrono::milliseconds patience) {
  constexpr std::chrono::milliseconds kStep{50};
  std::chrono::milliseconds waited{0};
  WorkerEnd end;
  for (;;) {
    const pid_t got = ::waitpid(child, &end.status, WNOHANG | WUNTRACED | WCONTINUED);
    if (got < 0 && errno != EINTR) return {};
    if (got == child && (WIFEXITED(end.status) || WIFSIGNALED(end.status))) return end;
    if (got == child) end.stopped_by = WIFSTOPPED(end.status) ? WSTOPSIG(end.status) : 0;
    if (waited > patience) ::kill(child, SIGKILL);
    signals.wait(kStep);
    const bool is_overdue = end.stopped_by != 0 || note.is_done != 0;
    waited = is_overdue ? waited + kStep : std::chrono::milliseconds(0);
  }
}

bool is_asked_to_end(int status) {
  return WIFSIGNALED(status) && std::ranges::find(kEnds, WTERMSIG(status)) != kEnds.end();
}

std::string signal_text(int signal) {
  return "by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

/// Of a process that left no word.
std::string how_it_ended(const WorkerEnd& end) {
  const std::string process = "the process of a plugin ";
  if (end.stopped_by != 0) {
    return process + "was stopped " + signal_text(end.stopped_by) + " and did not go on";
  }
  if (!WIFSIGNALED(end.status)) return process + "ended without a word (_exit)";
  return process + "ended " + signal_text(WTERMSIG(end.status));
}

bool is_own() { return own_note != nullptr && ::getpid() == own_number; }

/// Is standard output still what it was when the worker started?
bool has_own_output() {
  struct stat now {};
  return ::fstat(STDOUT_FILENO, &now) == 0 && now.st_dev == own_output.st_dev &&
         now.st_ino == own_output.st_ino;
}

void become_worker(Note& note, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kDeviceExit);  // it died before
  own_note = &note;
  own_number = ::getpid();
  ::fstat(STDOUT_FILENO, &own_output);
}

struct Unmap {
  void operator()(Note* note) const { ::munmap(note, sizeof(Note)); }
};

}  // namespace

void leave_asked(std::uint64_t first, std::uint64_t last) {
  if (own_note == nullptr) return;
  own_note->asked_first.store(first, std::memory_order_relaxed);
  own_note->asked_last.store(last, std::memory_order_relaxed);
}

bool leave_crash(std::initializer_list<std::string_view> what, std::uint64_t first,
                 std::uint64_t last, int code) {
  if (!is_own()) return false;
  if (own_note->is_done != 0) return true;  // the verdict is told, and holds
  if (first >= last) {
    own_note->code = code;
    own_note->is_done = 1;  // who leaves word of nothing says it himself
    return false;
  }
  std::size_t size = 0;
  for (const std::string_view part : what) {
    const std::size_t taken = std::min(part.size(), own_note->what.size() - 1 - size);
    std::memcpy(own_note->what.data() + size, part.data(), taken);
    size += taken;
  }
  own_note->what[size] = '\0';
  own_note->first = first;
  own_note->last = last;
  own_note->is_left.store(1, std::memory_order_release);
  return true;
}

int leave_exit_code(int code) {
  if (!is_own()) return code;
  std::fflush(stdout);
  if (code <= 1 && !has_own_output()) {
    std::fputs("mxgold: a plugin closed or replaced standard output, which is the program's\n",
               stderr);
    code = kDeviceExit;
  }
  own_note->code = code;
  own_note->is_done = 1;
  return code;
}

int run_apart(std::chrono::milliseconds patience,
              const std::function<int(const PluginCrash*)>& work) {
  void* const page =
      ::mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw golden::HostError("out of memory for the process of a plugin");
  std::unique_ptr<Note, Unmap> note(new (page) Note);
  std::optional<PluginCrash> crash;
  for (int tries = 0; tries < kTries; ++tries) {
    note->is_left = note->is_done = 0;
    note->asked_first = note->asked_last = 0;
    std::fflush(nullptr);
    const SignalsPassedOn signals;
    const ChildSignalHeld ends;
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) {
      throw golden::HostError(std::string("cannot start a process for the plugin: ") +
                              std::strerror(errno));
    }
    if (child == 0) {
      signals.restore();
      ends.restore();
      become_worker(*note.release(), parent);  // it stays to the end of the process
      return work(crash ? &*crash : nullptr);
    }
    worker = child;
    const WorkerEnd end = await(child, *note, ends, patience);
    worker = 0;
    if (note->is_left.load(std::memory_order_acquire) != 0) {
      crash = PluginCrash{note->what.data(), note->first, note->last};
      continue;
    }
    // Whatever a plugin's exit handlers made of it since.
    if (note->is_done != 0) return note->code;
    if (is_asked_to_end(end.status)) {
      signals.restore();
      std::signal(WTERMSIG(end.status), SIG_DFL);
      ::raise(WTERMSIG(end.status));
    }
    crash = PluginCrash{how_it_ended(end), note->asked_first, note->asked_last};
    if (crash->first >= crash->last) break;
  }
  std::fprintf(stderr, "mxgold: %s; the run has no verdict\n", crash->what.c_str());
  return kDeviceExit;
}

}  // namespace mx::sim
