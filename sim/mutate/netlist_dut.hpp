// A netlist of mx_quantizer behind the Dut interface: a block travels as one beat or as several.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "sim/dut/dut.hpp"
#include "sim/dut/noise.hpp"
#include "sim/netlist/netlist.hpp"

namespace mx::sim {

/// Blocks have `build.block` lanes, the first ones of BlockIn; the others must not be kept. With
/// several beats the bench sees a block enter with its last beat and leave with its last beat.
/// Beats before that are this class's: gaps between them, ready, the specification of a payload
/// that waits, and that all beats of a block agree on what they say of it, and its pace, beat by
/// beat.
class NetlistDut final : public Dut {
 public:
  /// `mutant` 0 is the netlist as it was.
  NetlistDut(const NetlistLibrary& library, const NetlistBuild& build, int mutant);

  [[nodiscard]] std::string_view name() const override { return "netlist"; }
  void configure(const Setup& setup) override;
  void reset(const Reset& reset) override;
  void tick(const Drive& drive, Observed& observed) override;
  [[nodiscard]] bool peek(const Drive& drive, Observed& observed) override;
  [[nodiscard]] bool ready_is_registered() const override { return true; }
  void end_of_output() override;

 private:
  struct Pins {
    std::uint8_t *clk, *reset, *select;
    std::uint8_t *in_data, *in_keep, *in_last, *in_user, *in_valid, *in_ready;
    std::uint8_t *random, *random_ready;
    std::uint8_t *out_data, *out_keep, *out_last, *out_user, *out_valid, *out_ready;
  };
  struct Beat {
    std::array<std::uint8_t, kLanes> codes{};
    std::uint32_t keep = 0;
    std::uint16_t status = 0;
    bool last = false;
    bool operator==(const Beat&) const = default;
  };
  using RandomWord = std::array<std::uint8_t, kLanes>;

  void find_pins();
  void settle(const Drive& drive, Observed& observed);
  void show_beat(const BlockIn& block);
  void show_noise(Noise& noise);
  void show_random(Noise& noise);
  [[nodiscard]] int beats_of(const BlockIn& block) const;
  [[nodiscard]] Beat read_beat() const;
  void add_beat(const Beat& beat);
  void take_input(const BlockIn& block);
  void take_output(bool ready);
  void check_output(bool ready);
  void check_pace(const Drive& drive);
  [[nodiscard]] bool is_last_out() const {
    return beats_out_.empty() || beat_out_ + 1 >= beats_out_.front();
  }

  const NetlistLibrary& library_;
  NetlistBuild build_;
  int mutant_;
  std::vector<std::uint32_t> words_;  // by number of the configuration
  std::unique_ptr<Netlist> netlist_;
  Pins pins_{};
  int beat_in_ = 0;            // of the block that is offered
  bool beat_offered_ = false;  // and not taken
  std::deque<int> beats_out_;  // of each block in flight
  int beat_out_ = 0;           // of the first of them
  BlockOut block_out_;         // its beats so far
  bool shows_beat_ = false;    // in this cycle
  bool beat_ready_ = false;    // m_axis_tready of this cycle
  bool held_ = false;          // the beat before the last waits
  Beat held_beat_;
  std::deque<RandomWord> random_;
  std::unique_ptr<Pace> pace_;  // of beats
};

}  // namespace mx::sim
