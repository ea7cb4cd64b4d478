// The texts of AIMET's casts: FloatQuantizeDequantize(dtype=float8_e4m3fn,shape=(4,1),
// block_size=(1,32)) and the functions around it.
#pragma once

#include <string_view>

#include "emulators/common/interface.hpp"

namespace mx::emulators::aimet {

/// The functions:
///   FloatQuantizeDequantize, QuantizeDequantize (an alias), _MXFP4QuantizeDequantize
///     Results "values", "scale" and "maxval"; with the operand "gradient" also "gradient". The
///     operand "scale" gives the scales, "maxval" what they follow from; without either the tensor
///     itself is calibrated on where the type is, else the scale is 1.
///   quantize, dequantize
///     The halves of an encoding; operand "scale".
///   MinMaxEncodingAnalyzer
///     What compute_encodings() learns: maxval as "values", and "min" and "max" of the tensor and
///     of the operands "min" and "max", the results for the tensors before.
///   get_scale, get_mxfp4_scale, mxfp4_weight_scale
///     The scales "values" of a tensor of maxval, or of the largest magnitudes of weights.
///   fake_cast_to_ieee_float
///     The formula for the type's own maximum, or with maxval=6 for that of float4_e2m1fn.
/// Parameters: dtype, or exponent_bits, mantissa_bits, finite and unsigned_zero; shape, block_size;
/// encoding_analyzer minmax or fixed.
[[nodiscard]] Checked<CastPointer> make_cast(std::string_view body, const Setting& setting);

}  // namespace mx::emulators::aimet
