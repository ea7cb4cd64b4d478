// The arithmetic of the CPU path one element at a time, for any scale: what the vector kernels hand
// over where a block needs more than their keys hold (subnormal maxima, grids finer than the
// source's subnormals).
#pragma once

#include <cstddef>
#include <cstdint>

#include "fast/cpu/constants.hpp"

namespace mx::fast::cpu {

/// One block; `stride` counts elements from one of it to the next, of source and codes alike. A
/// tile's lines of `width` elements lie `line_stride` apart.
struct PlainBlock {
  const std::byte* source;
  std::size_t count;
  std::size_t stride;
  std::uint8_t* codes;
  Draws draws = {};
  std::uint64_t index = 0;  ///< of the first element in its tensor
  std::size_t width = 0;    ///< 0: one line
  std::size_t line_stride = 0;

  /// Where its element i lies, counted from the first.
  [[nodiscard]] std::size_t place(std::size_t i) const {
    return width == 0 ? i * stride : i / width * line_stride + i % width * stride;
  }
};
/// Is there an infinity in a block?
[[nodiscard]] bool has_infinity(Source source, const PlainBlock& block);

/// The largest key of a block where that alone does not decide its scale, moved to the key beside
/// it whose scale is the block's own.
[[nodiscard]] std::uint16_t settled_key(const BlockConstants& c, Source source,
                                        const PlainBlock& block, std::uint16_t key);

/// Quantizes a block whose maximum is finite and not zero: the status word, the scale code in its
/// low byte.
[[nodiscard]] std::uint16_t quantize_plain(const BlockConstants& c, Source source,
                                           const PlainBlock& block);

}  // namespace mx::fast::cpu
