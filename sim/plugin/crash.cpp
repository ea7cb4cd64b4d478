#include "sim/plugin/crash.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
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

namespace mx::sim {
namespace {

constexpr int kDeviceExit = 4;  // spec V9
constexpr int kTries = 6;
constexpr std::array kEnds = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};  // that ask a program to end

/// What the processes share.
struct Note {
  std::atomic<int> is_left = 0;  ///< a crash, in what follows
  std::atomic<int> is_done = 0;  ///< the work came to an end
  /// What a thread asked a plugin for last: all that is known where nobody could leave a crash.
  std::atomic<std::uint64_t> asked_first = 0, asked_last = 0;
  std::uint64_t first = 0, last = 0;
  std::array<char, 1024> what{};
};
static_assert(std::atomic<int>::is_always_lock_free);

// Handlers can reach nothing but static memory.
Note* own_note = nullptr;       // of the process that does the work
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

int status_of(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool is_asked_to_end(int status) {
  return WIFSIGNALED(status) && std::ranges::find(kEnds, WTERMSIG(status)) != kEnds.end();
}

/// Of a process that left no word.
std::string how_it_ended(int status) {
  const std::string process = "the process of a plugin ended ";
  if (!WIFSIGNALED(status)) return process + "without a word (_exit)";
  return process + "by signal " + std::to_string(WTERMSIG(status)) + " (" +
         strsignal(WTERMSIG(status)) + ")";
}

/// Says that the work came to an end, also by an exception.
class Done {
 public:
  explicit Done(Note& note) : note_(note) {}
  ~Done() { note_.is_done = 1; }
  Done(const Done&) = delete;
  Done& operator=(const Done&) = delete;

 private:
  Note& note_;
};

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
                 std::uint64_t last) {
  if (own_note == nullptr) return false;
  if (first >= last) {
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

int run_apart(const std::function<int(const PluginCrash*)>& work) {
  void* const page =
      ::mmap(nullptr, sizeof(Note), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return work(nullptr);
  const std::unique_ptr<Note, Unmap> note(new (page) Note);
  std::optional<PluginCrash> crash;
  for (int tries = 0; tries < kTries; ++tries) {
    note->is_left = note->is_done = 0;
    note->asked_first = note->asked_last = 0;
    std::fflush(nullptr);
    const SignalsPassedOn signals;
    const pid_t child = ::fork();
    if (child < 0) return work(nullptr);
    if (child == 0) {
      signals.restore();
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      own_note = note.get();
      const Done done(*note);
      return work(crash ? &*crash : nullptr);
    }
    worker = child;
    const int status = status_of(child);
    worker = 0;
    if (note->is_left.load(std::memory_order_acquire) != 0) {
      crash = PluginCrash{note->what.data(), note->first, note->last};
      continue;
    }
    if (note->is_done == 0 && !is_asked_to_end(status)) {
      crash = PluginCrash{how_it_ended(status), note->asked_first, note->asked_last};
      if (crash->first < crash->last) continue;
      break;
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    signals.restore();
    std::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  std::fprintf(stderr, "mxgold: %s; the run has no verdict\n", crash->what.c_str());
  return kDeviceExit;
}

}  // namespace mx::sim
