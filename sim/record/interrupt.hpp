// Signals that ask a run to end: it ends where its counts are right, and tells them.
#pragma once

#include <array>
#include <csignal>
#include <stdexcept>

namespace mx::sim {

/// While it lives, SIGINT, SIGTERM, SIGHUP and SIGQUIT are noted instead of ending the program; one
/// that is ignored stays ignored. One at a time.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  /// The signal that came, 0 for none.
  [[nodiscard]] static int caught();

 private:
  std::array<struct sigaction, 4> before_{};
};

/// Thrown by what waits for a device when a signal came.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  [[nodiscard]] int signal() const { return signal_; }

 private:
  int signal_;
};

/// Throws Interrupted if a signal came.
void check_interrupt();

}  // namespace mx::sim
