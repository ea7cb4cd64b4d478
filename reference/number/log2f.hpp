// Exponents as systems find them that take the logarithm in binary32: floor(fl32(log2 a)) and
// ceil(fl32(log2 a)). The rounded logarithm reaches k for a few values next to 2^k; how many
// follows in closed form, so no logarithm is computed. spec F11.3, F11.6
// and S3.3.
#pragma once

#include <cstdint>

namespace mx::log2f {

/// a is the pattern of a positive finite binary32 number, subnormals included.
[[nodiscard]] int floor_exponent(std::uint32_t a);
[[nodiscard]] int ceil_exponent(std::uint32_t a);

}  // namespace mx::log2f
