// The casts of torchmx by text:
//
//   quantize_mx(elem_dtype=float8_e4m3, block_size=32, path=simulated)
//   to_mx(elem_dtype=float8_e4m3, block_size=32, path=simulated)
//   dequantize_mx(elem_dtype=float8_e4m3, block_size=32, target_dtype=bfloat16, block_dim=-1)
//   to_dtype(elem_dtype=float8_e4m3, block_size=32, target_dtype=bfloat16, block_dim=-1, padding=0)
//   quantize_elements(elem_dtype=float8_e4m3, path=simulated)
//   noop_fw_to_mx_bw(elem_dtype=float8_e4m3, block_size=32, path=simulated)
//   hp_to_floatx(exponent_bits=4, mantissa_bits=3, max_normal=448, round_mode=round_to_even,
//                keep_subnormals=True)
//
// Results: quantize_mx and to_mx give "values" (in the type of `values`: bfloat16, another target,
// or none), "scale" and "data"; with an operand "gradient", to_mx and to_dtype also "gradient", the
// straight-through one. dequantize_mx and to_dtype take the data first and an operand "scale".
// quantize_elements takes an operand "scale", one byte for each row, and gives "data", unpacked.
// noop_fw_to_mx_bw gives its input as "values", and of an operand "gradient" the "gradient" (the
// values of its blocks), "scale" and "data". max_normal is a decimal number or a pattern, 0x and 8
// digits (binary32) or 16 (binary64).
#pragma once

#include <string_view>

#include "emulators/common/interface.hpp"

namespace mx::emulators::torchmx {

[[nodiscard]] Checked<CastPointer> make(std::string_view body, const Setting& setting);

}  // namespace mx::emulators::torchmx
