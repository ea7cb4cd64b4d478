// microxcaling's Python arithmetic operation by operation, each on binary32 and rounded to the
// tensor's type as PyTorch does: the golden kernel. The kernels that answer in bulk are compared
// with it. spec S7.3 and S7.4.
#pragma once

#include <cstdint>

#include "emulators/microxcaling/kernels/element_config.hpp"
#include "emulators/microxcaling/kernels/ieee_type.hpp"

namespace mx::emulators::microxcaling {

/// _quantize_elemwise_core of one element of a fp32, bf16 or fp16 tensor, a word of it in and out;
/// NaN comes back positive and without payload. `random`: 32 random bits, read by dither, which
/// takes the low 24 of them. Types of 64 bits give NaN.
[[nodiscard]] Word literal_element(TensorType type, const ElementConfig& config, Word word,
                                   std::uint32_t random);

/// The same between a division by 2^exponent and a multiplication by it: an element of a block.
[[nodiscard]] Word literal_block_element(TensorType type, const ElementConfig& config, Word word,
                                         int exponent, std::uint32_t random);

}  // namespace mx::emulators::microxcaling
