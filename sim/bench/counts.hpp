// What the cycles of a run met, bin by bin; what the bins are called and which cannot be hit says
// the program (sim/device/protocol_points.hpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/bench/tables.hpp"

namespace mx::bench {

/// 0, 1, 2-3, 4-15, 16 and more cycles: spec V10.
using LengthHits = std::array<std::uint64_t, 5>;

inline void hit_length(LengthHits& hits, std::uint64_t cycles) {
  ++hits[cycles <= 1 ? cycles : cycles <= 3 ? 2 : cycles <= 15 ? 3 : 4];
}

/// Idle cycles: noise shows on the payload pins.
enum Idle : std::size_t { kEmpty, kBetweenBlocks, kInsideBlock, kAfterLast };

struct Counts {
  explicit Counts(const Tables& tables)
      : beats(tables.input.beats),
        reset_input_beat(tables.input.beats),
        reset_output_beat(tables.output.beats) {}

  std::uint64_t cycles = 0;
  LengthHits input_stall{}, bubble{}, output_stall{};
  std::array<std::uint64_t, 4> handshake{};  ///< bit 0 valid, bit 1 ready, of the output
  std::array<std::uint64_t, 4> idle{};
  std::vector<std::uint64_t> beats;  ///< blocks of 1, 2, ... beats
  std::array<std::uint64_t, 8> reset_pulse{};
  std::vector<std::uint64_t> reset_input_beat, reset_output_beat;
  std::array<std::uint64_t, 2> reset_while{}, configuration{}, last{};

  /// Calls tell(point, bin, hits) for what was hit.
  template <typename Tell>
  void tell_all(const Tell& tell) const {
    const auto point = [&](const char* name, const auto& hits) {
      for (std::size_t bin = 0; bin < hits.size(); ++bin) {
        if (hits[bin] != 0) tell(name, bin, hits[bin]);
      }
    };
    point("cycles", std::array{cycles});
    point("input_stall", input_stall);
    point("bubble", bubble);
    point("output_stall", output_stall);
    point("handshake", handshake);
    point("idle", idle);
    point("beats", beats);
    point("reset_pulse", reset_pulse);
    point("reset_input_beat", reset_input_beat);
    point("reset_output_beat", reset_output_beat);
    point("reset_while", reset_while);
    point("configuration", configuration);
    point("last", last);
  }
};

/// Follows one segment.
class Counting {
 public:
  Counting(const Tables& tables, Counts* counts) : tables_(tables), counts_(counts) {}

  /// A cycle of the input; `beat`: of the transaction that enters, `config` and `last` its own.
  void input(bool is_offering, bool is_taken, unsigned beat, std::uint64_t in_flight) {
    if (counts_ == nullptr) return;
    ++counts_->cycles;
    const bool is_inside = beat != 0 && tables_.input.packed.port == kNoPort;
    if (!is_offering) {
      ++gap_;
      ++counts_->idle[is_inside ? kInsideBlock : in_flight == 0 ? kEmpty : kBetweenBlocks];
      return;
    }
    if (!is_taken) return;
    hit_length(is_inside ? counts_->bubble : counts_->input_stall, gap_);
    gap_ = 0;
  }
  /// A transaction begins to enter.
  void begin(std::size_t config, bool last, unsigned beats) {
    if (counts_ == nullptr) return;
    ++counts_->last[last ? 1 : 0];
    if (beats - 1 < counts_->beats.size()) ++counts_->beats[beats - 1];
    if (had_config_) ++counts_->configuration[config == config_ ? 0 : 1];
    had_config_ = true;
    config_ = config;
  }
  void output(bool is_valid, bool is_ready) {
    if (counts_ == nullptr) return;
    ++counts_->handshake[(is_valid ? 1U : 0U) | (is_ready ? 2U : 0U)];
    if (!is_valid) return;
    if (!is_ready) {
      ++held_;
      return;
    }
    hit_length(counts_->output_stall, held_);
    held_ = 0;
  }
  /// A reset comes in the middle of a segment.
  void interrupt(unsigned input_beat, unsigned output_beat, std::uint64_t in_flight) {
    gap_ = held_ = 0;
    had_config_ = false;
    if (counts_ == nullptr) return;
    ++counts_->reset_while[in_flight == 0 ? 0 : 1];
    if (input_beat < counts_->reset_input_beat.size()) ++counts_->reset_input_beat[input_beat];
    if (output_beat < counts_->reset_output_beat.size()) ++counts_->reset_output_beat[output_beat];
  }
  void pulse(unsigned edges, bool is_valid) {
    if (counts_ == nullptr) return;
    ++counts_->reset_pulse[2 * std::min(edges, 3U) + (is_valid ? 1U : 0U)];
  }
  void drain() {
    if (counts_ != nullptr) ++counts_->idle[kAfterLast];
  }

 private:
  const Tables& tables_;
  Counts* counts_;
  std::uint64_t gap_ = 0, held_ = 0;
  bool had_config_ = false;
  std::size_t config_ = 0;
};

}  // namespace mx::bench
