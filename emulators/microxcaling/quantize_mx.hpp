// _quantize_mx: blocks with a shared power of two. spec S7.2, S7.3.
#pragma once

#include <span>

#include "emulators/common/interface.hpp"
#include "emulators/common/tensor.hpp"
#include "emulators/microxcaling/kernels/block_config.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::microxcaling {

/// _quantize_mx of a floating tensor (fp32, bf16, fp16; fp64 where the path is Python) of any
/// shape, as a tensor of the same type and shape. `random`: a word for each element of the blocked
/// and padded tensor in its memory order, of fp64 two, read by dither. A problem names the
/// exception that the original raises, or a ValueError for what is not modelled.
[[nodiscard]] Checked<Tensor> quantize_mx(const TensorView& tensor, const BlockConfig& config,
                                          const Setting& setting,
                                          std::span<const std::uint32_t> random = {});

/// How many random words it reads: 0 without dither.
[[nodiscard]] Checked<std::size_t> quantize_mx_random_words(const TensorView& tensor,
                                                            const BlockConfig& config,
                                                            const Setting& setting);

}  // namespace mx::emulators::microxcaling
