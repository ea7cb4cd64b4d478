// The block operations of P3109 v4.0 (Interim Report of 26 June 2026, section 5) that are exact
// real functions of rationals, as data. Their procedure is in reference/p3109/block.hpp.
#pragma once

#include <cstdint>
#include <span>

#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// Elementwise operations on blocks (section 5.4). Square roots and transcendental functions are
/// not offered.
enum class P3109Operation : std::uint8_t {
  kConvert,
  kAbs,
  kNegate,
  kRecip,
  kCopySign,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kMinimum,
  kMaximum,
  kMinimumNumber,
  kMaximumNumber,
  kMinimumMagnitude,
  kMaximumMagnitude,
  kMinimumMagnitudeNumber,
  kMaximumMagnitudeNumber,
  kMinimumFinite,
  kMaximumFinite,
  kFma,
  kFaa,
  kClamp
};
/// The report's names without the prefix Block: "Convert", "Abs", ...
template <>
std::span<const Token<P3109Operation>> tokens<P3109Operation>();

/// Operands of an operation: 1, 2 or 3.
[[nodiscard]] constexpr int operand_count(P3109Operation operation) {
  if (operation <= P3109Operation::kRecip) return 1;
  return operation < P3109Operation::kFma ? 2 : 3;
}

/// A format of blocks: scale and elements, each of at most 16 bits of precision.
struct P3109BlockFormat {
  ElementFormat scale;
  ElementFormat element;
};

/// How an exact result becomes a datum: rounding and saturation (section 4.7). SatFinite is
/// sat_finite, SatPropagate is propagate_inf, SatNone is none_p3109_v4 (or none_p3109_20260714).
struct P3109Projection {
  Rounding rounding = Rounding::kTiesToEven;
  Overflow saturation = Overflow::kNoneP3109V4;
};

}  // namespace mx
