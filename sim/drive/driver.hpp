// Drives one segment of blocks through a device cycle by cycle, with stalls and resets, and checks
// the protocol. It knows nothing about values.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>

#include "sim/coverage/protocol_coverage.hpp"
#include "sim/drive/reset_plan.hpp"
#include "sim/drive/stall.hpp"
#include "sim/dut/dut.hpp"

namespace mx::sim {

/// What a segment's schedule depends on: with these and the blocks every cycle is determined.
struct DriveOptions {
  StallPlan input_stall;
  StallPlan output_stall;
  ResetPlan reset;
  std::uint64_t seed = 0;
  std::uint32_t segment = 0;
  std::uint64_t first = 0;               ///< the number in the run of the first block
  ProtocolCoverage* coverage = nullptr;  ///< samples every cycle, if there is one
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

struct DriveStats {
  std::uint64_t cycles = 0;
  std::uint64_t offered = 0;    ///< blocks the device accepted, blocks lost to a reset not counted
  std::uint64_t collected = 0;  ///< blocks that came out
  std::uint64_t resets = 0;     ///< without the one before the first block
  std::uint64_t input_stalls = 0;
  std::uint64_t output_stalls = 0;
};

/// Takes the answers: the index in the segment, and what came out.
using Collect = std::function<void(std::size_t, const BlockOut&)>;

/// Resets the device, offers `blocks` in order and hands every answer to `collect`, once each and
/// in order. Blocks in flight at a reset are offered again after it. Throws DutError on a protocol
/// violation: payload or valid changed under back-pressure, valid that waits for ready, ready
/// that waits for valid where the device promises that it does not, an answer to no question, no
/// progress within the device's patience, left-over answers at the end, the deadline, and, if
/// nothing else is wrong, another pace than the device declares.
DriveStats drive(Dut& dut, std::span<const BlockIn> blocks, const DriveOptions& options,
                 const Collect& collect);

}  // namespace mx::sim
