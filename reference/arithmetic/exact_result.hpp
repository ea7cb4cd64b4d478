// SPDX-License-Identifier: Apache-2.0
// An operation by name, before its result is rounded.
#pragma once

#include <span>

#include "reference/arithmetic/real_result.hpp"
#include "reference/policy/operation.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// The exact result of an operation that is rounded or selects an operand, or of an integer: of
/// every kind but kCompared and kToInteger. As many operands as operands_of() says.
[[nodiscard]] RealResult exact_result(ArithmeticOperation operation,
                                      std::span<const Unpacked> operands, Rounding rounding);

}  // namespace mx
