// Positive numbers as integers, and binary32 arithmetic on patterns, each operation rounded once,
// ties_to_even: what spec F1.2 writes as fl32(.). And the way back: the least word for which such
// an operation reaches a result.
//
// Written for the fast paths alone; integers only, so that no state of the machine's floating point
// changes a bit.
#pragma once

#include <cstdint>

namespace mx::fast {

inline constexpr std::uint32_t kOne32 = 0x3F800000;
inline constexpr std::uint32_t kMax32 = 0x7F7FFFFF;
inline constexpr std::uint32_t kInf32 = 0x7F800000;

/// significand * 2^exponent, the significand below 2^62; zero where that is 0.
struct Real {
  std::uint64_t significand = 0;
  int exponent = 0;
};

/// A bound of the numbers that a step takes: those from `least` on, or those above it. With `more`
/// a little is added to `least`, less than one of its units.
struct Bound {
  Real least;
  bool more = false;
  bool is_open = false;  ///< above it
};

/// Magnitudes of a binary format of 16 or 32 bits.
struct Layout {
  int man_bits;
  int bias;
  [[nodiscard]] constexpr std::uint32_t infinity() const {
    return static_cast<std::uint32_t>(2 * bias + 1) << man_bits;
  }
};
inline constexpr Layout kBinary32{23, 127};

/// A finite magnitude; the pattern of infinity counts as the power of two above the largest.
[[nodiscard]] Real value_in(Layout layout, std::uint32_t magnitude);
[[nodiscard]] inline Real value32(std::uint32_t magnitude) {
  return value_in(kBinary32, magnitude);
}

/// The product. Exact: the significands may have 62 bits together.
[[nodiscard]] Real times(Real a, Real b);

/// fl32(a * b) of finite magnitudes.
[[nodiscard]] std::uint32_t multiply32(std::uint32_t a, std::uint32_t b);

/// fl32(a / b) of finite magnitudes; infinity where b is 0.
[[nodiscard]] std::uint32_t divide32(std::uint32_t a, std::uint32_t b);

/// A binary32 magnitude rounded to a format within binary32's range, ties_to_even, as the binary32
/// pattern of the result.
[[nodiscard]] std::uint32_t round_through(Layout layout, std::uint32_t magnitude);

/// The smallest magnitude of a format within a bound; its infinity where no number is.
[[nodiscard]] std::uint32_t least_word(Layout layout, const Bound& bound);

/// The pattern of a number that binary32 holds.
[[nodiscard]] std::uint32_t word32(Real x);

/// The numbers x with x * n / d, rounded to a format, >= result, a magnitude above 0 of that
/// format; n and d are binary32 patterns, finite and not 0.
[[nodiscard]] Bound reaching(Layout layout, std::uint32_t result, std::uint32_t n, std::uint32_t d);
[[nodiscard]] inline Bound reaching(std::uint32_t result, std::uint32_t n, std::uint32_t d) {
  return reaching(kBinary32, result, n, d);
}

}  // namespace mx::fast
