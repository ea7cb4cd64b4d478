// log2 and powers of two to 120 bits, rounded once: what torch's functions approximate. torch's own
// answers are one ulp away for a few inputs in a thousand, which is why scales are data
// (spec S8.3).
#pragma once

#include <cstdint>

#include "reference/number/unpacked.hpp"

namespace mx::emulators::aimet {

/// log2 of a positive finite value (sticky clear): exact for powers of two, else with sticky set
/// below 64 significand bits. Zero for 1.
[[nodiscard]] Unpacked log2(const Unpacked& x);

/// 2^x for a finite x of magnitude below 2^20.
[[nodiscard]] Unpacked exp2(const Unpacked& x);

/// fl32(log2 |x|) of a binary32 pattern: -Inf of 0, Inf of Inf, NaN of NaN.
[[nodiscard]] std::uint32_t log2_fp32(std::uint32_t x);

/// fl32(2^x): 0 of -Inf, Inf of Inf, NaN of NaN.
[[nodiscard]] std::uint32_t exp2_fp32(std::uint32_t x);

}  // namespace mx::emulators::aimet
