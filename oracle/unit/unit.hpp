// The oracle's matrix units: spec U1 and U2 with rationals.
#pragma once

#include <cstdint>

#include "oracle/dot/dot.hpp"
#include "reference/unit/unit.hpp"

namespace mx::oracle {

/// The code of D = A * B + C. Sides as those of dot(); the tensor scales are not looked at.
[[nodiscard]] std::uint64_t unit_dot(const UnitConfig& config, const DotSide& a, const DotSide& b,
                                     std::uint64_t c);

}  // namespace mx::oracle
