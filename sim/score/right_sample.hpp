// SPDX-License-Identifier: Apache-2.0
// Which right answers are kept: what rules out causes. Those of each configuration are spread over
// the whole run, so that the special inputs that come first do not speak for all.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/score/score.hpp"

namespace mx::sim {

class RightSample {
 public:
  RightSample(std::size_t configurations, std::size_t lanes);

  /// Is the answer to this record one to keep?
  [[nodiscard]] bool wants(std::size_t config, std::uint64_t number) const;
  /// Keeps one that is wanted.
  void keep(std::size_t config, RecordMismatch&& right);
  /// All that were kept, by number.
  [[nodiscard]] std::vector<RecordMismatch> take();

 private:
  /// Of one configuration: records of whose mixed number these bits are zero. Where they become
  /// too many, one bit more.
  struct Kept {
    std::uint64_t mask = 0;
    std::vector<RecordMismatch> list;
  };
  std::vector<Kept> kept_;
  std::size_t most_;  ///< of each configuration
};

}  // namespace mx::sim
