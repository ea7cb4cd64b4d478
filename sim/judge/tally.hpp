// Counts of a run on streams: what was compared, and what was not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "golden/answers/verdict.hpp"

namespace mx::sim {

using golden::ElementCounts;

/// Counts of one configuration.
struct Tally {
  std::uint64_t blocks = 0;
  std::uint64_t elements = 0;  ///< kept lanes
  ElementCounts codes;         ///< of the elements
  std::uint64_t bad_blocks = 0;
  std::uint64_t bad_elements = 0;  ///< differing codes; a wrong scale alone counts no element
  // Of the words of all answers (scale, status bits, a code for each kept lane):
  std::uint64_t words = 0;       ///< compared
  std::uint64_t dont_care = 0;   ///< codes under a NaN scale that the policy leaves free
  std::uint64_t open = 0;        ///< left open by the profile
  std::uint64_t unobserved = 0;  ///< not given by the device
  std::uint64_t waived = 0;      ///< differ, as a waiver says
  std::uint64_t unjudged = 0;    ///< blocks of which no word was compared
  // Of the words compared, where certificates judge the run:
  std::uint64_t certified = 0;         ///< codes compared with a certificate
  std::uint64_t uncertified = 0;       ///< codes of which no certificate speaks
  std::uint64_t certified_scales = 0;  ///< scales compared with a certificate

  Tally& operator+=(const Tally& other);
  [[nodiscard]] std::uint64_t judged() const { return blocks - unjudged; }
};

/// Counts for each configuration of a run, by number.
class TallyTable {
 public:
  explicit TallyTable(std::size_t configurations = 0) : cells_(configurations) {}

  [[nodiscard]] Tally& at(std::uint32_t config) { return cells_.at(config); }
  [[nodiscard]] const Tally& at(std::uint32_t config) const { return cells_.at(config); }
  [[nodiscard]] std::span<const Tally> cells() const { return cells_; }
  [[nodiscard]] Tally total() const;

 private:
  std::vector<Tally> cells_;
};

}  // namespace mx::sim
