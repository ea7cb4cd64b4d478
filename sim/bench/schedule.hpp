// When a segment's sides wait and when it resets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "sim/drive/reset_plan.hpp"
#include "sim/drive/stall.hpp"

namespace mx::bench {

/// Schedules of `mix`, a segment each.
constexpr std::uint32_t kSchedules = 8;

struct Schedule {
  sim::StallPlan input_stall, output_stall;
  sim::ResetPlan reset;
  /// A segment without resets goes on where the one before it has ended, so that a device runs long
  /// without any; the first one of a run begins with a reset.
  bool begins_with_reset = true;
  std::uint64_t seed = 0;
  std::uint32_t segment = 0;
};

/// Of mixed schedules every other one is at full speed, and six of the eight are without resets.
/// `stall` and `reset` are words of the options.
[[nodiscard]] inline Schedule schedule_of(std::uint64_t seed, std::uint32_t segment,
                                          const std::string& stall, const std::string& reset) {
  using sim::Stall;
  Schedule schedule;
  schedule.seed = seed;
  schedule.segment = segment;
  const std::uint32_t turn = segment % kSchedules;
  if (stall != "mix") {
    schedule.input_stall = schedule.output_stall = *sim::parse_stall(stall);
  } else if (turn == 0) {
    schedule.input_stall = schedule.output_stall = Stall::kRandom;
  } else if (turn == 2) {
    schedule.input_stall = schedule.output_stall = Stall::kLight;
  } else if (turn == 4) {
    schedule.output_stall = Stall::kHeavy;
  } else if (turn == 6) {
    schedule.input_stall = Stall::kHeavy;
  }
  if (reset != "mix") {
    schedule.reset = *sim::ResetPlan::parse(reset);
  } else if (turn == 0) {
    schedule.reset.kind = sim::ResetPlan::Kind::kRandom;
  } else if (turn == 1) {
    schedule.reset.kind = sim::ResetPlan::Kind::kSweep;
  }
  schedule.begins_with_reset = segment == 0 || schedule.reset.kind != sim::ResetPlan::Kind::kNone;
  return schedule;
}

/// Transactions of a segment: few enough that a small run meets every schedule.
[[nodiscard]] inline std::size_t segment_of(std::uint64_t transactions) {
  constexpr std::uint64_t kLeast = 32, kMost = 512;
  return static_cast<std::size_t>(
      std::clamp((transactions + kSchedules - 1) / kSchedules, kLeast, kMost));
}

}  // namespace mx::bench
