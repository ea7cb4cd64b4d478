// A tensor in portions that lie together in memory: what one call of a fast plan takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "fast/cpu/quantizer.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {

/// A tensor in portions that calls can share: `count` of them, of at most `elements` each.
struct Portions {
  std::uint64_t count = 0;
  std::uint64_t elements = 0;
};

/// Of a fast path a portion is one block of every column, of the reference a block.
[[nodiscard]] inline Portions portions_of(const BlockedShape& shape, bool is_fast) {
  if (!is_fast) return {shape.scales, shape.block_size * shape.tile_lines};
  if (shape.scales == 0) return {};
  return {shape.outer * shape.blocks, shape.block_size * shape.inner};
}

/// Work on portions [first, last).
using PortionWork = std::function<Checked<TensorSummary>(std::uint64_t first, std::uint64_t last)>;

/// All portions, shared by `threads`: their summaries together, or a problem of one of them.
[[nodiscard]] Checked<TensorSummary> share_portions(const Portions& portions, int threads,
                                                    const PortionWork& work);

/// Blocks that lie together in memory.
struct Run {
  fast::BlockLayout layout;
  std::uint64_t element = 0;  ///< the first
  std::uint64_t block = 0;    ///< the first, in C order of the scales
};

/// The next run of portions [first, last).
[[nodiscard]] inline Run next_run(const BlockedShape& shape, std::uint64_t first,
                                  std::uint64_t last) {
  const std::uint64_t line = first / shape.blocks;
  const std::uint64_t start = first % shape.blocks;
  Run run{{}, line * shape.length * shape.inner, first * shape.inner};
  if (start == 0 && last - first >= shape.blocks) {
    run.layout = {(last - first) / shape.blocks, shape.length, shape.inner};
    return run;
  }
  const std::uint64_t stop = std::min(start + (last - first), shape.blocks);
  const std::uint64_t from = start * shape.block_size;
  run.layout = {1, std::min(stop * shape.block_size, shape.length) - from, shape.inner};
  run.element += from * shape.inner;
  return run;
}

}  // namespace mx::backend
