// The cycles before a wrong answer as a waveform. A program that is compiled for it runs its
// transactions once to see when the answer comes, and once more to record what was before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "sim/bench/drive.hpp"

namespace mx::bench {

/// What to record, as the program's arguments say it: PATH ANSWER CYCLES BYTES.
struct Waves {
  std::string path;
  std::uint64_t answer = 0;  ///< number of the wrong answer; beyond the last: that one
  std::uint64_t cycles = 0;  ///< so many, or fewer where the file would be too large
  std::uint64_t bytes = 0;   ///< the file has at most so many, unless kLeast cycles have more
};

/// Cycles recorded in any case, and those after the answer.
inline constexpr std::uint64_t kLeastCycles = 8, kCyclesAfter = 2;

/// A device whose clock cycles are counted and, between two of them, recorded. Of a device without
/// a clock every evaluation is a cycle.
class Counted : public Device {
 public:
  /// Thrown after the last cycle that is recorded.
  struct Enough {};

  Counted(Device& device, const Tables& tables) : device_(device), clock_(tables.clock) {}

  void record(std::uint64_t first, std::uint64_t last) {
    first_ = first;
    last_ = last;
    records_ = true;
  }
  [[nodiscard]] std::uint64_t cycles() const { return cycles_; }

  void put(std::size_t port, const Bits& bits) override {
    if (port == clock_) level_ = (bits[0] & 1) != 0;
    device_.put(port, bits);
  }
  void get(std::size_t port, Bits& bits) const override { device_.get(port, bits); }
  void eval() override {
    device_.eval();
    const bool is_edge = level_ && !was_high_;
    was_high_ = level_;
    ++time_;
    if (records_ && cycles_ >= first_) device_.dump(time_);
    if (is_edge || clock_ == kNoPort) ++cycles_;
    if (records_ && cycles_ > last_) throw Enough();
  }

 private:
  Device& device_;
  std::size_t clock_;
  std::uint64_t cycles_ = 0, time_ = 0, first_ = 0, last_ = 0;
  bool level_ = false, was_high_ = false, records_ = false;
};

}  // namespace mx::bench
