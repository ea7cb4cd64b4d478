#include "fast/rules/binary32.hpp"

#include <bit>

namespace mx::fast {
namespace {

/// A real of the same value whose significand has 62 bits.
Real widened(Real x) {
  const int shift = std::countl_zero(x.significand) - 2;
  return {x.significand << shift, x.exponent - shift};
}

/// n / d, floor, in units small enough for every use here; `more`: there is a remainder.
Bound quotient(Real n, Real d) {
  const Real wide = widened(n);
  const std::uint64_t whole = wide.significand / d.significand;
  return {.least = {whole, wide.exponent - d.exponent},
          .more = whole * d.significand != wide.significand};
}

struct Placed {
  std::uint64_t lower;  ///< the magnitude below or at a number
  std::uint64_t rest;   ///< what lies between them, in units of 2^-shift of an ulp
  int shift;
};

/// Where a number stands among the magnitudes of a format, those beyond its infinity included.
Placed place(Layout layout, Real x) {
  const int top = x.exponent + static_cast<int>(std::bit_width(x.significand)) - 1;
  const int emin = 1 - layout.bias;
  const int above = top < emin ? 0 : top - emin;  // binades above the subnormals
  const int shift = emin + above - layout.man_bits - x.exponent;
  const std::uint64_t base = static_cast<std::uint64_t>(above) << layout.man_bits;
  if (shift <= 0) return {base + (x.significand << -shift), 0, 0};
  if (shift > 62) return {0, x.significand, 63};
  return {base + (x.significand >> shift), x.significand & ((std::uint64_t{1} << shift) - 1),
          shift};
}

std::uint32_t round_to(Layout layout, Real x, bool more) {
  if (x.significand == 0) return 0;
  const Placed at = place(layout, x);
  std::uint64_t word = at.lower;
  if (at.shift > 0) {
    const std::uint64_t half = std::uint64_t{1} << (at.shift - 1);
    const bool is_odd = (word & 1) != 0;
    if (at.rest > half || (at.rest == half && (more || is_odd))) ++word;
  }
  return word > layout.infinity() ? layout.infinity() : static_cast<std::uint32_t>(word);
}

}  // namespace

Real value_in(Layout layout, std::uint32_t magnitude) {
  const std::uint32_t field = magnitude >> layout.man_bits;
  const std::uint64_t leading = std::uint64_t{1} << layout.man_bits;
  const std::uint64_t fraction = magnitude & (leading - 1);
  const int unit = 1 - layout.bias - layout.man_bits;
  if (field == 0) return {fraction, unit};
  return {fraction | leading, unit + static_cast<int>(field) - 1};
}

Real times(Real a, Real b) { return {a.significand * b.significand, a.exponent + b.exponent}; }

std::uint32_t multiply32(std::uint32_t a, std::uint32_t b) {
  return round_to(kBinary32, times(value32(a), value32(b)), false);
}

std::uint32_t divide32(std::uint32_t a, std::uint32_t b) {
  if (a == 0) return 0;
  if (b == 0) return kInf32;
  const Bound q = quotient(value32(a), value32(b));
  return round_to(kBinary32, q.least, q.more);
}

std::uint32_t round_through(Layout layout, std::uint32_t magnitude) {
  const std::uint32_t word = round_to(layout, value32(magnitude), false);
  return word == layout.infinity() ? kInf32 : word32(value_in(layout, word));
}

std::uint32_t least_word(Layout layout, const Bound& bound) {
  if (bound.least.significand == 0) return bound.more || bound.is_open ? 1 : 0;
  const Placed at = place(layout, bound.least);
  const bool is_between = at.rest != 0 || bound.more;
  const std::uint64_t word = at.lower + (is_between || bound.is_open ? 1 : 0);
  return word > layout.infinity() ? layout.infinity() : static_cast<std::uint32_t>(word);
}

Bound reaching(Layout layout, std::uint32_t result, std::uint32_t n, std::uint32_t d) {
  // The middle between the result and the magnitude below it goes up where the result is even.
  const Real below = value_in(layout, result - 1);
  const Real middle = {2 * below.significand + 1, below.exponent - 1};
  Bound bound = quotient(times(middle, value32(d)), value32(n));
  bound.is_open = (result & 1) != 0;
  return bound;
}

std::uint32_t word32(Real x) {
  return x.significand == 0 ? 0 : least_word(kBinary32, {.least = x});
}

}  // namespace mx::fast
