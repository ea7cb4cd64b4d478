// A child process with pipes on both sides.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace mx::sim {

/// Runs `/bin/sh -c command` in a process group of its own. Reading and writing never block;
/// destruction kills the whole group and collects it.
class Child {
 public:
  /// Throws DutError if it cannot be started.
  explicit Child(const std::string& command);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Writes from the front of `out` what the pipe takes and removes it, and appends to `in` what is
  /// there. Waits up to `patience` for either to be possible. False if neither was in that time.
  bool exchange(std::string& out, std::string& in, std::chrono::milliseconds patience);

  void close_input();
  [[nodiscard]] bool input_open() const { return input_ >= 0; }
  /// The child closed its output, or died.
  [[nodiscard]] bool output_ended() const { return output_ < 0; }
  /// The child no longer reads (it closed its input, or died).
  [[nodiscard]] bool input_refused() const { return refused_; }

  /// How it ended: "" for exit status 0, else "exit status 3", "signal 11 (Segmentation fault)".
  /// Nothing if it has not ended within `patience`.
  std::optional<std::string> wait(std::chrono::milliseconds patience);

 private:
  void read_some(std::string& in);
  void write_some(std::string& out);

  pid_t pid_ = -1;
  int input_ = -1;   ///< the child's standard input
  int output_ = -1;  ///< the child's standard output
  bool refused_ = false;
  std::optional<std::string> end_;
};

}  // namespace mx::sim
