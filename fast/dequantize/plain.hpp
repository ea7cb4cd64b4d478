// One code to one word, for any scale: what the vector kernels hand over, and what tables are made
// of.
#pragma once

#include <cstdint>

#include "fast/dequantize/constants.hpp"

namespace mx::fast::dequantize {

/// The word of a code under a scale of 2^exponent.
[[nodiscard]] std::uint32_t plain_word(const DequantizeConstants& c, std::uint8_t code,
                                       int exponent);

/// The word of significand * 2^exponent, not zero.
[[nodiscard]] std::uint32_t rounded_word(const WordConstants& c, std::uint32_t significand,
                                         int exponent, bool negative);

/// The word of a zero.
[[nodiscard]] std::uint32_t zero_word(const WordConstants& c, bool negative);

/// The word of a code under any scale; a stray one counts as NaN.
[[nodiscard]] std::uint32_t plain_word(const DequantizeConstants& c, std::uint8_t code,
                                       Scale scale);

}  // namespace mx::fast::dequantize
