// What the policies of spec F10 make of zero, overflow, infinity and NaN, as codes:
// written from the tables of that section, not from the reference.
#pragma once

#include <array>
#include <cstdint>

#include "golden/certificates/certificate.hpp"
#include "reference/format/format.hpp"

namespace mx::golden {

/// Every cell of the policy tables for a destination.
[[nodiscard]] SpecialCodes special_codes(const ElementFormat& destination);

/// Ranks below this are zeros, by dst_ftz: rank 0 itself, and the subnormals where they are
/// flushed (spec F8 step 9). 0 for formats without zero.
[[nodiscard]] std::array<std::uint32_t, kCertifiedFlushes.size()> first_kept_ranks(
    const ElementFormat& destination);

}  // namespace mx::golden
