// From a configuration to the constants of the kernels, or why there are none for it.
#pragma once

#include "fast/cpu/constants.hpp"
#include "fast/cpu/quantizer.hpp"

namespace mx::fast::cpu {

/// fp32, bf16 or fp16.
[[nodiscard]] Checked<Source> source_of(const ElementFormat& format);

/// Signed floats and fixed-point formats of at most 8 bits under any rounding that draws nothing.
[[nodiscard]] Checked<ElementConstants> resolve_element(const ElementFormat& format,
                                                        const ElementPolicy& policy);

/// Such elements under exponent-only scales, chosen by a rule that adds a constant to the maximum.
[[nodiscard]] Checked<BlockConstants> resolve_block(const BlockJob& job);

}  // namespace mx::fast::cpu
