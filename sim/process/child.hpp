// A child process whose input and answers go over its standard streams or over named pipes.
#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sim/process/fifos.hpp"

namespace mx::sim {

/// What the records travel over.
enum class Channel : std::uint8_t {
  kStdio,  ///< standard input and output
  kFifo    ///< named pipes, whose paths are in MXGOLD_IN and MXGOLD_OUT; the streams are free
};

/// Runs `/bin/sh -c command` in a process group of its own. Reading and writing never block;
/// destruction kills all that descends from it, in other groups and sessions, too; where the thread
/// that made it ends without that, its supervisor does. What the child says beside its answers goes
/// to this program's standard error, and the end of it is kept.
class Child {
 public:
  /// Throws golden::HostError if it cannot be started.
  explicit Child(const std::string& command, Channel channel = Channel::kStdio);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Writes from the front of `out` what the pipe takes and removes it, and appends to `in` what is
  /// there. Waits up to `patience` for either to be possible. False if neither was in that time.
  bool exchange(std::string& out, std::string& in, std::chrono::milliseconds patience);

  void close_input();
  [[nodiscard]] bool input_open() const { return input_ >= 0 || input_awaited_; }
  /// The child closed its output, or died.
  [[nodiscard]] bool output_ended() const { return output_ < 0; }

  /// Bytes that were written and have been taken out of the pipe, by the child or by whoever reads
  /// for it.
  [[nodiscard]] std::uint64_t taken() const;

  /// How it ended: "" for exit status 0, else "exit status 3", "signal 11 (Segmentation fault)".
  /// Nothing if it has not ended within `patience`.
  std::optional<std::string> wait(std::chrono::milliseconds patience);

  /// Takes lines that are no answers for what it says to people.
  void log(std::string_view text);
  /// The last lines of that, " | " between them; "" for none.
  [[nodiscard]] std::string last_words();

 private:
  void start(const std::string& command, const std::array<int, 3>& streams);
  void await_reader();
  void read_some(std::string& in);
  void read_log();
  void write_some(std::string& out);

  std::unique_ptr<Fifos> fifos_;
  pid_t supervisor_ = -1;
  int told_ = -1;               ///< where it tells how the child ended
  int input_ = -1;              ///< where the child reads records
  int unread_ = -1;             ///< the other end of it, to see what was not read
  std::uint64_t written_ = 0;   ///< bytes into the pipe
  int output_ = -1;             ///< where it writes answers
  int log_ = -1;                ///< its standard error; with named pipes its standard output too
  bool input_awaited_ = false;  ///< a named pipe that the child has not opened yet
  std::string unfinished_;      ///< the log's last line, so far
  std::deque<std::string> last_lines_;
  std::optional<std::string> end_;
};

}  // namespace mx::sim
