// A whole run: every block of a source through devices, on several threads, in segments.
//
// A segment is a fixed number of blocks that starts with a reset and has its own stall and reset
// schedule. Everything in it is a function of the seed and of its number, so that the verdict and
// the digest depend neither on the threads nor on the shards.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/clocked/device.hpp"
#include "sim/clocked/schedule.hpp"
#include "sim/dut/kind.hpp"
#include "sim/judge/mismatch.hpp"
#include "sim/judge/tally.hpp"
#include "sim/record/run.hpp"
#include "sim/stimulus/block_source.hpp"

namespace mx::sim {

struct RunOptions {
  Schedule schedule;
  Compare compare = Compare::kStrict;
  Judge judge = Judge::kReference;
  /// Who answers beside what is expected; every one must agree with the device.
  std::vector<golden::AnswererFactory> judges;
  CertificateMaker make_certificate = make_fp32_certificate;
  Observes observed;        ///< what of the device's answers is compared; the device may give less
  golden::Waivers waivers;  ///< of block_header() of the source's configurations
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::uint64_t shard = 0;
  std::uint64_t shards = 1;
  std::uint64_t first = 0;                 ///< blocks [first, last) only; both ends are rounded
  std::uint64_t last = ~std::uint64_t{0};  ///< to nothing: segments are cut
  std::size_t keep_mismatches = 20;
  std::uint64_t stop_after = ~std::uint64_t{0};  ///< segments start while fewer blocks are wrong
  std::uint32_t segment_blocks = 2048;
  std::chrono::steady_clock::duration time_limit = std::chrono::hours(1);
  /// The signal that asks for the end, 0 for none: segments start while there is none.
  int (*interrupted)() = nullptr;
  /// Called from one thread at a time with blocks done and blocks in all.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

/// The schedule of one segment of a run.
[[nodiscard]] DriveOptions drive_of_segment(const RunOptions& options, std::uint32_t segment);

/// Blocks [first, last).
struct BlockRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// The blocks of this shard and range among `size`, segment by segment.
[[nodiscard]] std::vector<BlockRange> run_ranges(std::uint64_t size, const RunOptions& options);

struct RunResult {
  Configurations configs;  ///< of the run
  RecordRun records;       ///< the same run in records of block_header()
  TallyTable tallies;      ///< by their numbers
  DriveStats drive;
  std::optional<ProtocolCoverage> protocol;  ///< of a device with a clock
  std::vector<Mismatch> mismatches;          ///< the first few, by index
  /// The first one of each configuration that has any, by the configuration's number.
  std::vector<Mismatch> first_of_each;
  std::vector<Mismatch> right;  ///< the first right ones of each configuration
  std::vector<ProtocolFailure> failures;
  golden::Waivers waivers;  ///< with what each of them covered
  Judge judge = Judge::kReference;
  std::vector<Disagreement> disagreements;  ///< of the judges: the first few, by index
  std::uint64_t disagreed = 0;              ///< words on which they do not agree
  std::uint64_t declared = 0;               ///< blocks of this shard and range
  std::uint64_t segments = 0;
  std::uint64_t reset_segments = 0;
  std::uint64_t stalled_segments = 0;
  double seconds = 0;
  int interrupted = 0;  ///< the signal that ended the run, 0 for none
  std::string digest;   ///< SHA-256 over the answers in order, "" unless every block was checked

  [[nodiscard]] std::uint64_t checked() const { return tallies.total().blocks; }
  /// 0, 1 or 4, and 3 if there was nothing to do: spec V9. 1 also for waivers that have failed; 6
  /// where the judges do not agree on what is right; 128 and the signal of a run that one ended.
  [[nodiscard]] int exit_code() const;
};

/// Runs. Throws StimulusError where there is nothing to run; DutError only from making a device.
[[nodiscard]] RunResult run(const BlockSource& source, const DutFactory& make_dut,
                            const RunOptions& options);

}  // namespace mx::sim
