// The operations of IEEE 754 that soft-float arithmetic computes, by name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/policy/token.hpp"

namespace mx {

/// The operations, by their names in IEEE 754-2019 section 5.4.1 (fma: fusedMultiplyAdd).
#define MX_ARITHMETIC_OPERATION(X) \
  X(kAdd, "add")                   \
  X(kSubtract, "subtract")         \
  X(kMultiply, "multiply")         \
  X(kDivide, "divide")             \
  X(kFma, "fma")                   \
  X(kSqrt, "sqrt")
MX_POLICY(ArithmeticOperation, MX_ARITHMETIC_OPERATION);

/// How many operands an operation takes.
[[nodiscard]] constexpr std::size_t operands_of(ArithmeticOperation operation) {
  if (operation == ArithmeticOperation::kFma) return 3;
  return operation == ArithmeticOperation::kSqrt ? 1 : 2;
}

}  // namespace mx
