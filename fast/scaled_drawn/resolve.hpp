// From a configuration to the factors of the kernels, or why there are none for it.
#pragma once

#include "fast/scaled/quantizer.hpp"
#include "fast/scaled_drawn/constants.hpp"

namespace mx::fast::scaled {

/// As resolve() of fast/scaled, for the roundings that draw.
[[nodiscard]] Checked<DrawnConstants> resolve_drawn(const ScaledBlockJob& job);

}  // namespace mx::fast::scaled
