// A run of records through a device, every word compared that can be.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/answers/verdict.hpp"
#include "golden/answers/verify.hpp"
#include "golden/answers/waiver.hpp"
#include "sim/record/certificates.hpp"
#include "sim/record/device.hpp"

namespace mx::sim {

/// Where records come from: a pure function of their numbers.
struct RecordInput {
  /// Replaces the batch by records [first, last). Answers that stand in it are what is expected
  /// where `has_answers`.
  std::function<void(std::uint64_t first, std::uint64_t last, golden::RecordBatch&)> fill;
  bool has_answers = false;
};

/// An answer that was wrong.
struct RecordMismatch {
  std::uint64_t number = 0;
  golden::RecordBatch expected;  ///< one record each
  golden::RecordBatch actual;
  golden::OpenAnswer open;
};

struct RecordRunOptions {
  std::uint64_t first = 0;  ///< of the records to run, header.count of them
  std::size_t keep_mismatches = 20;
  /// Whose answers the device's are compared with, where the input has none; every one must agree
  /// with the device.
  std::vector<golden::AnswererFactory> judges;
  Judge judge = Judge::kReference;  ///< the reference, or both
  CertificateMaker make_certificate = make_fp32_certificate;
  golden::Observed observed;  ///< what of the device's answers is compared
  golden::Waivers waivers;    ///< known deviations
  /// Of the whole run: a device that takes longer has failed.
  std::chrono::steady_clock::duration time_limit = std::chrono::steady_clock::duration::max();
  golden::ForEachPiece for_each_piece;
  /// Called with records done.
  std::function<void(std::uint64_t)> progress;
};

struct RecordRun {
  golden::Verdict verdict;
  std::vector<golden::Verdict> by_config;
  std::vector<RecordMismatch> mismatches;         ///< the first few
  std::vector<RecordMismatch> first_of_each;      ///< the first one of each configuration with any
  std::vector<RecordMismatch> right;              ///< the first right answers of each configuration
  std::optional<CertificateCounts> certificates;  ///< nothing where none were asked
  std::vector<RecordDisagreement> disagreements;  ///< of the judges: the first few
  std::uint64_t disagreed = 0;                    ///< words on which they do not agree
  std::string protocol;                           ///< "" or what the device broke
  std::string shift;        ///< "" or from where on answers are those of a neighbour
  golden::Waivers waivers;  ///< with their uses
  int interrupted = 0;      ///< the signal that ended the run, 0 for none
  std::uint64_t declared = 0;
  double seconds = 0;
  std::string digest;  ///< SHA-256 over the answers in order, "" unless every record was checked

  /// 0, 1, 3 (nothing compared), 4, 6 (the judges do not agree), or 128 and the signal: spec V9.
  [[nodiscard]] int exit_code() const;
  /// The first mismatch of a configuration; nullptr where it has none.
  [[nodiscard]] const RecordMismatch* first_of(std::size_t config) const;
};

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
