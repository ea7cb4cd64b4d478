// SPDX-License-Identifier: Apache-2.0
#include "sim/clocked/schedule.hpp"

namespace mx::sim {
namespace {

/// Mixed stalls: sixteen segments in turn, nine of them at full speed.
void mix_stalls(std::uint32_t turn, DriveOptions& drive) {
  switch (turn) {
    case 0:
    case 8:
      drive.input_stall = drive.output_stall = Stall::kRandom;
      break;
    case 2:
      drive.input_stall = drive.output_stall = Stall::kLight;
      break;
    case 4:
      drive.output_stall = Stall::kHeavy;
      break;
    case 6:
      drive.input_stall = Stall::kHeavy;
      break;
    case 10:
      drive.input_stall = drive.output_stall = Stall::kHeavy;
      break;
    default:
      break;
  }
}

}  // namespace

DriveOptions drive_of_segment(const Schedule& schedule, std::uint64_t seed, std::uint32_t segment) {
  DriveOptions drive;
  drive.seed = seed;
  drive.segment = segment;
  const std::uint32_t turn = segment % 16;
  if (schedule.stall) {
    drive.input_stall = drive.output_stall = *schedule.stall;
  } else {
    mix_stalls(turn, drive);
  }
  if (schedule.reset) {
    drive.reset = *schedule.reset;
  } else if (turn == 1 || turn == 8) {
    drive.reset.kind = ResetPlan::Kind::kSweep;
  } else if (turn == 0) {
    drive.reset.kind = ResetPlan::Kind::kRandom;
  }
  return drive;
}

}  // namespace mx::sim
