// What a device may do otherwise that gave wrong answers: a policy with another value, another
// reading of its operands, scales that end elsewhere; one of these or several at once.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/answers/change.hpp"
#include "golden/vectors/header.hpp"
#include "sim/record/run.hpp"

namespace mx::sim {

/// One thing done otherwise.
struct Otherwise {
  std::string text;  ///< "rounding ties_to_away for ties_to_even (spec F15)"
  /// What it concerns: of two that concern the same, a device has one.
  std::string subject;
  golden::Change change;
};

/// Everything that might explain a wrong answer of the run.
[[nodiscard]] std::vector<Otherwise> all_otherwise(const golden::VectorHeader& header,
                                                   std::span<const RecordMismatch> wrong);

}  // namespace mx::sim
