// A call as the kernels take it, by value: where elements, codes and scales lie.
#pragma once

#include "fast/cuda/arithmetic.hpp"
#include "fast/cuda/random.hpp"

namespace mx::fast::cuda {

/// How codes share bytes; the first code of a byte or of three stands in the low bits.
enum class Packing : std::uint8_t { kBytes, kNibbles, kDense6 };

/// Codes that fill whole bytes together.
[[nodiscard]] MX_HOST_DEVICE constexpr std::size_t group_of(Packing packing) {
  return packing == Packing::kBytes ? 1 : packing == Packing::kNibbles ? 2 : 4;
}
/// Bytes that `count` codes take; count is a multiple of the group, or the end of the array.
[[nodiscard]] MX_HOST_DEVICE constexpr std::size_t packed_bytes(Packing packing,
                                                                std::size_t count) {
  if (packing == Packing::kBytes) return count;
  return packing == Packing::kNibbles ? (count + 1) / 2 : (count * 6 + 7) / 8;
}

/// Where the scale of (line, block) lies in tiles of 128 x 4 (spec F5), of lines with `blocks`
/// blocks each.
[[nodiscard]] MX_HOST_DEVICE constexpr std::size_t swizzled_place(std::size_t line,
                                                                  std::size_t block,
                                                                  std::size_t blocks) {
  const std::size_t tile = line / 128 * ((blocks + 3) / 4) + block / 4;
  return tile * 512 + line % 32 * 16 + line / 32 % 4 * 4 + block % 4;
}
/// Bytes of the whole tiles that hold `lines` x `blocks` scales.
[[nodiscard]] MX_HOST_DEVICE constexpr std::size_t swizzled_bytes(std::size_t lines,
                                                                  std::size_t blocks) {
  return (lines + 127) / 128 * ((blocks + 3) / 4) * 512;
}

/// A unit of rows of whole blocks, of which 2^to_block hold a block, and where its scale lies.
struct RowUnit {
  std::size_t number;
  std::size_t scale;
  bool exists;
};
/// Unit number `index` in the order in which scales lie: where they are swizzled, 32 of them, a
/// sector, are those of 4 blocks each of 8 lines. Lines have `of_line` blocks; there may be more
/// places of scales than blocks, but no more than 32 bits count.
[[nodiscard]] MX_HOST_DEVICE inline RowUnit row_unit(bool swizzled, std::size_t lines,
                                                     std::uint32_t of_line, int to_block,
                                                     std::size_t index) {
  const std::size_t place = index >> to_block;
  if (!swizzled) return {index, place, true};
  const auto tile = static_cast<std::uint32_t>(place / 512);
  const auto within = static_cast<std::uint32_t>(place % 512);
  const std::uint32_t across = (of_line + 3) / 4;
  const std::uint32_t band = tile / across;
  const std::size_t along = std::size_t{tile - band * across} * 4 + within % 4;
  const std::uint32_t of_band = within / 4 % 4 * 32 + within / 16;
  const std::size_t line = std::size_t{band} * 128 + of_band;
  const std::size_t block = line * of_line + along;
  return {block << to_block | (index - (place << to_block)), place,
          line < lines && along < of_line};
}
/// Indices of such units.
[[nodiscard]] MX_HOST_DEVICE inline std::size_t row_units(bool swizzled, std::size_t lines,
                                                          std::size_t of_line, int to_block) {
  return (swizzled ? swizzled_bytes(lines, of_line) : lines * of_line) << to_block;
}

/// Tiles along an axis, the last one ragged.
[[nodiscard]] MX_HOST_DEVICE constexpr std::size_t tiles_across(std::size_t words, unsigned each) {
  return (words + each - 1) / each;
}
/// Where a tile lies: its first row and column, in one of `outer` parts.
struct TilePlace {
  std::size_t outer;
  std::size_t top;
  std::size_t left;
};
template <class AnyRun>
[[nodiscard]] MX_HOST_DEVICE TilePlace place_of_tile(const AnyRun& run, unsigned rows,
                                                     unsigned columns, std::size_t tile) {
  const std::size_t across = tiles_across(run.inner, columns);
  const std::size_t down = tiles_across(run.length, rows);
  return {tile / across / down, tile / across % down * rows, tile % across * columns};
}
template <class AnyRun>
[[nodiscard]] std::size_t tiles_of(const AnyRun& run, unsigned rows, unsigned columns) {
  return run.outer * tiles_across(run.length, rows) * tiles_across(run.inner, columns);
}

/// Results of one direction; `status` is read only by kernels that write it.
struct Results {
  std::uint8_t* codes = nullptr;
  std::uint8_t* scales = nullptr;
  std::uint16_t* status = nullptr;
};

/// `outer` x `length` x `inner` elements in C order, blocks along `length`.
struct Run {
  const std::byte* source = nullptr;
  std::size_t outer = 1;
  std::size_t length = 0;
  std::size_t inner = 1;
  Results out;
  Packing packing = Packing::kBytes;
  bool blocks_last = false;  ///< codes and scales lie as `outer` x `inner` x `length`
  bool swizzled = false;     ///< scales in tiles, of lines `outer` x `inner`
  RandomWords random;
};

/// Where a block lies: spec F12, in C order of the scale tensor.
struct Place {
  std::size_t first;  ///< index of its first element in the source
  std::size_t code;   ///< of its first code
  std::size_t scale;
  std::size_t status;
  int count;
};

[[nodiscard]] MX_HOST_DEVICE inline Place place_of(const Run& run, int block_size,
                                                   std::size_t block) {
  const auto size = static_cast<std::size_t>(block_size);
  const std::size_t blocks = (run.length + size - 1) / size;
  const std::size_t inner = block % run.inner;
  const std::size_t along = block / run.inner % blocks;
  const std::size_t outer = block / run.inner / blocks;
  const std::size_t left = run.length - along * size;
  const std::size_t line = outer * run.inner + inner;
  Place place{};
  place.first = (outer * run.length + along * size) * run.inner + inner;
  place.code = run.blocks_last ? line * run.length + along * size : place.first;
  place.status = run.blocks_last ? line * blocks + along : block;
  place.scale = run.swizzled ? swizzled_place(line, along, blocks) : place.status;
  place.count = static_cast<int>(left < size ? left : size);
  return place;
}

/// Stores `count` (1..4) codes whose first is number `index` of an array, a multiple of the group;
/// `stride` counts codes between them, 1 where they are packed.
MX_HOST_DEVICE inline void store_codes(std::uint8_t* array, Packing packing, std::size_t index,
                                       std::size_t stride, const std::uint32_t (&codes)[4],
                                       int count) {
  if (packing == Packing::kBytes) {
    for (int i = 0; i < count; ++i) {
      array[index + static_cast<std::size_t>(i) * stride] = static_cast<std::uint8_t>(codes[i]);
    }
    return;
  }
  const int bits = packing == Packing::kNibbles ? 4 : 6;
  std::uint32_t word = 0;
  for (int i = 0; i < count; ++i) word |= codes[i] << (i * bits);
  std::uint8_t* const to = array + packed_bytes(packing, index);
  for (int bit = 0; bit < count * bits; bit += 8) {
    to[bit / 8] = static_cast<std::uint8_t>(word >> bit & 0xFF);
  }
}

}  // namespace mx::fast::cuda
