// The casts of dmx by text: shorthands, named formats ("format.BFP16_64"), the functions of
// dmx.compressor.quant, make_mantissa_asymmetric() and CastTo. spec S5.
#pragma once

#include "emulators/common/interface.hpp"
#include "emulators/common/machine.hpp"
#include "emulators/dmx/format/format.hpp"
#include "emulators/dmx/kernel/words.hpp"

namespace mx::emulators::dmx {

[[nodiscard]] Checked<CastPointer> make_dmx_cast(std::string_view body, const Setting& setting);

/// The cast to a format, as Format.cast(x, block_dim) does it.
[[nodiscard]] CastPointer make_format_cast(const Format& format, const Setting& setting);

/// fixed_point_quantize(...), float_quantize(...), block_quantize(...),
/// make_mantissa_asymmetric(...), with the operand "fp32_inp".
[[nodiscard]] Checked<CastPointer> make_function_cast(std::string_view text,
                                                      const Setting& setting);

/// CastTo(format, group_size=None, ch_axis=-1, block_dim=-1, per_channel=False) with the operands
/// "scale" and "zero_point", and "gradient" for the way back.
[[nodiscard]] Checked<CastPointer> make_cast_to(std::string_view text, const Setting& setting);

/// Every element as a binary32 pattern, integers rounded once. On CUDA a binary16 NaN loses its
/// sign and payload; a binary64 one keeps them, as on the CPU.
[[nodiscard]] std::vector<Bits> to_binary32(const TensorView& tensor, const Setting& setting);

/// The format's cast of a tensor's patterns into as many; `axis` names the blocks where the format
/// has any. "" or the problem.
[[nodiscard]] std::string cast_values(const Format& format, const Setting& setting,
                                      const TensorView& tensor, std::span<const Bits> values,
                                      std::int64_t axis, Words& words, std::span<Bits> out);

/// The bytes of an fp32 tensor as patterns.
[[nodiscard]] inline std::span<Bits> patterns_of(Tensor& tensor) {
  return {reinterpret_cast<Bits*>(tensor.bytes.data()), tensor.bytes.size() / sizeof(Bits)};
}

/// "" where the words suffice.
[[nodiscard]] std::string lacking(const Words& words, std::size_t given);

}  // namespace mx::emulators::dmx
