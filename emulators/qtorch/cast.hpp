// QPyTorch's functions by their texts.
#pragma once

#include "emulators/common/interface.hpp"

namespace mx::emulators::qtorch {

/// One of
///   float_quantize(exp=5,man=2,rounding=stochastic)
///   fixed_point_quantize(wl=8,fl=4,clamp=True,symmetric=False,rounding=stochastic)
///   fixed_point_quantize_mask(wl=8,fl=4,symmetric=False,rounding=stochastic)
///   block_quantize(wl=8,dim=-1,rounding=stochastic)
///   block_quantize_sim(wl=8,rounding=stochastic)
///   quantizer(forward_number=FixedPoint(wl=8,fl=4),backward_number=None,
///             forward_rounding=stochastic,backward_rounding=stochastic,clamping_grad_zero=False)
/// Results: "values"; "mask" (uint8) of the mask function and of a quantizer that zeroes clamped
/// gradients; "gradient" of a quantizer that is given the operand "gradient". An axis given with
/// the input replaces `dim`. Random words: those of the values, then those of the gradient.
[[nodiscard]] Checked<CastPointer> make(std::string_view body, const Setting& setting);

}  // namespace mx::emulators::qtorch
