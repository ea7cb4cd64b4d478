// Operations that order two values: minima and maxima, which give one of them, and comparisons,
// which give a bit.
#pragma once

#include "reference/arithmetic/real_result.hpp"
#include "reference/policy/operation.hpp"

namespace mx {

/// A minimum or a maximum (OperationKind::kSelected), by the rule of the operation for NaN and for
/// zeros of both signs (spec F1.2).
[[nodiscard]] RealResult exact_select(ArithmeticOperation operation, const Unpacked& a,
                                      const Unpacked& b);

struct Comparison {
  bool holds = false;  ///< never with a NaN
  bool invalid = false;
};

/// A comparison (OperationKind::kCompared): IEEE 754-2019 section 5.6.1. Zeros are equal. Invalid
/// for a signalling NaN, of signalling ones for any NaN.
[[nodiscard]] Comparison compare(ArithmeticOperation operation, const Unpacked& a,
                                 const Unpacked& b);

}  // namespace mx
