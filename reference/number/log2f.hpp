// Exponents as systems find them that take the logarithm in binary32: floor(fl32(log2 a)),
// ceil(fl32(log2 a)) and floor(fl32(fl32(log2 a) + 1/2)). The rounded logarithm reaches k, or
// k + 1/2, for a few values next to 2^k or sqrt(2) * 2^k; how many follows in closed form, so no
// logarithm is computed. spec F11.3, F11.6 and S3.3. On tensors of a narrower type the logarithm is
// rounded once more, to that type.
#pragma once

#include <cstdint>

namespace mx::log2f {

/// a is the pattern of a positive finite binary32 number, subnormals included.
[[nodiscard]] int floor_exponent(std::uint32_t a);
[[nodiscard]] int ceil_exponent(std::uint32_t a);
/// floor(fl32(fl32(log2 a) + 1/2)), spec F11.3.
[[nodiscard]] int nearest_exponent(std::uint32_t a);

/// A binary floating type as logarithms see it.
struct Type {
  int precision = 24;  ///< p, the hidden bit included: 24 (binary32), 53 (binary64), 8 (bf16), 11
  int emin = -126;     ///< exponent of the smallest normal number
};

/// N_p(k): how many of the type's numbers just below 2^k have a logarithm that becomes k when it is
/// rounded to the type; k lies between the smallest subnormal's exponent + 1 and emax + 1.
[[nodiscard]] int misread_below(const Type& type, int k);

}  // namespace mx::log2f
