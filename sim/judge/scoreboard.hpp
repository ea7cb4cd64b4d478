// Compares answers with expectations, every bit, and counts by configuration.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "golden/bytes/sha256.hpp"
#include "sim/block/block.hpp"

namespace mx::sim {

/// strict: every bit of every code counts. normative: element codes that the policy declares
/// don't-care (a NaN scale under nan_scale_codes = dont_care) are left out.
enum class Compare : std::uint8_t { kStrict, kNormative };

/// A block that came out wrong.
struct Mismatch {
  std::uint64_t index = 0;  ///< in the whole run
  BlockIn block;
  BlockOut expected;
  BlockOut actual;
};

/// Counts of one cell of the table.
struct Tally {
  std::uint64_t blocks = 0;
  std::uint64_t elements = 0;  ///< kept lanes
  std::uint64_t bad_blocks = 0;
  std::uint64_t bad_elements = 0;  ///< differing codes; a wrong scale alone counts no element

  Tally& operator+=(const Tally& other);
};

/// Counts for each configuration: the low 12 bits of the configuration word hold format, rounding,
/// rule and source (spec R5.6).
class TallyTable {
 public:
  static constexpr std::size_t kCells = std::size_t{1} << 12;
  TallyTable() : cells_(kCells) {}

  [[nodiscard]] Tally& at(std::uint32_t config_word) { return cells_[config_word % kCells]; }
  [[nodiscard]] const Tally& at(std::uint32_t config_word) const {
    return cells_[config_word % kCells];
  }
  [[nodiscard]] std::span<const Tally> cells() const { return cells_; }
  [[nodiscard]] Tally total() const;
  TallyTable& operator+=(const TallyTable& other);

 private:
  std::vector<Tally> cells_;
};

/// One worker's scoreboard.
class Scoreboard {
 public:
  Scoreboard(Compare compare, std::size_t keep) : compare_(compare), keep_(keep) {}

  /// Judges one answer. `index` is the block's number in the whole run.
  void check(std::uint64_t index, const BlockIn& block, const BlockOut& expected,
             const BlockOut& actual);

  [[nodiscard]] const TallyTable& tallies() const { return tallies_; }
  /// The first `keep` mismatches seen.
  [[nodiscard]] const std::vector<Mismatch>& mismatches() const { return mismatches_; }

 private:
  Compare compare_;
  std::size_t keep_;
  TallyTable tallies_;
  std::vector<Mismatch> mismatches_;
};

/// Do the answers agree?
[[nodiscard]] bool agrees(Compare compare, const BlockIn& block, const BlockOut& expected,
                          const BlockOut& actual);

/// True if the wrong answers of a segment are the right answers of near neighbours, and the other
/// way round: blocks changed places, nothing was computed wrongly. `expected` covers `actual`.
[[nodiscard]] bool looks_reordered(std::span<const BlockOut> expected,
                                   std::span<const BlockOut> actual);

}  // namespace mx::sim
