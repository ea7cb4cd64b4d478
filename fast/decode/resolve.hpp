// From a job of the way back to the constants of the kernels, or why there are none for it.
#pragma once

#include "fast/decode/constants.hpp"
#include "fast/decode/dequantizer.hpp"

namespace mx::fast::decode {

[[nodiscard]] Checked<BlockConstants> resolve(const DequantizeJob& job);

/// What the values of blocks become as words, whatever their codes and scales.
[[nodiscard]] Checked<WordConstants> resolve_words(const DequantizeJob& job);
[[nodiscard]] Checked<DecodeConstants> resolve(const WidenJob& job);

}  // namespace mx::fast::decode
