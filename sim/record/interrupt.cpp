#include "sim/record/interrupt.hpp"

#include <atomic>

namespace mx::sim {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// A signal handler can reach nothing but static memory.
std::atomic<int> came = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) { came = signal; }

}  // namespace

InterruptWatch::InterruptWatch() {
  came = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    ::sigaction(kSignals[i], &action, nullptr);
  }
}

InterruptWatch::~InterruptWatch() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before_[i], nullptr);
  }
}

int InterruptWatch::caught() { return came; }

void check_interrupt() {
  if (came != 0) throw Interrupted(came);
}

}  // namespace mx::sim
