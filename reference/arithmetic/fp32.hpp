// binary32 arithmetic on patterns, each operation rounded once, ties_to_even: what
// spec F1.2 writes as fl32(.). Quiet NaN without payload.
#pragma once

#include <cstdint>

#include "reference/number/unpacked.hpp"

namespace mx::fp32 {

using Bits = std::uint32_t;

inline constexpr Bits kOne = 0x3F800000;
inline constexpr Bits kMax = 0x7F7FFFFF;
inline constexpr Bits kInfinity = 0x7F800000;
inline constexpr Bits kSmallest = 0x00000001;  ///< 2^-149
inline constexpr Bits kSignBit = 0x80000000;

/// fl32(x): overflow to infinity; a NaN keeps its sign.
[[nodiscard]] Bits round(const Unpacked& x);
[[nodiscard]] Unpacked value(Bits bits);
/// fl32 of an integer below 2^24, so exact.
[[nodiscard]] Bits from_integer(std::uint32_t integer);

[[nodiscard]] Bits add(Bits a, Bits b);
[[nodiscard]] Bits subtract(Bits a, Bits b);
[[nodiscard]] Bits multiply(Bits a, Bits b);
[[nodiscard]] Bits divide(Bits a, Bits b);

[[nodiscard]] constexpr bool is_nan(Bits x) { return (x & ~kSignBit) > kInfinity; }
/// The smaller of two non-negative numbers; a NaN first operand stays.
[[nodiscard]] constexpr Bits at_most(Bits x, Bits limit) {
  return !is_nan(x) && x > limit ? limit : x;
}
[[nodiscard]] constexpr Bits at_least(Bits x, Bits limit) {
  return !is_nan(x) && x < limit ? limit : x;
}
/// a < b for non-negative operands, false if either is NaN.
[[nodiscard]] constexpr bool is_less(Bits a, Bits b) { return !is_nan(a) && !is_nan(b) && a < b; }

}  // namespace mx::fp32
