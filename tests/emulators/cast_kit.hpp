// SPDX-License-Identifier: Apache-2.0
// Configurations of casts of the emulated packages.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "emulators/casts/casts.hpp"
#include "golden/configuration/configuration.hpp"

namespace mx::golden {

/// A cast of an emulated package on x86.
inline Configuration cast(std::string text, SystemMode mode, TensorType source) {
  return {CastCase{emulators::make_cast, std::move(text), {mode, Platform::kX86}, source}, {}};
}

/// Values alone, random words, scales with packed codes, a scale that is data.
inline std::vector<Configuration> some_casts() {
  return {
      cast("dmx:BFP[8|8]{16}(SN)", SystemMode::kStrict, TensorType::kFp32),
      cast("qtorch:float_quantize(exp=5,man=2,rounding=stochastic)", SystemMode::kCompat,
           TensorType::kFp32),
      cast("torchmx:quantize_mx(elem_dtype=float4_e2m1,block_size=8)", SystemMode::kCompat,
           TensorType::kBf16),
      cast("aimet:FloatQuantizeDequantize(exponent_bits=4,mantissa_bits=3,shape=(1,))",
           SystemMode::kCompat, TensorType::kFp16),
      cast("microxcaling:quantize_mx(scale_bits=8,elem_format=fp8_e4m3,axes=(-1),block_size=32)",
           SystemMode::kCompat, TensorType::kFp32)};
}

}  // namespace mx::golden
