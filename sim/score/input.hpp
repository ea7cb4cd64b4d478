// SPDX-License-Identifier: Apache-2.0
// Where the records of a run come from.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "golden/vectors/record.hpp"

namespace mx::sim {

/// Where records come from: a pure function of their numbers, from any thread.
struct RecordInput {
  /// Replaces the batch by records [first, last). Answers that stand in it are what is expected
  /// where `has_answers`.
  std::function<void(std::uint64_t first, std::uint64_t last, golden::RecordBatch&)> fill;
  bool has_answers = false;
  /// Where a record comes from, for a person; may be empty.
  std::function<std::string(std::uint64_t)> describe{};
};

}  // namespace mx::sim
