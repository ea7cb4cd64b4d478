// The loop over elements that conversions of arrays and blocks share.
#pragma once

#include <cstdint>
#include <span>

#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx::kernel {

/// Encodes x * 2^-scale_exponent for every source code x. `random` may be empty where the rounding
/// is not stochastic; `flags` may be empty. Returns the OR of all flags.
std::uint8_t encode_elements(const ElementFormat& source, const ElementFormat& destination,
                             const ElementPolicy& policy, int scale_exponent,
                             std::span<const std::uint64_t> codes_in,
                             std::span<const std::uint32_t> random,
                             std::span<std::uint64_t> codes_out, std::span<std::uint8_t> flags);

}  // namespace mx::kernel
