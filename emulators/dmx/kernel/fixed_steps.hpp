// Fixed-point numbers without a branch on the operand's kind: the usual operands by integers.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "emulators/common/grid_simd.hpp"
#include "emulators/dmx/format/format.hpp"
#include "emulators/dmx/kernel/patterns.hpp"

namespace mx::emulators::dmx {

/// The package's results, or exact ones with +0 for every zero.
enum class FixedResults : std::uint8_t { kPackage, kExact };

/// The limits as integers of 2^-fraction.
struct FixedLimits {
  int fraction = 0;
  bool clamp = true;
  std::int32_t most = 0;
  std::int32_t least = 0;
};

/// An element whose scaled magnitude lies in [2^-126, 2^22), rounded, clamped and scaled back.
template <Rounding kRounding, FixedResults kResults>
struct FixedStep {
  FixedLimits limits;

  [[nodiscard]] bool takes(Bits x) const {
    const int field = exponent_field(x);
    const int scaled_field = field + limits.fraction;
    return field >= 1 && field <= 254 && scaled_field >= 1 && scaled_field < 127 + 22;
  }

  [[nodiscard]] Bits operator()(Bits x) const {
    const int field = exponent_field(x) + limits.fraction;
    const Bits significand = (x & kFraction) | kHidden;
    const int shift = std::min(150 - field, 31);
    const bool negative = sign_of(x) != 0;
    Bits magnitude = 0;
    bool zero_is_negative = negative && kResults == FixedResults::kPackage;
    if constexpr (kRounding == Rounding::kNearest) {
      magnitude = shift_ties_to_even(significand, shift);
      if constexpr (kResults == FixedResults::kPackage) {
        // The two places where the addition of one half tells: the first value above one half, and
        // negative values so small that the sum is one half.
        if (field == 126 && significand == kHidden + 1 && !negative) magnitude = 0;
        if (field < 101 || (field == 101 && significand == kHidden)) zero_is_negative = false;
      }
    } else {
      const bool away = (kRounding == Rounding::kUp) != negative;
      const bool inexact = (significand & ((Bits{1} << shift) - 1)) != 0;
      magnitude = (significand >> shift) + (away && inexact ? 1 : 0);
    }
    if (magnitude == 0) return zero_is_negative ? fp32::kSignBit : 0;
    auto value = static_cast<std::int32_t>(magnitude);
    if (limits.clamp) {
      value = negative ? -std::max(-value, limits.least) : std::min(value, limits.most);
    }
    return exact_pattern(sign_of(x), static_cast<Bits>(value), -limits.fraction);
  }
};

/// Casts x to nearest by lanes, NaNs by `plain(pattern)`, where the limits are those of a word.
template <FixedResults kResults, typename Plain>
bool run_fixed_lanes(const FixedLimits& limits, std::span<const Bits> x, Plain plain,
                     std::span<Bits> out) {
  using Lanes = GridSimd<GridRounding::kEven>;
  const int bits = static_cast<int>(std::bit_width(static_cast<Bits>(limits.most)));
  const bool is_symmetric = limits.least == -limits.most;
  const bool is_word =
      limits.most == (1 << bits) - 1 && (is_symmetric || limits.least == -limits.most - 1);
  const int top_field = 127 + bits - 1 - limits.fraction;
  if (!limits.clamp || !is_word || !Lanes::takes(top_field, bits - 1)) return false;
  Lanes lanes(top_field, bits - 1);
  if (!is_symmetric) lanes.take_twice_the_power();
  if constexpr (kResults == FixedResults::kPackage) lanes.add_one_half();
  if (lanes(x, out)) return true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (fp32::is_nan(x[i])) out[i] = plain(x[i]);
  }
  return true;
}

/// Casts x by steps, and what they do not take by `plain(pattern)`. False where the rounding has no
/// steps.
template <FixedResults kResults, typename Plain>
bool run_fixed_steps(Rounding rounding, const FixedLimits& limits, std::span<const Bits> x,
                     Plain plain, std::span<Bits> out) {
  const auto run = [&](auto step) {
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = step.takes(x[i]) ? step(x[i]) : plain(x[i]);
    return true;
  };
  switch (rounding) {
    case Rounding::kNearest:
      if (run_fixed_lanes<kResults>(limits, x, plain, out)) return true;
      return run(FixedStep<Rounding::kNearest, kResults>{limits});
    case Rounding::kUp:
      return run(FixedStep<Rounding::kUp, kResults>{limits});
    case Rounding::kDown:
      return run(FixedStep<Rounding::kDown, kResults>{limits});
    case Rounding::kStochastic:
      return false;
  }
  return false;
}

}  // namespace mx::emulators::dmx
