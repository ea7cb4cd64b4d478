// SPDX-License-Identifier: Apache-2.0
// When a device with a clock is stalled and reset, segment by segment.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/drive/driver.hpp"

namespace mx::sim {

/// Stalls and resets by segment. `mix`: every stall kind and both reset sweeps in turn, most
/// segments at full speed.
struct Schedule {
  std::optional<Stall> stall;      ///< nothing: mix
  std::optional<ResetPlan> reset;  ///< nothing: mix
};

/// What one segment of a run is driven with.
[[nodiscard]] DriveOptions drive_of_segment(const Schedule& schedule, std::uint64_t seed,
                                            std::uint32_t segment);

}  // namespace mx::sim
