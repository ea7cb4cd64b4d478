// The one rounding decision. The increment happens elsewhere (encode.cpp), so that the decision can
// be read, proved and compared with the RTL on its own.
#pragma once

#include <cstdint>

#include "reference/policy/policy.hpp"

namespace mx {

/// What is cut off below the last kept bit: the fraction of an ulp as a 64-bit binary fraction,
/// and whether anything nonzero lies below those 64 bits.
struct Discarded {
  std::uint64_t fraction = 0;
  bool below = false;
  [[nodiscard]] constexpr bool guard() const { return (fraction >> 63) != 0; }
  [[nodiscard]] constexpr bool sticky() const { return ((fraction << 1) != 0) | below; }
  [[nodiscard]] constexpr bool exact() const { return fraction == 0 && !below; }
};

/// Does the magnitude go up to the next representable one? spec F9.1.
/// Guard, sticky and parity are coin tosses to a branch predictor: hence & and |, not && and ||.
/// `odd` is the parity of the lower candidate. Stochastic modes: random_bits N in 1..32, random R
/// in [0, 2^N); other modes ignore both. An exact value (nothing discarded) never moves.
[[nodiscard]] constexpr bool round_up(Rounding rounding, bool negative, bool odd, Discarded d,
                                      int random_bits, std::uint32_t random) {
  const bool guard = d.guard();
  const bool sticky = d.sticky();
  const bool inexact = guard | sticky;
  // Stochastic modes compare a carry: the top N discarded bits plus R reach 2^N.
  const int n = random_bits;
  const std::uint64_t one = std::uint64_t{1} << n;
  switch (rounding) {
    case Rounding::kTiesToEven:
      return guard & (sticky | odd);
    case Rounding::kTiesToAway:
      return guard;
    case Rounding::kTiesToZero:
      return guard & sticky;
    case Rounding::kTiesTowardPositive:
      return guard & (sticky | !negative);
    case Rounding::kTowardZero:
      return false;
    case Rounding::kTowardNegative:
      return inexact & negative;
    case Rounding::kTowardPositive:
      return inexact & !negative;
    case Rounding::kAwayFromZero:
      return inexact;
    case Rounding::kToOdd:
      return inexact & !odd;
    case Rounding::kStochasticA:
      return (d.fraction >> (64 - n)) + random >= one;
    case Rounding::kStochasticB:
      return (d.fraction >> (63 - n)) + 2 * std::uint64_t{random} + 1 >= 2 * one;
    case Rounding::kStochasticC:
    case Rounding::kStochasticCOdd: {
      std::uint64_t top = d.fraction >> (64 - n);
      const std::uint64_t rest = d.fraction << n;
      const bool half = (rest >> 63) != 0;
      const bool more = (rest << 1) != 0 || d.below;
      const bool tie_up = ((top & 1) != 0) == (rounding == Rounding::kStochasticC);
      if (half && (more || tie_up)) ++top;
      return top + random >= one;
    }
  }
  return false;
}

}  // namespace mx
