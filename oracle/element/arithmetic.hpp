// Exact results of the operations of IEEE 754, as rationals with the sign rules spelled out. One
// rounding by the ladder makes them codes.
#pragma once

#include <cstdint>
#include <span>

#include "oracle/element/encode.hpp"
#include "reference/policy/operation.hpp"

namespace mx::oracle {

using mx::ArithmeticOperation;

/// An exact result: an extended real whose finite magnitude is a rational. The square root of a
/// number that is not a square is represented by a rational closer to it than any step, midpoint or
/// 2^-64 part of a gap of a format of at most 64 bits.
struct Exact {
  Kind kind = Kind::kFinite;
  bool negative = false;
  bool invalid = false;
  bool divide_by_zero = false;  ///< a finite nonzero number divided by zero
  Rational magnitude = 0;
};

/// The result for operands of one format. The rounding decides only the sign of an exact zero sum.
[[nodiscard]] Exact compute(ArithmeticOperation operation, std::span<const Real> operands,
                            Rounding rounding);

/// The code and flags of an operation: operands are codes of the judge's own format.
[[nodiscard]] Outcome operate(const ElementOracle<RationalField>& judge,
                              ArithmeticOperation operation,
                              std::span<const std::uint64_t> operands, const ElementPolicy& policy);

}  // namespace mx::oracle
