// Exact results of the operations of IEEE 754, as rationals with the sign rules spelled out. One
// rounding by the ladder makes them codes.
#pragma once

#include <cstdint>
#include <span>

#include "oracle/element/encode.hpp"
#include "oracle/element/exact.hpp"
#include "reference/policy/integer.hpp"
#include "reference/policy/operation.hpp"

namespace mx::oracle {

using mx::ArithmeticOperation;

/// The result for operands of one format, of operations whose result is a code of it. The rounding
/// decides the sign of an exact zero sum, and which integer round_to_integral gives.
[[nodiscard]] Exact compute(ArithmeticOperation operation, std::span<const Real> operands,
                            Rounding rounding);

/// The code and flags of an operation: operands are codes of the judge's own format, or integers
/// of the conversion's type; so is the result, or a bit.
[[nodiscard]] Outcome operate(const ElementOracle<RationalField>& judge,
                              ArithmeticOperation operation,
                              std::span<const std::uint64_t> operands, const ElementPolicy& policy,
                              const IntegerConversion& integer = {});

}  // namespace mx::oracle
