// SPDX-License-Identifier: Apache-2.0
// The exponents of power-of-two scale rules whose thresholds lie between the keys of fast/cpu: by
// ratios that binary32 rounds, by logarithms, by the square root of 2 (spec F11.2, F11.3, F11.6).
//
// 448 is the largest number of e4m3fn. Whether fl32(amax * fl32(1/448)) exceeds a power of
// two hangs on the last bit of amax, and decides the scale of a block under te.
#pragma once

#include <cstdint>

#include "fast/rules/binary32.hpp"
#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx::fast {

/// What is done to a maximum before its exponent is taken.
enum class RatioStep : std::uint8_t { kNone, kDivide, kMultiply };

/// How the exponent is taken from the ratio, or from the maximum.
enum class ExponentStep : std::uint8_t {
  kNone,         ///< the rule is none of these
  kCeil,         ///< of log2
  kNearestLog,   ///< from sqrt(2) on the next one
  kFloorLog2f,   ///< of a logarithm that binary32 rounds
  kCeilLog2f,    ///< the same
  kNearestLog2f  ///< the same, and one half added
};

/// A rule's arithmetic.
struct ExponentRule {
  ExponentStep step = ExponentStep::kNone;
  RatioStep ratio = RatioStep::kNone;
  std::uint32_t operand = 0;  ///< of the ratio, a binary32 pattern
  int less = 0;               ///< taken from the exponent: e_max, where there is no ratio
  bool lifts = false;         ///< no ratio but 0 is below 2^-126 (e8m0_quirk onnx_up)

  [[nodiscard]] bool any() const { return step != ExponentStep::kNone; }

  /// The exponent of the scale, before any clamp, of a maximum that is finite and not 0: a binary32
  /// pattern.
  [[nodiscard]] int of(std::uint32_t maximum) const;
};

/// Is the ratio of a rule that has one computed exactly or in binary32? Other types have no path.
[[nodiscard]] bool has_known_ratio(const BlockPolicy& block);

/// The arithmetic of a job's rule; ExponentStep::kNone for one that is none of these.
[[nodiscard]] ExponentRule exponent_rule(const ElementFormat& source, const ElementFormat& element,
                                         int emax, const BlockPolicy& block, E8m0Quirk quirk);

/// floor(fl32(log2 a)) of a positive finite binary32 pattern.
[[nodiscard]] int floor_log2f(std::uint32_t a);

}  // namespace mx::fast
