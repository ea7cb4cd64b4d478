// How far a long command is: a bar on a terminal, a line a minute in a log.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace mx::cli {

/// "1 h 5 min", "2 min 10 s", "7 s"; two units at most.
[[nodiscard]] std::string duration_text(std::chrono::seconds duration);

/// What is left where `done` of `total` took `elapsed`; 0 where nothing is done yet.
[[nodiscard]] std::chrono::seconds time_left(std::chrono::milliseconds elapsed, std::uint64_t done,
                                             std::uint64_t total);

/// Shows on a stream how much of `total` is done, and how long the rest takes. On a terminal a bar,
/// which is wiped at the end; elsewhere a line after each `interval`, so none of a short command.
/// Callers serialize add().
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::string what, std::uint64_t total, std::FILE* stream = stderr,
           std::chrono::milliseconds interval = std::chrono::minutes(1));
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  void add(std::uint64_t done);

 private:
  void draw_bar(Clock::time_point now);
  void write_line(Clock::time_point now);
  /// "34%, 2 min left"
  [[nodiscard]] std::string text(Clock::time_point now) const;

  std::string what_;
  std::uint64_t total_;
  std::FILE* stream_;
  std::chrono::milliseconds interval_;
  bool is_terminal_;
  std::uint64_t done_ = 0;
  Clock::time_point start_ = Clock::now(), shown_ = start_;
  bool is_drawn_ = false;
};

}  // namespace mx::cli
