// SPDX-License-Identifier: Apache-2.0
// How codes come back to values under a rule with a scale for the whole tensor: spec F12.2.
#pragma once

#include <cstdint>

#include "reference/policy/policy.hpp"

namespace mx {

enum class WayBack : std::uint8_t {
  kExact,     ///< code * scale * tensor scale, rounded once
  kProducts,  ///< fl32(code * fl32(scale * tensor scale))
  kQuotient   ///< fl32(code * fl32(scale / tensor scale)): the number of the tensor is a divisor
};

[[nodiscard]] constexpr WayBack way_back_of(ScaleRule rule) {
  if (rule == ScaleRule::kNvfp4Ct) return WayBack::kQuotient;
  return facts_of(rule).returns_in_fp32 ? WayBack::kProducts : WayBack::kExact;
}

}  // namespace mx
