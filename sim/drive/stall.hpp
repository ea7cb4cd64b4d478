// When the harness withholds valid on the input or ready on the output.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/block/stream.hpp"

namespace mx::sim {

/// How often and how long. Lengths of `random` are drawn from the classes of
/// spec V10: 0, 1, 2-3, 4-15 and 16 or more cycles.
enum class Stall : std::uint8_t { kNone, kLight, kHeavy, kRandom };

[[nodiscard]] std::string_view token_of(Stall stall);
[[nodiscard]] std::optional<Stall> parse_stall(std::string_view token);

/// One side's schedule: alternating runs of flowing and stalled cycles, a function of the seed and
/// of the number of cycles asked for, never of what the device does.
class StallSchedule {
 public:
  StallSchedule(Stall stall, std::uint64_t key, StreamUse side, std::uint32_t substream)
      : stall_(stall), stream_(key, side, substream) {}

  /// Is the next cycle stalled?
  bool next() {
    if (stall_ == Stall::kNone) return false;
    while (left_ == 0) start_run();
    --left_;
    return stalled_;
  }

 private:
  void start_run();

  Stall stall_;
  Stream stream_;
  std::uint32_t left_ = 0;
  bool stalled_ = true;
};

}  // namespace mx::sim
