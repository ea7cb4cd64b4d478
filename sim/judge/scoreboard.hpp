// Compares answers with expectations, every bit, and counts by configuration.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "golden/answers/waiver.hpp"
#include "golden/bytes/sha256.hpp"
#include "sim/block/block.hpp"
#include "sim/block/model.hpp"
#include "sim/judge/tally.hpp"

namespace mx::sim {

/// strict: every bit of every code counts but for what a profile leaves open. normative: element
/// codes that the policy declares don't-care (a NaN scale under nan_scale_codes = dont_care) are
/// left out too.
enum class Compare : std::uint8_t { kStrict, kNormative };

/// A block that came out wrong, or, where said so, right.
struct Mismatch {
  std::uint64_t index = 0;  ///< in the whole run
  BlockIn block;
  BlockOut expected;
  BlockOpen open;
  BlockOut actual;
  Compare compare = Compare::kStrict;
  std::optional<BlockIn> previous = {};  ///< the block before it in its segment
};

class BlockRecords;  // sim/judge/block_record.hpp

/// One worker's scoreboard.
class Scoreboard {
 public:
  /// `configs` must live as long; `waivers`: of block_header(configs).
  Scoreboard(Compare compare, std::size_t keep, const Configurations& configs,
             golden::Waivers waivers = {});
  ~Scoreboard();
  Scoreboard(const Scoreboard&) = delete;
  Scoreboard& operator=(const Scoreboard&) = delete;

  /// Judges one answer. `index` is the block's number in the whole run, `open` what of it is not
  /// compared, `previous` the block before it.
  void check(std::uint64_t index, const BlockIn& block, const BlockOut& expected,
             const BlockOpen& open, const BlockOut& actual, const BlockIn* previous = nullptr);

  [[nodiscard]] const TallyTable& tallies() const { return tallies_; }
  /// The first `keep` mismatches seen.
  [[nodiscard]] const std::vector<Mismatch>& mismatches() const { return mismatches_; }
  /// The first one of each configuration that has any.
  [[nodiscard]] const std::vector<Mismatch>& first_of_each() const { return first_of_each_; }
  /// The first right answers of each configuration: what rules out causes.
  [[nodiscard]] const std::vector<Mismatch>& right() const { return right_; }
  /// With what this scoreboard waived.
  [[nodiscard]] const golden::Waivers& waivers() const { return waivers_; }

 private:
  /// What is not compared, with the words of a block that differ as a waiver says. Ports' keep and
  /// last, and codes of lanes that are not kept, are nothing to waive.
  [[nodiscard]] BlockOpen waive(std::uint64_t index, const BlockIn& block, const BlockOut& expected,
                                const BlockOpen& open, const BlockOut& actual);
  void count_words(const BlockIn& block, const BlockOpen& open, Tally& tally) const;

  /// The answer as waivers are asked about it, until the next one.
  [[nodiscard]] golden::AnswerAt as_record(std::uint64_t index, const BlockIn& block,
                                           const BlockOut& expected, const BlockOpen& open,
                                           const BlockOut& actual);

  Compare compare_;
  std::size_t keep_;
  const Configurations& configs_;
  golden::Waivers waivers_;
  std::unique_ptr<BlockRecords> records_;  ///< of those that waivers are asked about
  TallyTable tallies_;
  std::vector<Mismatch> mismatches_;
  std::vector<Mismatch> first_of_each_;
  std::vector<Mismatch> right_;
  std::vector<std::uint8_t> rights_;  ///< of each configuration
};

/// The codes that are compared, a bit a lane; those of lanes that are not kept are.
[[nodiscard]] std::uint32_t compared_lanes(Compare compare, const BlockOpen& open);

/// Do the answers agree?
[[nodiscard]] bool agrees(Compare compare, const BlockOut& expected, const BlockOpen& open,
                          const BlockOut& actual);

/// True if the wrong answers of a segment are the right answers of near neighbours, and the other
/// way round: blocks changed places, nothing was computed wrongly. `expected` covers `actual`.
[[nodiscard]] bool looks_reordered(std::span<const BlockOut> expected,
                                   std::span<const BlockOut> actual);

}  // namespace mx::sim
