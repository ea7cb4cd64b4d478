// The names of what a device may do otherwise: what a verdict prints of a cause and a waiver's `as`
// takes (docs/waivers.md).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/answers/change.hpp"
#include "golden/otherwise/variant.hpp"

namespace mx::golden {

/// Every name that records of the operation can have, policies first.
[[nodiscard]] std::vector<std::string> change_names(Operation operation);

/// Do two operations select, or compare, so that a device may do one for the other?
[[nodiscard]] constexpr bool is_of_one_kind(ArithmeticOperation a, ArithmeticOperation b) {
  const OperationKind kind = kind_of(a);
  return kind == kind_of(b) &&
         (kind == OperationKind::kSelected || kind == OperationKind::kCompared);
}

/// What is wrong with a change for records of the operation, "" if nothing: a name that it does not
/// have, or a value that the name does not take, with what it takes.
[[nodiscard]] std::string problem_of(const Change& change, Operation operation);

/// Changes a variant; false, and nothing changes, where the change says nothing of its
/// configuration. The change must have no problem.
bool apply(const Change& change, Variant& variant);

/// The changes without those `from` that mean nothing: every one of these configurations has that
/// value, or the other one already.
[[nodiscard]] std::vector<Change> in_short(std::vector<Change> changes,
                                           std::span<const Configuration> configurations);

/// The member of a waiver: `"as": {"rounding": "ties_to_away", "scale_codes": {"FF": "FE"}}`.
[[nodiscard]] std::string as_text(std::span<const Change> changes);

}  // namespace mx::golden
