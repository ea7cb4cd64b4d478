// A set is what its name says: the operands of a file against those that its suite, seed, shard and
// configurations make again.
#pragma once

#include <memory>
#include <string>

#include "golden/stimulus/stimulus.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"

namespace mx::golden {

/// "" or what a header says of its set that no set of that name has: a suite that the operation has
/// not, another level, vectors drawn where none are or none where they are, random words that no
/// configuration takes, short records of operations that have full ones. Cheap: nothing is made.
[[nodiscard]] std::string header_problem(const VectorHeader& header);

class NamedSet {
 public:
  /// `header` must live as long. A set whose vectors come from elsewhere (tensors) is not made
  /// again. Throws VectorError where there is no such suite for the configurations.
  explicit NamedSet(const VectorHeader& header);
  ~NamedSet();

  /// Can the operands be made again?
  [[nodiscard]] bool is_checked() const { return stimulus_ != nullptr; }
  /// Requires is_checked().
  [[nodiscard]] const Stimulus& stimulus() const { return *stimulus_; }
  /// "" or why the header's count is not that of the shard.
  [[nodiscard]] std::string count_problem() const;
  /// "" or the first of the file's records [first, first + batch.size()) whose operands (`open`
  /// aside) are not those of the set.
  [[nodiscard]] std::string operand_problem(const RecordBatch& batch, std::uint64_t first) const;

 private:
  const VectorHeader& header_;
  std::unique_ptr<const Stimulus> stimulus_;
  ShardRange range_;
};

}  // namespace mx::golden
