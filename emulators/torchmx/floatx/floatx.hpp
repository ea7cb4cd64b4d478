// hp_to_floatx: rounding of binary32 and binary64 values to a float of given bits. spec S6.5
// (TX-X).
#pragma once

#include <cstdint>

#include "emulators/common/interface.hpp"
#include "reference/policy/checked.hpp"

namespace mx {

#define MX_FLOATX_ROUNDING(X)      \
  X(kRoundToEven, "round_to_even") \
  X(kTruncate, "truncate")
MX_POLICY(FloatxRounding, MX_FLOATX_ROUNDING);

}  // namespace mx

namespace mx::emulators::torchmx {

struct Floatx {
  int exponent_bits = 8;         ///< 0..16 (strict: 1..16)
  int mantissa_bits = 13;        ///< 0..63
  std::uint64_t max_normal = 0;  ///< a binary64 pattern
  FloatxRounding round_mode = FloatxRounding::kRoundToEven;
  bool keep_subnormals = true;
};

/// "values" of the type and shape of `hp_data`, which is fp32 or fp64 (AssertionError otherwise).
/// compat: the exponent by a logarithm in the tensor's type and rounding by adding one half (spec
/// S3.3, S3.4), infinities kept, -0 lost. strict: the exact value rounded once, infinities
/// saturated, zeros keep their sign; without subnormals what rounds below the smallest normal value
/// is a zero.
[[nodiscard]] Checked<Tensor> hp_to_floatx(const TensorView& hp_data, const Floatx& call,
                                           Mode mode);

}  // namespace mx::emulators::torchmx
