// Arrays of conversions: the same results as one by one, faster.
#pragma once

#include <cstdint>
#include <span>

#include "reference/element/encode.hpp"

namespace mx {

/// Converts an array: codes.size() == source.size(); `random` holds R for each element (it may be
/// empty unless the rounding is stochastic), `flags` one byte for each (or is empty). Returns the
/// OR of the flags.
std::uint8_t convert(const Conversion& conversion, std::span<const std::uint64_t> source,
                     std::span<const std::uint32_t> random, std::span<std::uint64_t> codes,
                     std::span<std::uint8_t> flags);

}  // namespace mx
