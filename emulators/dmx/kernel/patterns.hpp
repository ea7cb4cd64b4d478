// Short ways for binary32 patterns: exact products with powers of two, integers, order, and the
// common cases of division and multiplication. Each gives what SoftMachine gives.
#pragma once

#include <bit>
#include <cstdint>

#include "emulators/common/bit_rounding.hpp"
#include "emulators/common/machine.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::emulators::dmx {

inline constexpr Bits kHidden = 0x00800000;
inline constexpr Bits kFraction = 0x007FFFFF;
inline constexpr Bits kQuietBit = 0x00400000;

/// m / 2^shift, ties to even.
[[nodiscard]] constexpr std::uint32_t shift_ties_to_even(std::uint32_t m, int shift) {
  if (shift == 0) return m;
  if (shift > 31) return 0;
  const std::uint32_t kept = m >> shift;
  const std::uint32_t rest = m & ((std::uint32_t{1} << shift) - 1);
  const std::uint32_t half = std::uint32_t{1} << (shift - 1);
  return kept + ((rest > half) | ((rest == half) & (kept & 1)));
}

/// The pattern of 2^exponent, rounded: zero from 2^-150 on, infinity from 2^128 on.
[[nodiscard]] constexpr Bits power_of_two(std::int64_t exponent) {
  if (exponent > 127) return fp32::kInfinity;
  if (exponent >= -126) return static_cast<Bits>(exponent + 127) << 23;
  return exponent >= -149 ? Bits{1} << (exponent + 149) : 0;
}

/// magnitude * 2^exponent with magnitude at most 2^24 and a result that binary32 holds exactly.
[[nodiscard]] constexpr Bits exact_pattern(Bits sign, std::uint32_t magnitude, int exponent) {
  if (magnitude == 0) return sign;
  const int top = static_cast<int>(std::bit_width(magnitude)) - 1;
  const int field = exponent + top + 127;
  if (field >= 1) {
    const Bits fraction = top > 23 ? 0 : (magnitude << (23 - top)) & kFraction;
    return sign | (static_cast<Bits>(field) << 23) | fraction;
  }
  return sign | magnitude << (exponent + 149);
}

/// x * 2^exponent, rounded once; a NaN becomes quiet.
[[nodiscard]] inline Bits scaled(Bits x, std::int64_t exponent) {
  const int field = exponent_field(x);
  const std::int64_t moved = field + exponent;
  if (field >= 1 && field <= 254 && moved >= 1 && moved <= 254) {
    return (x & ~fp32::kInfinity) | static_cast<Bits>(moved) << 23;
  }
  if (field == 255) return fp32::is_nan(x) ? x | kQuietBit : x;
  if (magnitude_of(x) == 0) return x;
  constexpr std::int64_t kFar = 1000;
  Unpacked value = fp32::value(x);
  value.exponent += static_cast<int>(exponent > kFar ? kFar : exponent < -kFar ? -kFar : exponent);
  return fp32::round(value);
}

/// Is a < b as numbers? False with a NaN.
[[nodiscard]] constexpr bool is_below(Bits a, Bits b) {
  if (fp32::is_nan(a) || fp32::is_nan(b)) return false;
  const auto key = [](Bits x) {
    const auto m = static_cast<std::int64_t>(magnitude_of(x));
    return sign_of(x) != 0 ? -m : m;
  };
  return key(a) < key(b);
}

/// Rounds the 48 bits of a product or quotient significand: `wide` in [2^46, 2^48).
[[nodiscard]] constexpr Bits round_normal(Bits sign, std::uint64_t wide, int exponent) {
  const int shift = 22 + static_cast<int>(wide >> 47);
  const std::uint64_t half = std::uint64_t{1} << shift;
  const std::uint64_t kept = wide >> (shift + 1);
  const std::uint64_t rest = wide & (2 * half - 1);
  const Bits up = (rest > half) | ((rest == half) & (kept & 1));
  const int field = exponent + shift - 22;
  return sign | ((static_cast<Bits>(field) << 23) + (static_cast<Bits>(kept) & kFraction) + up);
}

[[nodiscard]] inline Bits multiply(const SoftMachine& machine, Bits a, Bits b) {
  const int fa = exponent_field(a);
  const int fb = exponent_field(b);
  const int field = fa + fb - 127;
  if (fa == 0 || fb == 0 || fa == 255 || fb == 255 || field < 1 || field > 252) {
    return machine.multiply(a, b);
  }
  const std::uint64_t wide = std::uint64_t{(a & kFraction) | kHidden} * ((b & kFraction) | kHidden);
  return round_normal(sign_of(a ^ b), wide, field);
}

[[nodiscard]] inline Bits divide(const SoftMachine& machine, Bits a, Bits b) {
  const int fa = exponent_field(a);
  const int fb = exponent_field(b);
  const int field = fa - fb + 127;
  if (fa == 0 || fb == 0 || fa == 255 || fb == 255 || field < 2 || field > 252) {
    return machine.divide(a, b);
  }
  // The quotient of significands lies in (1/2, 2): 48 bits of it, a remainder in the last one.
  const std::uint64_t n = std::uint64_t{(a & kFraction) | kHidden} << 40;
  const std::uint64_t m = (b & kFraction) | kHidden;
  const std::uint64_t quotient = n / m;  // in (2^39, 2^41)
  const std::uint64_t sticky = n % m != 0 ? 1 : 0;
  return round_normal(sign_of(a ^ b), quotient << 7 | sticky, field - 1);
}

}  // namespace mx::emulators::dmx
