// Rounding to integers: as a value of the format, to a machine's integer, and back.
#pragma once

#include "reference/arithmetic/real_result.hpp"
#include "reference/element/encode.hpp"
#include "reference/policy/integer.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// roundToIntegralExact of IEEE 754-2019 section 5.3.1 (its section 5.9) in a rounding that is not
/// stochastic: the integer is the result, a zero has the sign of x, inexact where x was none.
[[nodiscard]] RealResult exact_round_to_integral(const Unpacked& x, Rounding rounding);

/// convertToIntegerExact of IEEE 754-2019 section 5.8: x rounded to an integer of the type, inexact
/// where x was none. What the type does not hold, and NaN: the rule's code, invalid alone.
[[nodiscard]] Encoded to_integer(const Unpacked& x, Rounding rounding,
                                 const IntegerConversion& conversion);

}  // namespace mx
