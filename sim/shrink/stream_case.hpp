// Cases of devices with a clock: blocks of 32 lanes with their schedule.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/deviation/waiver.hpp"
#include "sim/drive/driver.hpp"
#include "sim/dut/kind.hpp"
#include "sim/judge/mismatch.hpp"
#include "sim/judge/tally.hpp"
#include "sim/shrink/case.hpp"

namespace mx::sim {

/// What of a run stays as it is while its case shrinks.
struct StreamSetting {
  DutFactory make;
  Compare compare = Compare::kStrict;
  Observes observed;       ///< of what the device gives
  std::uint64_t seed = 0;  ///< of noise, reset shapes and the device's own state
  std::uint32_t segment = 0;
  std::chrono::steady_clock::duration time_limit = std::chrono::minutes(1);  ///< for one case
  golden::Waivers waivers = {};  ///< those of single blocks do not count
};

/// What came of a case.
struct StreamOutcome {
  std::string protocol;              ///< "" or what the device broke
  std::vector<Mismatch> mismatches;  ///< the first few wrong blocks, by their numbers in the case
  Tally total;

  [[nodiscard]] bool has_failed() const { return !protocol.empty() || total.bad_blocks != 0; }
  /// The same kind of failure? Protocol failures are the same where their words are, numbers apart.
  [[nodiscard]] bool fails_like(const StreamOutcome& other) const;
};

/// Source and random words of each lane, then keep and last.
[[nodiscard]] std::vector<Slot> stream_slots(const golden::Configuration& configuration);

[[nodiscard]] Case stream_case(const Configurations& configs, std::span<const BlockIn> blocks,
                               const DriveOptions& drive);
[[nodiscard]] std::vector<BlockIn> blocks_of(const Case& failure);

/// The case with the stalls and resets of its first `cycles` cycles as lists.
[[nodiscard]] Case with_listed_cycles(const Case& failure, const StreamSetting& setting,
                                      std::uint64_t cycles);

/// Runs a case through a fresh device, against the reference.
[[nodiscard]] StreamOutcome run_case(const Case& failure, const StreamSetting& setting);

}  // namespace mx::sim
