// Where the words of a blocked tensor lie.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/number/word_bytes.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::layout {

/// The words of an array, in the host's byte order.
[[nodiscard]] inline std::uint64_t load_word(std::span<const std::byte> bytes, std::uint64_t index,
                                             std::size_t size) {
  return mx::load_word(bytes.data() + index * size, size);
}

inline void store_word(std::span<std::byte> bytes, std::uint64_t index, std::size_t size,
                       std::uint64_t word) {
  mx::store_word(bytes.data() + index * size, size, word);
}

/// Where block b (C order of the scale tensor) lies: its first element and how many it has.
struct BlockPlace {
  std::uint64_t outer = 0;
  std::uint64_t inner = 0;
  std::uint64_t start = 0;       ///< position along the axis
  std::uint64_t start_line = 0;  ///< of a tile
  std::uint64_t width = 0;       ///< elements in each line
  std::uint64_t count = 0;       ///< elements in all lines
};

[[nodiscard]] inline BlockPlace place_of(const BlockedShape& shape, std::uint64_t block) {
  BlockPlace place;
  place.inner = block % shape.inner;
  block /= shape.inner;
  place.start = block % shape.blocks * shape.block_size;
  block /= shape.blocks;
  place.start_line = block % shape.line_blocks * shape.tile_lines;
  place.outer = block / shape.line_blocks;
  place.width = std::min(shape.block_size, shape.length - place.start);
  place.count = place.width * std::min(shape.tile_lines, shape.lines - place.start_line);
  return place;
}

/// The index of element i of a place whose lines hold `width` elements, in a tensor whose axis is
/// `length` long.
[[nodiscard]] inline std::uint64_t element_index(const BlockedShape& shape, std::uint64_t length,
                                                 const BlockPlace& place, std::uint64_t width,
                                                 std::uint64_t i) {
  const std::uint64_t line = shape.tile_lines == 1 ? 0 : i / width;
  const std::uint64_t position = place.start + i - line * width;
  const std::uint64_t row = place.outer * shape.lines + place.start_line + line;
  return (row * length + position) * shape.inner + place.inner;
}

[[nodiscard]] inline std::uint64_t stored_length(const BlockedShape& shape, Tail tail) {
  return tail == Tail::kShort ? shape.length : shape.blocks * shape.block_size;
}

/// Elements that a thread takes at a time where a block has more of them.
inline constexpr std::uint64_t kPiece = std::uint64_t{1} << 14;
/// Words that a thread looks at, or quantizes in small blocks, at a time.
inline constexpr std::uint64_t kSharedWords = std::uint64_t{1} << 17;

[[nodiscard]] inline std::uint64_t block_capacity(const BlockedShape& shape) {
  return shape.block_size * shape.tile_lines;
}

/// Blocks that a thread takes at a time.
[[nodiscard]] inline std::uint64_t blocks_at_a_time(const BlockedShape& shape) {
  return std::max<std::uint64_t>(kSharedWords / block_capacity(shape), 1);
}

/// The blocks that a call is about.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

[[nodiscard]] inline Range range_of(const BlockedShape& shape, std::uint64_t first,
                                    std::uint64_t last) {
  last = std::min(last, shape.scales);
  return {std::min(first, last), last};
}

/// The first word of a range of blocks that is no code of its format, as stray_word() says it. The
/// words' axis is `length` long.
[[nodiscard]] std::string stray_in_blocks(const BlockedShape& shape, std::uint64_t length,
                                          const Range& range, const ElementFormat& format,
                                          std::span<const std::byte> words, int threads);

/// The same for the scales of the blocks.
[[nodiscard]] std::string stray_scale(const BlockFormat& format, const Range& range,
                                      std::span<const std::byte> scales);

}  // namespace mx::layout
