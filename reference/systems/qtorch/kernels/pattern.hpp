// What the three kernels share: binary32 patterns taken apart and put together, shifts as the
// platforms do them.
#pragma once

#include <bit>
#include <cstdint>

#include "reference/systems/parts/bit_rounding.hpp"
#include "reference/systems/parts/machine.hpp"

namespace mx::systems::qtorch {

inline constexpr Bits kQuietNan = 0x7FC00000;  ///< every NaN of strict mode

/// A finite magnitude as significand * 2^(field - 150); the field of a subnormal is 1.
struct Parts {
  std::uint32_t significand = 0;  ///< below 2^24
  int field = 1;
};

[[nodiscard]] constexpr Parts parts_of(Bits magnitude) {
  const int field = static_cast<int>(magnitude >> 23);
  if (field == 0) return {magnitude, 1};
  return {(magnitude & 0x007FFFFF) | 0x00800000, field};
}

/// count / 2^shift, ties to even; any shift >= 0.
[[nodiscard]] constexpr std::uint32_t shifted_to_even(std::uint32_t count, int shift) {
  if (shift == 0) return count;
  if (shift > 31) return 0;
  const std::uint32_t kept = count >> shift;
  const std::uint32_t cut = count & ((std::uint32_t{1} << shift) - 1);
  const std::uint32_t half = std::uint32_t{1} << (shift - 1);
  return kept + static_cast<std::uint32_t>(cut > half || (cut == half && (kept & 1) != 0));
}

/// count * 2^(field - 150) as a pattern, count at most 2^24: what parts_of() took apart, but the
/// count may be small. It must be representable, `field` >= 1.
[[nodiscard]] constexpr Bits assembled(std::uint32_t count, int field) {
  if (count == 0) return 0;
  const int leading = 31 - std::countl_zero(count);
  const int its_field = field + leading - 23;
  if (its_field < 1) return count << (field - 1);
  if (its_field > 254) return fp32::kInfinity;
  const std::uint32_t significand = leading > 23 ? count >> 1 : count << (23 - leading);
  return static_cast<Bits>(its_field - 1) * 0x00800000 + significand;
}

/// a < b as numbers; neither is NaN.
[[nodiscard]] constexpr bool is_below(Bits a, Bits b) {
  const auto ordered = [](Bits x) {
    const auto magnitude = static_cast<std::int32_t>(magnitude_of(x));
    return sign_of(x) != 0 ? -magnitude : magnitude;
  };
  return ordered(a) < ordered(b);
}

/// 1 << n of the C source for any n: x86 and AArch64 take the count modulo 32, CUDA shifts all bits
/// out from 32 on.
[[nodiscard]] constexpr Bits one_shifted(std::int64_t n, Platform platform) {
  if (platform == Platform::kCuda && (n < 0 || n > 31)) return 0;
  return Bits{1} << (static_cast<std::uint32_t>(n) & 31);
}

/// The significand field with its low bits cleared by two shifts, right and left, of n.
[[nodiscard]] constexpr Bits cleared_below(std::int64_t n, Platform platform) {
  if (platform == Platform::kCuda && (n < 0 || n > 31)) return 0;
  const std::uint32_t count = static_cast<std::uint32_t>(n) & 31;
  return Bits{0x007FFFFF} >> count << count;
}

}  // namespace mx::systems::qtorch
