#include "golden/bytes/unfinished.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>
#include <cstring>

namespace mx::golden {
namespace {

enum class State : int { kFree, kFilling, kWatched, kRemoving };

// A signal handler can reach nothing but static memory. A name is changed only by the one who moved
// its slot from kFree to kFilling, and the handler owns what it moved to kRemoving.
struct Slot {
  std::atomic<State> state = State::kFree;
  std::array<char, PATH_MAX> path;
};
static_assert(std::atomic<State>::is_always_lock_free);
std::array<Slot, 16> slots;

bool move(Slot& slot, State from, State to) { return slot.state.compare_exchange_strong(from, to); }

void end_by(int signal) {
  remove_unfinished();
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // held back until this handler returns
}

}  // namespace

UnfinishedName::UnfinishedName(const std::string& path) : slot_(-1) {
  if (path.size() >= PATH_MAX) return;
  for (std::size_t i = 0; i < slots.size() && slot_ < 0; ++i) {
    if (!move(slots[i], State::kFree, State::kFilling)) continue;
    std::memcpy(slots[i].path.data(), path.c_str(), path.size() + 1);
    slots[i].state = State::kWatched;
    slot_ = static_cast<int>(i);
  }
}

UnfinishedName::~UnfinishedName() {
  if (slot_ >= 0) move(slots[static_cast<std::size_t>(slot_)], State::kWatched, State::kFree);
}

void remove_unfinished() {
  // Folders go last: they have to be empty.
  for (Slot& slot : slots) {
    if (move(slot, State::kWatched, State::kRemoving)) ::unlink(slot.path.data());
  }
  for (Slot& slot : slots) {
    if (slot.state == State::kRemoving) ::rmdir(slot.path.data());
  }
}

void remove_unfinished_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    struct sigaction action {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = end_by;
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace mx::golden
