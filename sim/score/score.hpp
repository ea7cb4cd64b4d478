// SPDX-License-Identifier: Apache-2.0
// What a scoreboard has seen of a device's answers: counts by configuration, and the few that are
// kept.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "golden/answers/verdict.hpp"
#include "golden/deviation/waiver.hpp"
#include "sim/score/certificates.hpp"

namespace mx::sim {

/// An answer that was wrong, or, where said so, right.
struct RecordMismatch {
  std::uint64_t number = 0;
  golden::RecordBatch expected;  ///< one record each
  golden::RecordBatch actual;
  golden::OpenAnswer open;  ///< what of it is not compared, waived words among it
  /// Of blocks the record before it in its segment, as it was offered.
  std::optional<golden::RecordBatch> previous = {};
};

struct Score {
  std::vector<golden::Verdict> by_config;
  std::vector<RecordMismatch> mismatches;         ///< the first few, by number
  std::vector<RecordMismatch> first_of_each;      ///< the first one of each configuration with any
  std::vector<RecordMismatch> right;              ///< some right ones of each configuration
  std::vector<CertificateCounts> certified;       ///< by configuration; none where none were asked
  std::vector<RecordDisagreement> disagreements;  ///< of reference and certificates: the first few
  std::uint64_t disagreed = 0;                    ///< words on which they do not agree
  golden::Waivers waivers;                        ///< with their uses

  /// Adds what another scoreboard has seen of other records of the same run.
  void add(Score&& other);
  /// Puts the rest of what is kept in the order of the records; `keep`: how many mismatches stay.
  void sort(std::size_t keep);
};

}  // namespace mx::sim
