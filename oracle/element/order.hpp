// Minima, maxima and comparisons, from the relation that two values have.
#pragma once

#include "oracle/element/encode.hpp"
#include "oracle/element/exact.hpp"
#include "reference/policy/operation.hpp"

namespace mx::oracle {

/// The four relations of IEEE 754-2019 section 5.11. Zeros are equal, whatever their signs.
enum class Relation : std::uint8_t { kLess, kEqual, kGreater, kUnordered };

[[nodiscard]] Relation relation_of(const Exact& a, const Exact& b);

/// One of the operations that give an operand (OperationKind::kSelected); `signaling`: one of the
/// operands is a signalling NaN.
[[nodiscard]] Exact select(ArithmeticOperation operation, const Exact& a, const Exact& b,
                           bool signaling);

/// A comparison (OperationKind::kCompared): code 1 where it holds, else 0.
[[nodiscard]] Outcome compare(ArithmeticOperation operation, const Real& a, const Real& b);

}  // namespace mx::oracle
