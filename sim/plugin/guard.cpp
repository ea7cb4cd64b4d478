#include "sim/plugin/guard.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <thread>

#include "golden/bytes/unfinished.hpp"
#include "sim/plugin/crash.hpp"

namespace mx::sim {
namespace {

constexpr int kGuardExit = 4, kFileExit = 3;  // spec V9
constexpr std::string_view kExits = "called exit(), or ended its thread";
constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// Where a thread is, for handlers and the watchdog.
struct ThreadState {
  std::atomic<const PluginPlace*> place = nullptr;  ///< nullptr: in no plugin
  std::atomic<const char*> function = nullptr;
  std::atomic<std::uint64_t> calls = 0;
  std::atomic<std::uint64_t> first = 0, last = 0;  ///< what the plugin is asked for
  std::optional<PluginPlace> last_place;           ///< for the end of the thread
  // Of the watchdog alone.
  std::uint64_t seen_calls = 0;
  std::chrono::steady_clock::time_point seen_since{};
};

// A handler can reach nothing but static memory; it reads the state of its own thread.
constinit thread_local ThreadState* own_state = nullptr;
std::array<struct sigaction, kCrashes.size()> before;

/// The threads that have called a plugin. Never destroyed: the watchdog outlives static memory.
struct Threads {
  std::mutex mutex;
  std::set<ThreadState*> states;
};
Threads& threads() {
  static Threads* const all = new Threads;
  return *all;
}

/// Writes parts without allocating.
void say(std::initializer_list<std::string_view> parts) {
  std::array<char, 1024> line;
  std::size_t size = 0;
  for (const std::string_view part : parts) {
    const std::size_t taken = std::min(part.size(), line.size() - size);
    std::memcpy(line.data() + size, part.data(), taken);
    size += taken;
  }
  if (::write(STDERR_FILENO, line.data(), size) < 0) {
    // Nothing is left to tell it to.
  }
}

[[noreturn]] void end_program(const ThreadState& state, std::string_view what,
                              int exit = kGuardExit) {
  const PluginPlace* const place = state.place;
  const char* const function = state.function;
  const std::string_view name = place == nullptr ? "a plugin" : std::string_view(place->name);
  const std::string_view called = function == nullptr ? "a function" : function;
  golden::remove_unfinished();
  if (!leave_crash({name, ": ", called, "() ", what}, state.first, state.last, exit)) {
    say({"mxgold: ", name, ": ", called, "() ", what,
         "; the run has no verdict. Run it under a debugger, or as a program on a pipe\n"});
  }
  ::_exit(exit);
}

bool is_in_plugin() { return own_state != nullptr && own_state->place.load() != nullptr; }

std::string_view name_of(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "crashed with SIGSEGV";
    case SIGBUS:
      return "crashed with SIGBUS";
    case SIGFPE:
      return "crashed with SIGFPE";
    case SIGILL:
      return "crashed with SIGILL";
    default:
      return "aborted (SIGABRT)";
  }
}

void on_crash(int signal, siginfo_t* info, void* context) {
  if (is_in_plugin()) {
    const char* const function = own_state->function;
    // A mapped file has fewer bytes than its headers say.
    if (signal == SIGBUS && function != nullptr && std::string_view(function) == kLoading) {
      end_program(*own_state, "met a file that is cut short (SIGBUS): the library or one it needs",
                  kFileExit);
    }
    end_program(*own_state, name_of(signal));
  }
  for (std::size_t i = 0; i < kCrashes.size(); ++i) {
    if (kCrashes[i] != signal) continue;
    if ((before[i].sa_flags & SA_SIGINFO) != 0)
      return before[i].sa_sigaction(signal, info, context);
    if (before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN) {
      return before[i].sa_handler(signal);
    }
    // As if this handler were not there.
    ::sigaction(signal, &before[i], nullptr);
    ::raise(signal);
  }
}

/// Whoever calls exit(): the program itself does when no thread is in a plugin.
void on_exit() {
  const std::lock_guard lock(threads().mutex);
  for (const ThreadState* const state : threads().states) {
    if (state->place != nullptr) end_program(*state, kExits);
  }
}

void watch() {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(threads().mutex);
    for (ThreadState* const state : threads().states) {
      const PluginPlace* const place = state->place;
      const std::uint64_t calls = state->calls;
      if (place == nullptr || calls != state->seen_calls) {
        state->seen_calls = calls;
        state->seen_since = now;
      } else if (now - state->seen_since > place->time_out) {
        end_program(*state, "did not return in time (--time-out)");
      }
    }
  }
}

/// A thread's state for as long as the thread lives, and a stack for its handlers: a plugin may
/// have used up the thread's own.
class ThreadEntry {
 public:
  ThreadEntry() : stack_(kStack) {
    stack_t stack{};
    stack.ss_sp = stack_.data();
    stack.ss_size = stack_.size();
    ::sigaltstack(&stack, nullptr);
    const std::lock_guard lock(threads().mutex);
    threads().states.insert(&state_);
    own_state = &state_;
  }
  ~ThreadEntry() {
    // exit() destroys what belongs to the thread before it calls on_exit().
    const PluginPlace* const place = state_.place;
    const bool is_over = state_.last_place && place == &*state_.last_place;
    if (place != nullptr && !is_over) end_program(state_, kExits);
    own_state = nullptr;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
    const std::lock_guard lock(threads().mutex);
    threads().states.erase(&state_);
  }
  ThreadEntry(const ThreadEntry&) = delete;
  ThreadEntry& operator=(const ThreadEntry&) = delete;

  [[nodiscard]] ThreadState& state() { return state_; }

 private:
  static constexpr std::size_t kStack = 1 << 16;
  ThreadState state_;
  std::vector<char> stack_;
};

ThreadState& state_of_thread() {
  thread_local ThreadEntry entry;
  return entry.state();
}

/// Made after whatever the plugin made for the thread, and therefore destroyed before it.
struct BeforeThreadEnd {
  ~BeforeThreadEnd() {
    if (own_state == nullptr || own_state->place != nullptr) return;  // exit() within a call
    own_state->first = own_state->last = 0;
    own_state->function = "at the end of a thread, a destructor";
    ++own_state->calls;
    own_state->place.store(&*own_state->last_place, std::memory_order_release);
  }
  bool is_made = true;
};

}  // namespace

void watch_thread_end(const PluginPlace& place) {
  ThreadState& state = own_state == nullptr ? state_of_thread() : *own_state;
  state.last_place = place;
  thread_local const BeforeThreadEnd end;
  static_cast<void>(end.is_made);
}

PluginCall::PluginCall(const PluginPlace& place, const char* function) {
  ThreadState& state = own_state == nullptr ? state_of_thread() : *own_state;
  state.function.store(function, std::memory_order_relaxed);
  state.calls.store(state.calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  state.place.store(&place, std::memory_order_release);
}

void plugin_is_asked_for(std::uint64_t first, std::uint64_t last) {
  ThreadState& state = own_state == nullptr ? state_of_thread() : *own_state;
  state.first.store(first, std::memory_order_relaxed);
  state.last.store(last, std::memory_order_relaxed);
  leave_asked(first, last);
}

PluginCall::~PluginCall() { own_state->place.store(nullptr, std::memory_order_release); }

void guard_plugins() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (std::size_t i = 0; i < kCrashes.size(); ++i) {
      ::sigaction(kCrashes[i], &action, &before[i]);
    }
    std::atexit(on_exit);
    std::at_quick_exit(on_exit);
    std::thread(watch).detach();
  });
}

}  // namespace mx::sim
