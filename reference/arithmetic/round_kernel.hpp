// The one rounding of an operation, inline so that loops see through it. Public face:
// reference/arithmetic/arithmetic.hpp.
#pragma once

#include "reference/arithmetic/real_result.hpp"
#include "reference/element/encode_kernel.hpp"

namespace mx::kernel {

/// Rounds the exact result once; the flags of the operation join those of the rounding.
[[nodiscard]] inline Encoded round_once(const RealResult& result, const ElementFormat& format,
                                        const ElementPolicy& policy) {
  Encoded encoded = encode_with(result.value, format, policy, 0, NoTrace{});
  if (result.invalid) encoded.flags |= kFlagInvalid;
  if (result.divide_by_zero) encoded.flags |= kFlagDivideByZero;
  if (result.inexact) encoded.flags |= kFlagInexact;
  return encoded;
}

}  // namespace mx::kernel
