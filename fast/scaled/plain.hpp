// The thresholds of fast/scaled/constants.hpp asked one element at a time: for blocks with
// infinities or NaN, and for maxima beyond which ggml's errors in binary32 are equal.
#pragma once

#include "fast/cpu/plain.hpp"
#include "fast/scaled/constants.hpp"

namespace mx::fast::scaled {

using cpu::PlainBlock;

/// Quantizes any block: its status word, the scale code in the low byte.
[[nodiscard]] std::uint16_t quantize_plain(const Constants& c, const PlainBlock& block);

/// The scale's part of the status word of a block whose maximum is finite.
[[nodiscard]] std::uint16_t scale_status(const ScaleConstants& c, std::uint32_t maximum);

}  // namespace mx::fast::scaled
