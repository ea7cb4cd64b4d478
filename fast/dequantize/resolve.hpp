// From a job of the way back to the constants of the kernels, or why there are none for it.
#pragma once

#include "fast/dequantize/constants.hpp"
#include "fast/dequantize/dequantize_plan.hpp"

namespace mx::fast::dequantize {

[[nodiscard]] Checked<BlockConstants> resolve(const DequantizeJob& job);

/// What the values of blocks become as words, whatever their codes and scales.
[[nodiscard]] Checked<WordConstants> resolve_words(const DequantizeJob& job);
[[nodiscard]] Checked<DequantizeConstants> resolve(const WidenJob& job);

}  // namespace mx::fast::dequantize
