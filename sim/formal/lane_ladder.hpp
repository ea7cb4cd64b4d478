// P1: the code of a lane is the one of its threshold certificate.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/formal/obligation.hpp"

namespace mx::sim {

/// For each element format: every source word under every scale code, each deterministic rounding,
/// overflow, NaN, zero-sign, int_min and source subnormal policy.
[[nodiscard]] std::vector<Obligation> lane_obligations();
/// For each element format: the same under stochastic rounding A of 8 bits, every random word.
[[nodiscard]] std::vector<Obligation> stochastic_lane_obligations();

}  // namespace mx::sim
