// Scales from largest magnitudes. spec S8.3, S8.7.
#pragma once

#include "emulators/aimet/element/float_info.hpp"
#include "emulators/aimet/element/working.hpp"

namespace mx::emulators::aimet {

/// The scale of FloatQuantizeDequantize as a binary32 pattern. Strict: |maxval| / max rounded once.
/// Compat: 2^(fl(fl(log2 |maxval|) - fl(log2 max))), with log2 and the power rounded correctly;
/// torch's own are one ulp off for some inputs, so goldens carry their scales.
[[nodiscard]] Bits scale_of(Bits maxval, const FloatInfo& info, Mode mode);

/// The scale of the private MXFP4 quantizer, a power of two: the exponent is log2(maxval / 6) to
/// the nearest integer; compat takes the difference of binary32 logarithms.
[[nodiscard]] Bits mxfp4_scale(Bits maxval, Mode mode);

/// The scale of set_weight_quantizer_to_mxfp4_int8() for a block's largest magnitude. Compat:
/// 2^floor(fl(log2(amax / 4))), 1 for a block of zeros. Strict: the OCP rule, 2^-127..2^127.
[[nodiscard]] Bits mxfp4_weight_scale(Bits amax, Mode mode);

}  // namespace mx::emulators::aimet
