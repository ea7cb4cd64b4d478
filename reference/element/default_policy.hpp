// SPDX-License-Identifier: Apache-2.0
// The policy of a conversion of single values where neither a profile nor an option says otherwise:
// mxgold-default (spec F16.1). The one place that decides it.
#pragma once

#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// Where the destination has infinities, its overflow and its infinities are IEEE 754's; where it
/// has none, values saturate. Elements of blocks saturate in any format: theirs is ElementPolicy{}.
[[nodiscard]] constexpr ElementPolicy default_policy(const ElementFormat& destination) {
  ElementPolicy policy;
  if (destination.has_inf()) policy.overflow = Overflow::kNoneInfOrNan;
  return policy;
}

}  // namespace mx
