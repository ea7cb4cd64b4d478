// Sums, products, quotients and roots before they are rounded.
#pragma once

#include "reference/arithmetic/real_result.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// Operands are exact (sticky clear). A NaN operand gives a NaN with that operand's sign, the first
/// one first; invalid is set for a signalling NaN. An exact zero sum of opposite signs is -0 under
/// toward_negative, +0 otherwise (IEEE 754-2019 section 6.3).
[[nodiscard]] RealResult exact_add(const Unpacked& a, const Unpacked& b, Rounding rounding);
[[nodiscard]] RealResult exact_multiply(const Unpacked& a, const Unpacked& b);
[[nodiscard]] RealResult exact_fma(const Unpacked& a, const Unpacked& b, const Unpacked& c,
                                   Rounding rounding);
[[nodiscard]] RealResult exact_divide(const Unpacked& a, const Unpacked& b);
[[nodiscard]] RealResult exact_sqrt(const Unpacked& a);

}  // namespace mx
