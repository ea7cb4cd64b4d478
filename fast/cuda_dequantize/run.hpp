// A call on the way back as the kernels take it, by value: where codes, scales and words lie.
#pragma once

#include "fast/cuda/run.hpp"

namespace mx::fast::cuda_dequantize {

using cuda::Packing;

/// `outer` x `length` x `inner` words in C order, blocks along `length`.
struct Run {
  const std::uint8_t* codes = nullptr;
  const std::uint8_t* scales = nullptr;
  std::byte* words = nullptr;
  std::size_t outer = 1;
  std::size_t length = 0;
  std::size_t inner = 1;
  Packing packing = Packing::kBytes;
  bool blocks_last = false;  ///< codes and scales lie as `outer` x `inner` x `length`
  bool swizzled = false;     ///< scales in tiles, of lines `outer` x `inner`
};

/// Where the code and the scale of a word lie.
struct Place {
  std::size_t code;
  std::size_t scale;
};
[[nodiscard]] MX_HOST_DEVICE inline Place place_of(const Run& run, int block_size,
                                                   std::size_t word) {
  const auto size = static_cast<std::size_t>(block_size);
  const std::size_t blocks = (run.length + size - 1) / size;
  const std::size_t inner = word % run.inner;
  const std::size_t along = word / run.inner % run.length;
  const std::size_t outer = word / run.inner / run.length;
  const std::size_t block = along / size;
  const std::size_t line = outer * run.inner + inner;
  Place place{word, (outer * blocks + block) * run.inner + inner};
  if (run.blocks_last) place = {line * run.length + along, line * blocks + block};
  if (run.swizzled) place.scale = cuda::swizzled_place(line, block, blocks);
  return place;
}

/// Code number `index` of an array, wherever its bits lie.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t code_at(const std::uint8_t* codes,
                                                          Packing packing, std::size_t index) {
  if (packing == Packing::kBytes) return codes[index];
  if (packing == Packing::kNibbles) return codes[index / 2] >> (index % 2 * 4) & 0xFu;
  const std::uint8_t* const first = codes + index * 6 / 8;
  const auto bit = static_cast<unsigned>(index * 6 % 8);
  std::uint32_t bits = first[0];
  if (bit > 2) bits |= std::uint32_t{first[1]} << 8;
  return bits >> bit & 0x3Fu;
}

}  // namespace mx::fast::cuda_dequantize
