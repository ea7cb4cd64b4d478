// The element-wise functions: _quantize_elemwise_core, _quantize_elemwise, _quantize_bfloat,
// _quantize_fp. spec S7.2, S7.4.
#pragma once

#include <optional>
#include <span>

#include "emulators/common/interface.hpp"
#include "emulators/common/tensor.hpp"
#include "emulators/microxcaling/kernels/element_config.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::microxcaling {

/// _quantize_elemwise_core: every element of a floating tensor (fp32, bf16, fp16; fp64 where the
/// path is Python) to the grid of `config`, as a tensor of the same type and shape.
/// `random`: one word for each element under dither, of fp64 two. A problem names the exception
/// that the original raises, or a ValueError for what is not modelled.
[[nodiscard]] Checked<Tensor> quantize_elemwise_core(const TensorView& tensor,
                                                     const ElementConfig& config,
                                                     const Setting& setting,
                                                     std::span<const std::uint32_t> random = {});

/// How many random words it reads: 0 without dither.
[[nodiscard]] std::size_t elemwise_random_words(const TensorView& tensor,
                                                const ElementConfig& config);

/// The parameters that _quantize_bfloat makes of a width of 1 sign, 8 exponent and bfloat - 9
/// stored bits; nothing for 0 and 32, which leave tensors as they are.
[[nodiscard]] Checked<std::optional<ElementConfig>> bfloat_config(int bfloat);

/// The parameters of _quantize_fp.
[[nodiscard]] Checked<ElementConfig> fp_config(int exp_bits, int mantissa_bits);

/// Why a tensor of a type cannot be quantized under a configuration; "" if it can.
[[nodiscard]] std::string problem_of(const ElementConfig& config, TensorType type,
                                     const Setting& setting);

}  // namespace mx::emulators::microxcaling
