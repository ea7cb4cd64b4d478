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

/// The code and flags of an operation on codes of formats, one for each operand, or on an integer
/// of the conversion's type; the result is a code of the judge's format, such an integer, or a bit.
[[nodiscard]] Outcome operate(const ElementOracle<RationalField>& judge,
                              ArithmeticOperation operation, std::span<const ElementFormat> formats,
                              std::span<const std::uint64_t> operands, const ElementPolicy& policy,
                              const IntegerConversion& integer = {});

/// The same on codes of the judge's own format.
[[nodiscard]] Outcome operate(const ElementOracle<RationalField>& judge,
                              ArithmeticOperation operation,
                              std::span<const std::uint64_t> operands, const ElementPolicy& policy,
                              const IntegerConversion& integer = {});

}  // namespace mx::oracle
