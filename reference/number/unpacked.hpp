// A value in flight between decode and encode.
#pragma once

#include <bit>
#include <cstdint>

#include "reference/format/format.hpp"

namespace mx {

enum class ValueClass : std::uint8_t { kZero, kFinite, kInf, kNan };

/// An extended real with a sign. For kFinite the magnitude is
///   significand * 2^(exponent - 63),  significand in [2^63, 2^64),
/// so `exponent` is floor(log2|x|); `sticky` says that the true magnitude lies strictly between
/// this one and the next significand (quotients and products wider than 64 bits).
struct Unpacked {
  ValueClass cls = ValueClass::kZero;
  bool negative = false;
  bool signaling = false;  ///< NaN only: the source code was a signalling NaN
  bool sticky = false;
  int exponent = 0;
  std::uint64_t significand = 0;
  constexpr bool operator==(const Unpacked&) const = default;
};

/// The value of a code: spec F7. Bits of `code` above format.bits must be zero.
[[nodiscard]] Unpacked decode(const ElementFormat& format, std::uint64_t code);

/// magnitude * 2^exponent as an Unpacked; magnitude 0 gives a zero of the sign.
[[nodiscard]] constexpr Unpacked unpack_integer(bool negative, std::uint64_t magnitude,
                                                int exponent) {
  Unpacked x;
  x.negative = negative;
  if (magnitude == 0) return x;
  const int zeros = std::countl_zero(magnitude);
  x.cls = ValueClass::kFinite;
  x.significand = magnitude << zeros;
  x.exponent = exponent + 63 - zeros;
  return x;
}

/// The product of exact extended reals (sticky clear), sticky where it needs more than 64 bits; NaN
/// if an operand is NaN or for 0 * Inf.
[[nodiscard]] Unpacked multiply(const Unpacked& a, const Unpacked& b);

/// Three-way comparison of magnitudes (sticky included); neither operand may be NaN.
[[nodiscard]] int compare_magnitude(const Unpacked& a, const Unpacked& b);

}  // namespace mx
