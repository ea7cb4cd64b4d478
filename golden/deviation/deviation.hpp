// SPDX-License-Identifier: Apache-2.0
// Deviations: what somebody else's configuration, or a device, has differently, by name.
#pragma once

#include <string>
#include <vector>

#include "reference/policy/fields.hpp"

namespace mx::golden {

/// One thing that a device does differently: a policy with another value, another reading of the
/// source, scales or codes changed. golden/deviation/names.hpp has the names.
struct Deviation {
  std::string field;  ///< "rounding", "scale_bottom"
  std::string from;   ///< the value that is replaced; "": any
  std::string to;     ///< "ties_to_away", "-128"
  auto operator<=>(const Deviation&) const = default;
};

/// The field with each of its other values, in their order.
[[nodiscard]] std::vector<Deviation> deviations_from(const PolicyField& field,
                                                     const std::string& from);

/// Sets a policy. False, and nothing changes, where the field has the value already or has not the
/// one that is replaced.
bool apply(const Deviation& deviation, Policies& policies);

}  // namespace mx::golden
