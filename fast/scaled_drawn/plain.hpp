// Drawn roundings under real-valued scales one element at a time, by division: for blocks with
// infinities or NaN, and what the kernels are compared with.
#pragma once

#include "fast/scaled/plain.hpp"
#include "fast/scaled_drawn/constants.hpp"

namespace mx::fast::scaled {

/// Quantizes any block: its status word, the scale code in the low byte.
[[nodiscard]] std::uint16_t quantize_plain(const DrawnConstants& c, const PlainBlock& block);

}  // namespace mx::fast::scaled
