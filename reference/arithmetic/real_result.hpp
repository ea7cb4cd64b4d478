// What an operation computes before it is rounded to a format.
#pragma once

#include <initializer_list>
#include <optional>

#include "reference/number/unpacked.hpp"

namespace mx {

/// An exact result before rounding. A result wider than 64 significand bits is cut there and marked
/// sticky, which is exact enough for one rounding to 62 bits or fewer; stochastic roundings of such
/// results see 64 - precision random bits at most.
struct RealResult {
  Unpacked value;
  bool invalid = false;         ///< no real result: Inf - Inf, 0 * Inf, 0 / 0, sqrt(-1), ...
  bool divide_by_zero = false;  ///< a finite nonzero number divided by zero: an exact infinity
  bool inexact = false;         ///< the operation itself has rounded: to an integral value
};

[[nodiscard]] constexpr RealResult invalid_result() {
  return {.value = {.cls = ValueClass::kNan}, .invalid = true};
}

/// Is one of the operands a signalling NaN?
[[nodiscard]] constexpr bool has_signaling(std::initializer_list<const Unpacked*> operands) {
  for (const Unpacked* x : operands) {
    if (x->cls == ValueClass::kNan && x->signaling) return true;
  }
  return false;
}

/// The first NaN operand, quieted; nothing where no operand is one.
[[nodiscard]] constexpr std::optional<RealResult> propagate_nan(
    std::initializer_list<const Unpacked*> operands) {
  for (const Unpacked* x : operands) {
    if (x->cls != ValueClass::kNan) continue;
    return RealResult{.value = {.cls = ValueClass::kNan, .negative = x->negative},
                      .invalid = has_signaling(operands)};
  }
  return std::nullopt;
}

}  // namespace mx
