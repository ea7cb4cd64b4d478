// Tensors in two-dimensional blocks.
#pragma once

#include <cstddef>

#include "fast/cpu/block_plan.hpp"

namespace mx::fast {

/// The tiles of a tensor in C order: `outer` x `lines` x `length` x `inner` elements, tiles of some
/// lines and of some elements along `length`, the last ones of both short. Scales lie in C order of
/// outer, tiles down the lines, tiles along the length, inner.
struct TileLayout {
  std::size_t outer = 1;
  std::size_t lines = 1;
  std::size_t length = 0;
  std::size_t inner = 1;

  [[nodiscard]] std::size_t elements() const { return outer * lines * length * inner; }
  [[nodiscard]] std::size_t tiles(std::size_t block_size, std::size_t tile_lines) const {
    const std::size_t down = (lines + tile_lines - 1) / tile_lines;
    return outer * down * ((length + block_size - 1) / block_size) * inner;
  }
  /// Every line for itself.
  [[nodiscard]] BlockLayout as_lines() const { return {outer * lines, length, inner}; }
};

/// Lines that stand in no tile with others.
[[nodiscard]] inline TileLayout lone_lines(const BlockLayout& layout) {
  return {layout.outer, 1, layout.length, layout.inner};
}

}  // namespace mx::fast
