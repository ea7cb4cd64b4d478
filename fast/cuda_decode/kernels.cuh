// The kernels of the way back. Compiled by nvcc, and by a host compiler in the kernel test, which
// supplies the CUDA names. Lanes do not meet but at the tile's barriers.
#pragma once

#include "fast/cuda_decode/units.hpp"

namespace mx::fast::cuda_decode {

inline constexpr unsigned kThreads = 256;  ///< of general and row kernels
inline constexpr unsigned kUnitsAtOnce = 4;

/// Any configuration and layout, a word a thread, in the order of the words.
template <class Words>
__global__ void general_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run run,
                               std::size_t words) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words;
       i += threads) {
    const Place place = place_of(run, mode.block_size, i);
    const std::uint32_t word = decode_word<Words>(mode, code_at(run.codes, run.packing, place.code),
                                                  run.scales[place.scale]);
    reinterpret_cast<typename Words::Word*>(run.words)[i] = static_cast<typename Words::Word>(word);
  }
}

/// The scale of block number `block` of lines with `of_line` blocks. The launch keeps the numbers
/// within 32 bits.
__device__ inline std::uint32_t scale_at(const Run& run, std::size_t block, std::uint32_t of_line) {
  if (!run.swizzled) return run.scales[block];
  const std::uint32_t line = static_cast<std::uint32_t>(block) / of_line;
  const std::uint32_t along = static_cast<std::uint32_t>(block) - line * of_line;
  return run.scales[cuda::swizzled_place(line, along, of_line)];
}

/// Rows of whole blocks, as units one after the other; four loads in flight.
template <class Words, Codes kKind, Packing kPacking>
__global__ void rows_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run run,
                            std::size_t units) {
  constexpr int kUnitShift = CodeUnit<Words>::kCodes == 8 ? 3 : 2;
  const int to_block = mode.block_shift - kUnitShift;
  const auto of_line = static_cast<std::uint32_t>(run.length >> mode.block_shift);
  const std::size_t step = std::size_t{gridDim.x} * kUnitsAtOnce * blockDim.x;
  std::size_t first = std::size_t{blockIdx.x} * kUnitsAtOnce * blockDim.x + threadIdx.x;
  for (; first < units; first += step) {
    CodeUnit<Words> codes[kUnitsAtOnce];
    std::uint32_t scales[kUnitsAtOnce];
    MX_UNROLL
    for (unsigned i = 0; i < kUnitsAtOnce; ++i) {
      const std::size_t unit = first + std::size_t{i} * blockDim.x;
      if (unit >= units) break;
      codes[i] = load_codes<Words, kPacking>(run.codes, unit);
      scales[i] = scale_at(run, unit >> to_block, of_line);
    }
    MX_UNROLL
    for (unsigned i = 0; i < kUnitsAtOnce; ++i) {
      const std::size_t unit = first + std::size_t{i} * blockDim.x;
      if (unit >= units) break;
      store_words(run.words, unit, decode_unit<Words, kKind, kPacking>(mode, codes[i], scales[i]));
    }
  }
}

inline constexpr unsigned kTileLines = 64;
inline constexpr unsigned kTileLength = 64;
inline constexpr unsigned kTileThreads = 128;

/// A lane's unit of a line, decoded into the tile's columns.
template <class Words, Codes kKind, Packing kPacking>
__device__ inline void decode_into_tile(const Mode& mode, const Run& run,
                                        typename Words::Word (*tile)[kTileLines], std::size_t line,
                                        std::size_t along, unsigned row, unsigned column) {
  constexpr unsigned kCodes = CodeUnit<Words>::kCodes;
  const std::size_t of_line = run.length >> mode.block_shift;
  const std::size_t block = along >> mode.block_shift;
  const std::size_t place =
      run.swizzled ? cuda::swizzled_place(line, block, of_line) : line * of_line + block;
  const CodeUnit<Words> codes =
      load_codes<Words, kPacking>(run.codes, (line * run.length + along) / kCodes);
  const WordUnit unit = decode_unit<Words, kKind, kPacking>(mode, codes, run.scales[place]);
  MX_UNROLL
  for (unsigned i = 0; i < kCodes; ++i) {
    std::uint32_t word = unit.part[i * sizeof(typename Words::Word) / 4];
    if (kCodes == 8) word = word >> (i % 2 * 16);
    tile[row + i][column] = static_cast<typename Words::Word>(word);
  }
}

/// Codes that lie as outer x inner x length to words as outer x length x inner, in tiles of 64
/// lines x 64 codes. kTileThreads threads a block; the number of thread blocks is free.
template <class Words, Codes kKind, Packing kPacking>
__global__ void tile_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run run,
                            std::size_t tiles) {
  alignas(16) __shared__ typename Words::Word tile[kTileLength][kTileLines];
  constexpr unsigned kCodes = CodeUnit<Words>::kCodes;
  constexpr unsigned kInLine = kTileLines / kCodes;  ///< units of words across the tile
  const std::size_t across = (run.inner + kTileLines - 1) / kTileLines;
  const std::size_t down = (run.length + kTileLength - 1) / kTileLength;
  for (std::size_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    const std::size_t left = t % across * kTileLines;
    const std::size_t top = t / across % down * kTileLength;
    const std::size_t outer = t / across / down;
    for (unsigned i = threadIdx.x; i < kTileLines * kTileLength / kCodes; i += kTileThreads) {
      const unsigned column = i % kTileLines;
      const unsigned row = i / kTileLines * kCodes;
      if (left + column >= run.inner || top + row >= run.length) continue;
      decode_into_tile<Words, kKind, kPacking>(mode, run, tile, outer * run.inner + left + column,
                                               top + row, row, column);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < kTileLength * kInLine; i += kTileThreads) {
      const unsigned row = i / kInLine;
      const unsigned column = i % kInLine * kCodes;
      if (left + column >= run.inner || top + row >= run.length) continue;
      WordUnit unit;
      std::memcpy(&unit, &tile[row][column], sizeof unit);
      store_words(run.words,
                  ((outer * run.length + top + row) * run.inner + left + column) / kCodes, unit);
    }
    __syncthreads();
  }
}

}  // namespace mx::fast::cuda_decode
