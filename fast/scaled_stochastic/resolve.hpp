// From a configuration to the factors of the kernels, or why there are none for it.
#pragma once

#include "fast/scaled/scaled_block_plan.hpp"
#include "fast/scaled_stochastic/constants.hpp"

namespace mx::fast::scaled {

/// As resolve() of fast/scaled, for the roundings that draw.
[[nodiscard]] Checked<StochasticConstants> resolve_stochastic(const ScaledBlockJob& job);

}  // namespace mx::fast::scaled
