// A run of records through devices, every word compared that can be.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/answers/verdict.hpp"
#include "sim/record/device.hpp"
#include "sim/score/input.hpp"
#include "sim/score/scoreboard.hpp"

namespace mx::sim {

struct RecordRunOptions : ScoreOptions {
  std::uint64_t first = 0;  ///< of the records to run, header.count of them
  /// The run in stretches, each from a device's fresh state; none: all records in one.
  std::vector<Segment> segments;
  unsigned threads = 1;                          ///< that run segments, a device each
  std::uint64_t stop_after = ~std::uint64_t{0};  ///< segments start while fewer records are wrong
  /// Of the whole run: a device that takes longer has failed.
  std::chrono::steady_clock::duration time_limit = std::chrono::steady_clock::duration::max();
  /// The signal that asks for the end, 0 for none: segments start while there is none.
  int (*interrupted)() = nullptr;
  /// Called from one thread at a time with records done.
  std::function<void(std::uint64_t)> progress;
};

/// What a device broke in records [first, last), which are a segment.
struct ProtocolFailure {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::string what;
  std::string shift = {};  ///< "" or from where on answers are those of a neighbour
};

struct RecordRun : Score {
  golden::Verdict verdict;                ///< of all configurations
  std::vector<ProtocolFailure> failures;  ///< by their first record
  std::string shift;                      ///< "" or from where on answers are those of a neighbour
  int interrupted = 0;                    ///< the signal that ended the run, 0 for none
  std::uint64_t declared = 0;
  std::uint64_t segments = 0;  ///< that were run
  double seconds = 0;
  std::string digest;  ///< SHA-256 over the answers in order, "" unless every record was checked

  /// 0, 1, 3 (nothing compared), 4, 6 (the judges do not agree), or 128 and the signal: spec V9.
  [[nodiscard]] int exit_code() const;
  /// "" or what the device broke first.
  [[nodiscard]] std::string protocol() const { return failures.empty() ? "" : failures[0].what; }
  /// The first mismatch of a configuration; nullptr where it has none.
  [[nodiscard]] const RecordMismatch* first_of(std::size_t config) const;
  /// Where certificates were asked, what they said of all configurations.
  [[nodiscard]] std::optional<CertificateCounts> certificates() const;
};

/// Runs through devices of the factory, or through one device.
[[nodiscard]] RecordRun run_records(const golden::VectorHeader& header, const RecordInput& input,
                                    const RecordDeviceFactory& make,
                                    const RecordRunOptions& options);
[[nodiscard]] RecordRun run_records(const golden::VectorHeader& header, const RecordInput& input,
                                    RecordDevice& device, const RecordRunOptions& options);

/// What a verdict says of a run beyond its result.
struct RecordTold {
  std::string_view device;
  std::uint64_t seed = 0;      ///< of the run; a file's set may have been drawn by another
  std::string_view note = {};  ///< what else there is to say of it, as the part that it was
};

/// The last line: "PASS 1,000/1,000 records, ...", with the seed and the digest of the answers.
[[nodiscard]] std::string record_verdict(const RecordRun& run, const golden::VectorHeader& header,
                                         const RecordTold& told);

}  // namespace mx::sim
