// Rounding to whole numbers, from rationals.
#pragma once

#include "oracle/element/encode.hpp"
#include "oracle/element/exact.hpp"
#include "reference/policy/integer.hpp"
#include "reference/policy/policy.hpp"

namespace mx::oracle {

/// The whole number nearest to a magnitude, the even one of two.
[[nodiscard]] Rational nearest_even(const Rational& magnitude);

/// x as a whole number with x's sign; inexact where x is none. x is no NaN.
[[nodiscard]] Exact round_to_integral(const Exact& x, Rounding rounding);

/// The integer of a conversion, as the bits of its type.
[[nodiscard]] Outcome to_integer(const Real& x, Rounding rounding,
                                 const IntegerConversion& conversion);

}  // namespace mx::oracle
