// What the three kernels share: binary32 patterns taken apart and put together, shifts as the
// platforms do them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulators/common/bit_rounding.hpp"
#include "emulators/common/machine.hpp"

namespace mx::emulators::qtorch {

inline constexpr Bits kQuietNan = 0x7FC00000;  ///< every NaN of strict mode

/// A finite magnitude as significand * 2^(field - 150); the field of a subnormal is 1.
struct Parts {
  std::uint32_t significand = 0;  ///< below 2^24
  int field = 1;
};

[[nodiscard]] constexpr Parts parts_of(Bits magnitude) {
  const int field = static_cast<int>(magnitude >> 23);
  const std::uint32_t hidden = field == 0 ? 0 : 0x00800000;
  return {(magnitude & 0x007FFFFF) | hidden, field + (field == 0 ? 1 : 0)};
}

/// count / 2^shift, ties to even; count below 2^24, any shift >= 0. Without branches: whether a
/// value is far below the quantum is a coin toss to a predictor.
[[nodiscard]] constexpr std::uint32_t shifted_to_even(std::uint32_t count, int shift) {
  const std::uint64_t scaled = std::uint64_t{count} << (32 - std::min(shift, 31));
  const std::uint64_t odd = scaled >> 32 & 1;
  return static_cast<std::uint32_t>((scaled + 0x7FFFFFFF + odd) >> 32);
}

/// count * 2^(field - 150) as a pattern, count at most 2^24: what parts_of() took apart, but the
/// count may be small. It must be representable, or is infinite; `field` >= 1.
[[nodiscard]] constexpr Bits assembled(std::uint32_t count, int field) {
  const int leading = 31 - std::countl_zero(count | 1);
  const int its_field = field + leading - 23;
  if (its_field < 1) return count << (field - 1);
  if (its_field > 254) return count == 0 ? 0 : fp32::kInfinity;
  const std::uint32_t significand = leading > 23 ? count >> 1 : count << (23 - leading);
  const Bits keep = count == 0 ? 0 : ~Bits{0};
  return (static_cast<Bits>(its_field - 1) * 0x00800000 + significand) & keep;
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

}  // namespace mx::emulators::qtorch
