// A program of anyone's as a device under test, over its standard input and output: it reads a .tv
// header and one line of operands for each block, and answers with the result fields, a line each,
// in order (spec V13, docs/plug-in-your-dut.md).
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "golden/vectors/header.hpp"
#include "sim/dut/dut.hpp"

namespace mx::sim {

struct ProcessOptions {
  std::string command;          ///< run by /bin/sh -c
  golden::VectorHeader header;  ///< sent at every start, with the number of blocks to follow
  std::chrono::milliseconds time_out{10'000};  ///< patience for the next answer, or for the end
};

/// Starts the program at every reset and ends it with the last answer. Lanes that are not kept are
/// sent as +0, and their codes are not looked at: vector lines have no word for them. Throws
/// DutError where the program dies, answers something that is no line of results, answers too
/// little, too much or nothing in time, or ends with a failure status.
class ProcessDut : public Dut {
 public:
  explicit ProcessDut(ProcessOptions options);
  ~ProcessDut() override;

  [[nodiscard]] std::string_view name() const override { return name_; }
  void configure(const Setup& setup) override;
  [[nodiscard]] bool supports(std::uint32_t config_word) const override;
  void reset(std::uint64_t blocks) override;
  void tick(const Drive& drive, Observed& observed) override;
  void end_of_input() override;
  void end_of_output() override;
  [[nodiscard]] std::uint64_t patience() const override { return 0; }

 private:
  class Conversation;
  ProcessOptions options_;
  std::string name_;
  std::unique_ptr<Conversation> conversation_;
};

}  // namespace mx::sim
