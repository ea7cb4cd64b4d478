// What the kernels of stochastic roundings under real-valued scales read.
//
// A drawn rounding is no comparison with a threshold: each element needs its place between two
// codes. So the element is brought to its scale in integers, here as a product with a factor.
#pragma once

#include <array>
#include <cstdint>

#include "fast/scaled/chain.hpp"
#include "fast/scaled/constants.hpp"

namespace mx::fast::scaled {

/// Significand bits of a quotient or product, below which there is one bit more at most; 32 of them
/// are the fraction that draws look at, under two that are the code's.
inline constexpr int kQuotientBits = 34;

/// One scale. An element is significand * 2^(e - 23), the significand of 24 bits, or 0.
///
/// Rules that multiply: `high` is the binary32 factor's significand of 24 bits, 2^(`exponent` - 23)
/// its unit. The rule that divides by D * 2^(d - 31), D in (2^31, 2^32] and a multiple of 16:
/// `high` and `low` are ceil(2^95 / D), `exponent` is -d; significand * (high : low) / 2^53 is then
/// floor(significand * 2^42 / D), because the error stays below 2^-29 and a remainder above it.
struct Factor {
  std::uint32_t high = 0;
  std::uint32_t low = 0;
  int exponent = 0;
};

struct StochasticConstants {
  Constants blocks;  ///< maxima, scales, what is no number; steps are those of toward_zero
  cpu::Draw draw = cpu::Draw::kA;
  int random_bits = 0;
  bool multiplies = false;  ///< rounded to binary32 before it is drawn for
  std::array<Chain::Scaling, kScales> scalings = {};
  std::array<Factor, kScales> factors = {};
  std::array<std::uint32_t, kScales> vanishes = {};  ///< those of `blocks` as binary32 patterns
};

}  // namespace mx::fast::scaled
