// The answers of a device that deviates, whatever the configuration.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "golden/deviation/names.hpp"

namespace mx::golden {

/// Not thread-safe: one for each thread.
class DeviatingDevice {
 public:
  /// `header` must live as long, and the deviations have no problem.
  DeviatingDevice(const VectorHeader& header, std::vector<Deviation> deviations);

  /// Would it give the answer in record i of `actual`, as far as that is compared? `expected` has
  /// the operands, and the right answer for configurations that the deviations do not concern or
  /// under which there is nothing to compute.
  [[nodiscard]] bool gives(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                           const OpenAnswer& open);

 private:
  DeviatingAnswers* of(std::size_t config);

  const VectorHeader* header_;
  std::vector<Deviation> deviations_;
  std::map<std::size_t, std::unique_ptr<DeviatingAnswers>> answers_;  ///< by configuration
};

}  // namespace mx::golden
