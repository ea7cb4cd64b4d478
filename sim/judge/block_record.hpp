// A block of a stream as the record that it would be, for those who ask questions of records.
#pragma once

#include "golden/answers/answers.hpp"
#include "golden/vectors/header.hpp"
#include "sim/block/block.hpp"
#include "sim/judge/mismatch.hpp"

namespace mx::sim {

/// The header of records of blocks of these configurations: 32 lanes each, with keep and last.
[[nodiscard]] golden::VectorHeader block_header(const Configurations& configs);

/// A block with its right answer and a device's, as one record each.
struct BlockRecord {
  golden::RecordBatch expected;
  golden::RecordBatch actual;
  golden::OpenAnswer open;  ///< codes of lanes that are not kept are open, too
};

/// Makes records, one after the other, in the same place.
class BlockRecords {
 public:
  /// `header`: of block_header().
  explicit BlockRecords(const golden::VectorHeader& header);

  /// The record lives until the next one is made.
  [[nodiscard]] const BlockRecord& of(const BlockIn& block, const BlockOut& expected,
                                      const BlockOpen& open, const BlockOut& actual,
                                      Compare compare);
  [[nodiscard]] const BlockRecord& of(const Mismatch& m) {
    return of(m.block, m.expected, m.open, m.actual, m.compare);
  }

 private:
  std::vector<std::uint64_t> masks_;  ///< bits of the source, by configuration
  BlockRecord record_;
};

}  // namespace mx::sim
