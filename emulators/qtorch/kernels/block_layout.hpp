// Walking over the blocks of a tensor.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "emulators/qtorch/kernels/block_kernel.hpp"
#include "emulators/qtorch/kernels/pattern.hpp"

namespace mx::emulators::qtorch {

/// The pattern of the largest magnitude of every block; a NaN is larger than all numbers.
[[nodiscard]] inline std::vector<Bits> block_maxima(const BlockLayout& layout,
                                                    std::span<const Bits> values) {
  std::vector<Bits> maxima(layout.blocks, 0);
  for (std::size_t run = 0; run < layout.outer * layout.blocks; ++run) {
    std::int32_t largest = 0;  // signed, as vector units compare
    for (const Bits x : values.subspan(run * layout.inner, layout.inner)) {
      largest = std::max(largest, static_cast<std::int32_t>(magnitude_of(x)));
    }
    Bits& maximum = maxima[run % layout.blocks];
    maximum = std::max(maximum, static_cast<Bits>(largest));
  }
  return maxima;
}

/// quantize(block, first, size) for every run of neighbours that share an exponent.
template <typename F>
void for_each_run(const BlockLayout& layout, F&& quantize) {
  for (std::size_t run = 0; run < layout.outer * layout.blocks; ++run) {
    quantize(run % layout.blocks, run * layout.inner, layout.inner);
  }
}

}  // namespace mx::emulators::qtorch
