// SPDX-License-Identifier: Apache-2.0
#include "reference/arithmetic/exact_result.hpp"

#include "reference/arithmetic/exact.hpp"
#include "reference/arithmetic/integral.hpp"
#include "reference/arithmetic/remainder.hpp"
#include "reference/arithmetic/selection.hpp"

namespace mx {

RealResult exact_result(ArithmeticOperation operation, std::span<const Unpacked> x,
                        Rounding rounding) {
  switch (operation) {
    case ArithmeticOperation::kAdd:
      return exact_add(x[0], x[1], rounding);
    case ArithmeticOperation::kSubtract: {
      Unpacked minus = x[1];
      if (minus.cls != ValueClass::kNan) minus.negative = !minus.negative;
      return exact_add(x[0], minus, rounding);
    }
    case ArithmeticOperation::kMultiply:
      return exact_multiply(x[0], x[1]);
    case ArithmeticOperation::kDivide:
      return exact_divide(x[0], x[1]);
    case ArithmeticOperation::kFma:
      return exact_fma(x[0], x[1], x[2], rounding);
    case ArithmeticOperation::kSqrt:
      return exact_sqrt(x[0]);
    case ArithmeticOperation::kRemainder:
      return exact_remainder(x[0], x[1]);
    case ArithmeticOperation::kRoundToIntegral:
      return exact_round_to_integral(x[0], rounding);
    case ArithmeticOperation::kFromInteger:
      return {x[0]};
    default:
      return exact_select(operation, x[0], x[1]);
  }
}

}  // namespace mx
