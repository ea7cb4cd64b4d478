// The answers of a device that does some things otherwise, whatever the configuration.
#pragma once

#include <memory>
#include <vector>

#include "golden/otherwise/change.hpp"

namespace mx::golden {

/// Not thread-safe: one for each thread.
class OtherwiseModel {
 public:
  /// `header` must live as long, and the changes have no problem.
  OtherwiseModel(const VectorHeader& header, std::vector<Change> changes);

  /// Would it give the answer in record i of `actual`, as far as that is compared? `expected` has
  /// the operands, and the right answer for configurations that the changes do not concern or under
  /// which there is nothing to compute.
  [[nodiscard]] bool gives(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                           const OpenAnswer& open);

 private:
  VariantAnswers* of(std::size_t config);

  const VectorHeader* header_;
  std::vector<Change> changes_;
  std::vector<std::unique_ptr<VariantAnswers>> answers_;
  std::vector<bool> made_;
};

}  // namespace mx::golden
