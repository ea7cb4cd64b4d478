// The remainder of IEEE 754-2019 section 5.3.1.
#pragma once

#include "reference/arithmetic/real_result.hpp"

namespace mx {

/// a - n * b, n the integer nearest to a / b, the even one of two. Exact for operands of at most 63
/// bits of precision, whatever the distance of their exponents; a zero has the sign of a. Invalid:
/// an infinite a, a zero b. NaN operands as of exact_add().
[[nodiscard]] RealResult exact_remainder(const Unpacked& a, const Unpacked& b);

}  // namespace mx
