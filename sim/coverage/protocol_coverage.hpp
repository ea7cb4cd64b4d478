// Which bins of the protocol (spec V10) the cycles of a run hit: handshakes, lengths of stalls and
// gaps, fill of the pipe, resets, idle cycles, shapes of blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "golden/coverpoints/coverpoint.hpp"
#include "sim/block/block.hpp"

namespace mx::sim {

/// One clock cycle of a device.
struct Cycle {
  const BlockIn* offer = nullptr;  ///< nothing where valid is low
  bool takes = false;              ///< ready of the input
  bool shows = false;              ///< valid of the output
  bool ready = false;              ///< ready of the output
  std::uint64_t in_flight = 0;     ///< blocks inside, before the cycle
};

/// A reset as the pins see it.
struct ResetCycle {
  std::uint32_t edges = 0;
  bool offering = false;
  std::uint64_t in_flight = 0;  ///< blocks that it forgets
  bool block_waits = false;     ///< a block was offered and not taken
  bool answer_waits = false;    ///< an answer was shown and not taken
};

class ProtocolCoverage {
 public:
  /// `depth`: blocks that the device holds at most, of one that refuses a block only while it shows
  /// an answer; nothing where it promises neither: then only what the harness itself drives is
  /// measured. `configs`: configurations that the run chooses from.
  ProtocolCoverage(std::optional<std::uint32_t> depth, std::size_t configs);

  /// A segment begins: nothing that was counted so far goes on.
  void start();
  void sample(const Cycle& cycle);
  void sample(const ResetCycle& reset);
  /// Cycles behind the last answer, in which nothing may come out.
  void sample_drain() {
    if (depth_) idle_.hit(kAfterLast);
  }

  void add(const ProtocolCoverage& other);
  [[nodiscard]] golden::Covergroup group(std::string_view device) const;

 private:
  enum Idle : std::size_t { kBetweenBlocks, kEmptyPipe, kAfterLast };

  [[nodiscard]] std::vector<golden::Coverpoint*> points();
  void sample_input(const Cycle& cycle);
  void sample_output(const Cycle& cycle);
  void sample_block(const BlockIn& block);
  [[nodiscard]] std::size_t fill_bin(std::uint64_t in_flight) const;

  std::optional<std::uint32_t> depth_;
  std::uint64_t cycles_ = 0;
  golden::Coverpoint handshake_, input_stall_, input_wait_, output_stall_, bubble_, row_, fill_;
  golden::Coverpoint reset_pulse_, reset_fill_, reset_while_, idle_, change_, kept_, last_;

  std::uint64_t stalled_ = 0, waited_ = 0, row_now_ = 0;  ///< cycles so far, of the input
  std::uint64_t held_ = 0, gap_ = 0;                      ///< of the output
  bool had_block_ = false, had_answer_ = false;
  std::uint32_t config_ = 0;  ///< of the block before
};

/// The covergroup of a line `configuration` that ProtocolCoverage::group has written, without hits;
/// nothing for any other line.
[[nodiscard]] std::optional<golden::Covergroup> model_of_protocol(std::string_view configuration);

}  // namespace mx::sim
