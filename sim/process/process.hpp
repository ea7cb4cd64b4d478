// A program of anyone's as a device under test, over its standard streams or named pipes: it reads
// a .tv header and one line of operands for each record, and answers with the result fields, a line
// each, in order (spec V13, docs/pipe-protocol.md).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "golden/answers/observed.hpp"
#include "sim/process/child.hpp"
#include "sim/record/device.hpp"

namespace mx::sim {

struct ProcessOptions {
  std::string command;                         ///< run by /bin/sh -c
  std::chrono::milliseconds time_out{10'000};  ///< patience for the next answer, or for the end
  /// Patience for the first answer; nothing: time_out.
  std::optional<std::chrono::milliseconds> start_time_out{};
  /// From the program's start to its end.
  std::chrono::steady_clock::duration time_limit = std::chrono::steady_clock::duration::max();
  Channel channel = Channel::kStdio;
  std::string answer_prefix{};  ///< lines without it are no answers, but the program's own talk
  golden::Observed observed{};  ///< words of other fields may be a dash
  std::string name{};           ///< what messages call it; "": "process" and the command
  /// A line "!TEXT" is what the program found wrong itself, "?I,J ..." before an answer names words
  /// of it that are no codes of their fields, and "=TEXT" is given to `hear`.
  bool speaks_of_itself = false;
  /// False for a line that means nothing.
  std::function<bool(std::string_view)> hear{};
};

/// Starts the program for a run and ends it with the last answer. Throws DutError where the program
/// dies, answers something that is no line of results, answers too little, too much or nothing in
/// time, or ends with a failure status; Interrupted where a signal asks for the end.
class ProcessDevice : public RecordDevice {
 public:
  explicit ProcessDevice(ProcessOptions options)
      : options_(std::move(options)),
        name_(options_.name.empty() ? "process:" + options_.command : options_.name) {}

  [[nodiscard]] std::string_view name() const override { return name_; }
  void run(const golden::VectorHeader& header, const NextRecords& next,
           const TakeAnswers& take) override;

 private:
  class Conversation;
  ProcessOptions options_;
  std::string name_;
};

}  // namespace mx::sim
