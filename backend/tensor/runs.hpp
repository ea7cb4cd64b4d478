// A tensor in portions that lie together in memory: what one call of a fast plan takes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "fast/tiles/layout.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {

/// A tensor in portions that calls can share: `count` of them, of at most `elements` each.
struct Portions {
  std::uint64_t count = 0;
  std::uint64_t elements = 0;
};

/// Of a fast path a portion is one block of every column, or a band of tiles; of the reference a
/// block.
[[nodiscard]] inline Portions portions_of(const BlockedShape& shape, bool is_fast) {
  if (!is_fast) return {shape.scales, shape.block_size * shape.tile_lines};
  if (shape.scales == 0) return {};
  if (shape.tile_lines > 1) {
    return {shape.outer * shape.line_blocks, shape.tile_lines * shape.length * shape.inner};
  }
  return {shape.outer * shape.blocks, shape.block_size * shape.inner};
}

/// Work on portions [first, last).
using PortionWork = std::function<Checked<TensorSummary>(std::uint64_t first, std::uint64_t last)>;

/// All portions, shared by `threads`: their summaries together, or a problem of one of them.
[[nodiscard]] Checked<TensorSummary> share_portions(const Portions& portions, int threads,
                                                    const PortionWork& work);

/// Blocks that lie together in memory.
struct Run {
  fast::TileLayout layout;
  std::uint64_t element = 0;   ///< the first
  std::uint64_t block = 0;     ///< the first, in C order of the scales
  std::uint64_t blocks = 0;    ///< how many
  std::uint64_t portions = 0;  ///< as many as they are
};

/// Bands of tiles.
[[nodiscard]] inline Run next_bands(const BlockedShape& shape, std::uint64_t first,
                                    std::uint64_t last) {
  const std::uint64_t outer = first / shape.line_blocks;
  const std::uint64_t start = first % shape.line_blocks;
  const std::uint64_t row = shape.length * shape.inner;
  const std::uint64_t of_band = shape.blocks * shape.inner;
  const bool are_whole = start == 0 && last - first >= shape.line_blocks;
  const std::uint64_t tensors = are_whole ? (last - first) / shape.line_blocks : 1;
  const std::uint64_t stop = std::min(start + (last - first), shape.line_blocks);
  const std::uint64_t bands = are_whole ? tensors * shape.line_blocks : stop - start;
  const std::uint64_t line = start * shape.tile_lines;
  const std::uint64_t lines = std::min(stop * shape.tile_lines, shape.lines) - line;
  return {.layout = {tensors, lines, shape.length, shape.inner},
          .element = (outer * shape.lines + line) * row,
          .block = first * of_band,
          .blocks = bands * of_band,
          .portions = bands};
}

/// The next run of portions [first, last).
[[nodiscard]] inline Run next_run(const BlockedShape& shape, std::uint64_t first,
                                  std::uint64_t last) {
  if (shape.tile_lines > 1) return next_bands(shape, first, last);
  const std::uint64_t line = first / shape.blocks;
  const std::uint64_t start = first % shape.blocks;
  const bool are_whole = start == 0 && last - first >= shape.blocks;
  const std::uint64_t lines = are_whole ? (last - first) / shape.blocks : 1;
  const std::uint64_t stop = std::min(start + (last - first), shape.blocks);
  const std::uint64_t from = start * shape.block_size;
  const std::uint64_t portions = are_whole ? lines * shape.blocks : stop - start;
  return {.layout = {lines, 1, std::min(stop * shape.block_size, shape.length) - from, shape.inner},
          .element = (line * shape.length + from) * shape.inner,
          .block = first * shape.inner,
          .blocks = portions * shape.inner,
          .portions = portions};
}

}  // namespace mx::backend
