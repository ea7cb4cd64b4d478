// Elements whose rounding is no comparison with thresholds of the block: stochastic ones, and those
// that draw nothing but are not ties_to_even.
//
// A magnitude has a code below and a next one; what is asked is whether its rounding carries it to
// the next. Every rounding answers with a place between the two, as a fraction of their distance
// that random_bits + 1 bits hold, so that nothing is divided: the place is brought to the element.
#pragma once

#include "fast/cuda_nvfp4/arithmetic.hpp"

namespace mx::fast::cuda_nvfp4 {

/// Where a rounding carries from: at parts / 2^(bits + 1) of the way, or beyond it where `strict`.
struct Carry {
  std::uint64_t parts;
  int bits;
  bool strict;
  bool never;
};

/// spec F9.1. Of variants B and C the random word's place lies half a unit lower; a tie of C goes
/// to an even number of units, of its other kind to an odd one.
[[nodiscard]] MX_HOST_DEVICE inline Carry carry_of(const Mode& mode, bool odd, bool negative,
                                                   std::uint32_t random) {
  if (mode.drawing != cuda::Drawing::kNone) {
    const std::uint64_t units = (std::uint64_t{1} << mode.random_bits) - random;
    const bool is_odd = (units & 1) != 0;
    const bool strict = (mode.drawing == cuda::Drawing::kC && is_odd) ||
                        (mode.drawing == cuda::Drawing::kCOdd && !is_odd);
    return {2 * units - (mode.drawing == cuda::Drawing::kA ? 0 : 1), mode.random_bits, strict,
            false};
  }
  const cpu::RoundingMasks& r = mode.rounding;
  const bool up = ((r.by_odd != 0 && odd) != (r.by_negative != 0 && negative)) != (r.always != 0);
  if (r.nearest != 0) return {1, 0, !up, false};
  return {0, 0, true, !up};
}

/// Is a magnitude `y` above the value of `code`, 0 .. 7, one of the next code?
[[nodiscard]] MX_HOST_DEVICE inline bool goes_up(const Mode& mode, const Elements& elements,
                                                 std::uint32_t y, std::uint32_t code, bool negative,
                                                 std::uint32_t random) {
  const bool odd = (code & 1u) != 0;
  const Carry carry = carry_of(mode, odd, negative, random);
  if (carry.never) return false;
  if (code == 0 && carry.parts == 0) return y != 0;
  // The code's value in steps to the next, and half a step of the lowest binade.
  const std::uint64_t steps = code < 4 ? code : 2 + (odd ? 1u : 0u);
  const int binade = code < 4 ? 0 : static_cast<int>(code / 2) - 1;
  const std::uint64_t place = (steps << (carry.bits + 1)) + carry.parts;
  return y >= first_at(elements.product * place, elements.exponent + binade - carry.bits - 2,
                       carry.strict);
}

/// The code of an element of binary32 magnitude `x`, and the status bits that it causes.
[[nodiscard]] MX_HOST_DEVICE inline cuda::Encoded encode_carried(const Mode& mode,
                                                                 const Elements& elements,
                                                                 std::uint32_t x, bool negative,
                                                                 std::uint32_t random) {
  const std::uint32_t sign = negative ? 8u : 0u;
  if (elements.zeros) return {sign, 0};
  const std::uint32_t y = scaled(mode, elements, x);
  if (y > kInfBits) return {mode.nan_code, 0};
  std::uint32_t code = 0;
  MX_UNROLL
  for (const std::uint32_t least : elements.least) code += y >= least ? 1u : 0u;
  if (code < 8 && goes_up(mode, elements, y, code, negative, random)) ++code;
  // A product that is infinite saturates without a report, as infinities do.
  const std::uint32_t report = code > 7 && y != kInfBits ? cuda::kSaturated
                               : code == 0 && y != 0     ? cuda::kUnderflow
                                                         : 0u;
  return {(code < 7 ? code : 7u) | sign, report};
}

}  // namespace mx::fast::cuda_nvfp4
