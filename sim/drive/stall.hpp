// When the harness withholds valid on the input or ready on the output.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/block/stream.hpp"

namespace mx::sim {

/// How often and how long. Lengths of `random` are drawn from the classes of
/// spec V10: 0, 1, 2-3, 4-15 and 16 or more cycles.
/// `at`: the cycles of a list.
enum class Stall : std::uint8_t { kNone, kLight, kHeavy, kRandom, kAt };

[[nodiscard]] std::string_view token_of(Stall stall);
/// Everything but `at`, which needs its list.
[[nodiscard]] std::optional<Stall> parse_stall(std::string_view token);

/// One side's stalls in a segment.
struct StallPlan {
  Stall kind = Stall::kNone;
  /// Of kAt, ascending: the stalled ones of the cycles that the schedule is asked about, from 0.
  std::vector<std::uint64_t> cycles;

  StallPlan() = default;
  StallPlan(Stall stall) : kind(stall) {}  // NOLINT(google-explicit-constructor): a plan by name
  bool operator==(const StallPlan&) const = default;
};

/// One side's schedule: alternating runs of flowing and stalled cycles, a function of the seed and
/// of the number of cycles asked for, never of what the device does.
class StallSchedule {
 public:
  StallSchedule(const StallPlan& plan, std::uint64_t key, StreamUse side, std::uint32_t substream)
      : stall_(plan.kind), cycles_(plan.cycles), stream_(key, side, substream) {}

  /// Is the next cycle stalled?
  bool next() {
    if (stall_ == Stall::kNone) return false;
    if (stall_ == Stall::kAt) return is_listed();
    while (left_ == 0) start_run();
    --left_;
    return stalled_;
  }

 private:
  void start_run();
  bool is_listed();

  Stall stall_;
  std::vector<std::uint64_t> cycles_;
  std::uint64_t asked_ = 0;
  std::size_t listed_ = 0;  ///< of those before asked_
  Stream stream_;
  std::uint32_t left_ = 0;
  bool stalled_ = true;
};

}  // namespace mx::sim
