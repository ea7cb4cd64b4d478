// When the harness resets the device in mid-flight.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/block/stream.hpp"

namespace mx::sim {

/// none: only before the first block. sweep: 1, 2, 3, ... cycles after the previous one, so that
/// every pipeline stage is hit full and part full. random: 64 times, on average every 150 cycles.
/// at: in the listed cycles of every segment.
struct ResetPlan {
  enum class Kind : std::uint8_t { kNone, kSweep, kRandom, kAt };
  Kind kind = Kind::kNone;
  std::vector<std::uint64_t> cycles;  ///< of kAt, ascending

  /// "none", "sweep", "random" or "12,40,41"; nothing for anything else.
  [[nodiscard]] static std::optional<ResetPlan> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  bool operator==(const ResetPlan&) const = default;
};

/// What a reset looks like at the pins (Reset of sim/dut/dut.hpp).
struct ResetShape {
  std::uint32_t edges = 0;
  bool offering = false;
  constexpr bool operator==(const ResetShape&) const = default;
};

/// The resets of one segment.
class ResetSchedule {
 public:
  ResetSchedule(const ResetPlan& plan, std::uint64_t key, std::uint32_t substream);

  /// Should the device be reset before cycle `cycle`? Ask once for each cycle, ascending.
  bool due(std::uint64_t cycle) {
    if (cycle != next_) return false;
    advance();
    return true;
  }

  /// The shape of the latest reset, drawn: up to three clock edges, tvalid low or high.
  [[nodiscard]] ResetShape shape() const {
    const std::uint32_t word = shapes_.at(count_);
    return {word >> 30, (word & 1) != 0};
  }

 private:
  void advance();

  const ResetPlan* plan_;
  Stream stream_;
  Stream shapes_;
  std::uint64_t next_ = ~std::uint64_t{0};
  std::uint64_t count_ = 0;
};

}  // namespace mx::sim
