// The names of what a device may do differently: what a verdict prints of a cause and the member
// `as` of a waiver takes (docs/waivers.md).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/deviation/deviating_answers.hpp"
#include "golden/deviation/deviation.hpp"

namespace mx::golden {

/// Every name that records of the operation can have, policies first.
[[nodiscard]] std::vector<std::string> deviation_names(Operation operation);

/// Do two operations select, or compare, so that a device may do one for the other?
[[nodiscard]] constexpr bool is_of_one_kind(ArithmeticOperation a, ArithmeticOperation b) {
  const OperationKind kind = kind_of(a);
  return kind == kind_of(b) &&
         (kind == OperationKind::kSelected || kind == OperationKind::kCompared);
}

/// What is wrong with a deviation for records of the operation, "" if nothing: a name that it does
/// not have, or a value that the name does not take, with what it takes.
[[nodiscard]] std::string problem_of(const Deviation& deviation, Operation operation);

/// Makes a configuration deviate. False, and nothing changes, where the deviation says nothing of
/// it. The deviation must have no problem.
bool apply(const Deviation& deviation, DeviatingConfiguration& changed);

/// The deviations without those `from` that mean nothing: every one of these configurations has
/// that value, or the other one already.
[[nodiscard]] std::vector<Deviation> in_short(std::vector<Deviation> deviations,
                                              std::span<const Configuration> configurations);

/// The member of a waiver: `"as": {"rounding": "ties_to_away", "scale_codes": {"FF": "FE"}}`.
[[nodiscard]] std::string as_text(std::span<const Deviation> deviations);

}  // namespace mx::golden
