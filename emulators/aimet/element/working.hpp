// binary32 and 16-bit arithmetic on patterns, quick where operands and results are normal numbers;
// everything else is left to the soft machine. The answers are those of SoftMachine and
// rounded_to(), which tests/emulators/aimet compares.
#pragma once

#include <bit>
#include <cstdint>

#include "emulators/common/bit_rounding.hpp"
#include "emulators/common/machine.hpp"
#include "emulators/common/number_type.hpp"
#include "emulators/common/tensor.hpp"

namespace mx::emulators::aimet {

inline constexpr Bits kNan =
    0x7FC00000;  ///< the one NaN of results: its bits are no part of compat

[[nodiscard]] constexpr bool is_normal(Bits x) {
  const int field = exponent_field(x);
  return field != 0 && field != 255;
}

/// How the last place of a quotient or product is found: to the nearest, ties to even, or kept odd
/// if anything was cut off, so that another rounding to at most 22 bits rounds the exact value.
enum class LastPlace : std::uint8_t { kNearestEven, kOdd };

/// A significand of 24 bits and one bit below it, with `rest` of what is under that, and the
/// exponent field of a number; nothing is checked but the range of the field.
template <LastPlace kPlace>
[[nodiscard]] inline bool pack_normal(Bits sign, int field, std::uint32_t wide, bool rest,
                                      Bits& packed) {
  const std::uint32_t kept = wide >> 1;
  std::uint32_t up = 0;
  if constexpr (kPlace == LastPlace::kNearestEven) {
    up = wide & 1 & (static_cast<std::uint32_t>(rest) | kept);
  } else {
    up = ~kept & 1 & ((wide & 1) | static_cast<std::uint32_t>(rest));
  }
  packed = sign | ((static_cast<std::uint32_t>(field - 1) << 23) + kept + up);
  return field >= 1 && field < 254;
}

template <LastPlace kPlace = LastPlace::kNearestEven>
[[nodiscard]] inline bool divide_normal(Bits a, Bits b, Bits& quotient) {
  if (!is_normal(a) || !is_normal(b)) return false;
  const std::uint32_t x = (a & 0x7FFFFF) | 0x800000, y = (b & 0x7FFFFF) | 0x800000;
  const int below = x < y ? 1 : 0;
  const std::uint64_t numerator = std::uint64_t{x} << (24 + below);
  const std::uint64_t wide = numerator / y;
  const int field = exponent_field(a) - exponent_field(b) + 127 - below;
  return pack_normal<kPlace>((a ^ b) & fp32::kSignBit, field, static_cast<std::uint32_t>(wide),
                             wide * y != numerator, quotient);
}

template <LastPlace kPlace = LastPlace::kNearestEven>
[[nodiscard]] inline bool multiply_normal(Bits a, Bits b, Bits& product) {
  if (!is_normal(a) || !is_normal(b)) return false;
  const std::uint64_t x = (a & 0x7FFFFF) | 0x800000, y = (b & 0x7FFFFF) | 0x800000;
  const std::uint64_t exact = x * y;  // 47 or 48 bits
  const int above = static_cast<int>(exact >> 47);
  const int cut = 22 + above;
  const int field = exponent_field(a) + exponent_field(b) - 127 + above;
  return pack_normal<kPlace>((a ^ b) & fp32::kSignBit, field,
                             static_cast<std::uint32_t>(exact >> cut),
                             (exact & ((std::uint64_t{1} << cut) - 1)) != 0, product);
}

[[nodiscard]] inline Bits divide(Bits a, Bits b) {
  Bits quotient = 0;
  return divide_normal(a, b, quotient) ? quotient : SoftMachine{}.divide(a, b);
}

[[nodiscard]] inline Bits multiply(Bits a, Bits b) {
  Bits product = 0;
  return multiply_normal(a, b, product) ? product : SoftMachine{}.multiply(a, b);
}

/// rounded_to().
[[nodiscard]] inline Bits rounded(TensorType type, Bits x) {
  if (type == TensorType::kFp32) return x;
  const Bits magnitude = magnitude_of(x);
  if (type == TensorType::kBf16 && magnitude < fp32::kInfinity) {
    return (x + 0x7FFF + (x >> 16 & 1)) & 0xFFFF0000;
  }
  if (type == TensorType::kFp16 && magnitude >= 0x38800000 && magnitude < 0x477FF000) {
    return (x + 0xFFF + (x >> 13 & 1)) & 0xFFFFE000;
  }
  if (magnitude == 0) return x;
  return rounded_to(type, x);
}

/// widen().
[[nodiscard]] inline Bits widened(TensorType type, std::uint64_t word) {
  const Bits bits = static_cast<Bits>(word);
  if (type == TensorType::kFp32) return bits;
  if (type == TensorType::kBf16 && (bits & 0x7F80) != 0x7F80) return bits << 16;
  const Bits field = bits >> 10 & 0x1F;
  if (type == TensorType::kFp16 && field != 0 && field != 0x1F) {
    return (bits & 0x8000) << 16 | (((bits & 0x7FFF) << 13) + 0x38000000);
  }
  return widen(type, word);
}

/// narrow() of a value that rounded() has made fit.
[[nodiscard]] inline std::uint64_t narrowed(TensorType type, Bits x) {
  const Bits magnitude = magnitude_of(x);
  if (type == TensorType::kFp32) return x;
  if (type == TensorType::kBf16 && magnitude <= fp32::kInfinity) return x >> 16;
  if (type == TensorType::kFp16 && magnitude >= 0x38800000 && magnitude < 0x47800000) {
    return (x >> 16 & 0x8000) | (magnitude - 0x38000000) >> 13;
  }
  return narrow(type, x);
}

/// Ties to even at a pattern's bit `cut`; the carry into the exponent field is the next binade.
[[nodiscard]] constexpr Bits round_at(Bits pattern, int cut) {
  if (cut == 0) return pattern;
  const Bits below_half = (Bits{1} << (cut - 1)) - 1;
  return (pattern + below_half + (pattern >> cut & 1)) & ~((Bits{1} << cut) - 1);
}

/// A finite magnitude rounded, ties to even, to `mantissa_bits` (0..22) below its leading bit, from
/// 2^emin down to the quantum 2^(emin - mantissa_bits). emin is -127, -126, or -63 and more.
[[nodiscard]] inline Bits round_pattern(Bits magnitude, int emin, int mantissa_bits) {
  const int exponent = exponent_field(magnitude) - 127;
  const int dropped = 23 - mantissa_bits;
  // binary32's own subnormals have one quantum, 2^-149.
  if (emin < -126 && exponent < -126) return round_at(magnitude, dropped - 1);
  if (exponent >= emin && exponent >= -126 && mantissa_bits == 0) {
    // One quantum and a half is a tie: up, to two.
    return (magnitude + (Bits{1} << 22)) & 0x7F800000;
  }
  if (exponent >= emin || emin <= -126) return round_at(magnitude, dropped);
  const int cut = dropped + emin - exponent;
  if (cut > 24) return 0;
  const Bits kept = round_at((magnitude & 0x7FFFFF) | 0x800000, cut) >> cut;
  if (kept == 0) return 0;
  const int lead = 31 - std::countl_zero(kept);
  const Bits fraction = (kept << (23 - lead)) & 0x7FFFFF;
  return static_cast<Bits>(lead + emin - mantissa_bits + 127) << 23 | fraction;
}

}  // namespace mx::emulators::aimet
