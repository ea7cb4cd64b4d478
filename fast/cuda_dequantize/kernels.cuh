// The kernels of the way back. Compiled by nvcc, and by a host compiler in the kernel test, which
// supplies the CUDA names. Lanes do not meet but at the tile's barriers.
#pragma once

#include "fast/cuda_dequantize/units.hpp"

namespace mx::fast::cuda_dequantize {

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
  const int to_block = mode.block_shift - CodeUnit<Words>::kShift;
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

/// Lines and codes of a tile: of each line whole sectors are read, and of each row of words whole
/// ones written.
inline constexpr unsigned kTileLines = 64;
inline constexpr unsigned kTileLength = 128;
inline constexpr unsigned kTileThreads = 256;
inline constexpr unsigned kTilesAtOnce = 5;  ///< thread blocks that a multiprocessor shall hold
/// A unit's rows begin that many words after those of the unit above: lanes that write units of one
/// line meet different banks. Units of words stay aligned.
template <class Words>
inline constexpr unsigned kTileSkew = 16 / sizeof(typename Words::Word);

template <class Words>
[[nodiscard]] __device__ inline unsigned tile_place(unsigned row, unsigned column) {
  return row * kTileLines + row / CodeUnit<Words>::kCodes * kTileSkew<Words> + column;
}

/// A unit of words in a column of the tile.
template <class Words>
__device__ inline void put_column(typename Words::Word* to, const WordUnit& unit) {
  constexpr unsigned kCodes = CodeUnit<Words>::kCodes;
  MX_UNROLL
  for (unsigned i = 0; i < kCodes; ++i) {
    std::uint32_t word = unit.part[i * sizeof(typename Words::Word) / 4];
    if (kCodes == 8) word = word >> (i % 2 * 16);
    to[std::size_t{i} * kTileLines] = static_cast<typename Words::Word>(word);
  }
}

/// Units of the tile's lines, decoded into its columns. Lanes follow a line; a lane's units lie in
/// the same place of several.
template <class Words, Codes kKind, Packing kPacking>
__device__ inline void dequantize_tile(const Mode& mode, const Run& run, const cuda::TilePlace& at,
                                       typename Words::Word* tile) {
  constexpr unsigned kCodes = CodeUnit<Words>::kCodes;
  constexpr unsigned kDown = kTileLength / kCodes;
  constexpr unsigned kStep = kTileThreads / kDown;
  const unsigned row = threadIdx.x % kDown * kCodes;
  const unsigned first = threadIdx.x / kDown;
  const std::size_t along = at.top + row;
  if (along >= run.length) return;
  const std::size_t of_line = run.length >> mode.block_shift;
  const std::size_t block = along >> mode.block_shift;
  const std::size_t line = at.outer * run.inner + at.left + first;
  const std::size_t unit = (line * run.length + along) / kCodes;
  const std::size_t step = run.length / kCodes * kStep;
  MX_UNROLL
  for (unsigned i = 0; i < kTileLines / kStep; ++i) {
    const unsigned column = first + i * kStep;
    if (at.left + column >= run.inner) break;
    const std::size_t own = line + std::size_t{i} * kStep;
    const std::size_t place =
        run.swizzled ? cuda::swizzled_place(own, block, of_line) : own * of_line + block;
    const CodeUnit<Words> codes = load_codes<Words, kPacking>(run.codes, unit + i * step);
    put_column<Words>(tile + tile_place<Words>(row, column),
                      decode_unit<Words, kKind, kPacking>(mode, codes, run.scales[place]));
  }
}

/// Rows of the tile, as units of words.
template <class Words>
__device__ inline void store_tile(const Run& run, const cuda::TilePlace& at,
                                  const typename Words::Word* tile) {
  constexpr unsigned kCodes = CodeUnit<Words>::kCodes;
  constexpr unsigned kAcross = kTileLines / kCodes;
  constexpr unsigned kStep = kTileThreads / kAcross;
  const unsigned column = threadIdx.x % kAcross * kCodes;
  const unsigned first = threadIdx.x / kAcross;
  if (at.left + column >= run.inner) return;
  const std::size_t unit =
      ((at.outer * run.length + at.top + first) * run.inner + at.left + column) / kCodes;
  const std::size_t step = run.inner / kCodes * kStep;
  MX_UNROLL
  for (unsigned i = 0; i < kTileLength / kStep; ++i) {
    const unsigned row = first + i * kStep;
    if (at.top + row >= run.length) break;
    WordUnit words;
    std::memcpy(&words, tile + tile_place<Words>(row, column), sizeof words);
    store_words(run.words, unit + i * step, words);
  }
}

/// Codes that lie as outer x inner x length to words as outer x length x inner, in tiles.
/// kTileThreads threads a block; the number of thread blocks is free.
template <class Words, Codes kKind, Packing kPacking>
__global__ void __launch_bounds__(kTileThreads, kTilesAtOnce)
    tile_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run run,
                std::size_t tiles) {
  constexpr unsigned kSkews = kTileLength / CodeUnit<Words>::kCodes * kTileSkew<Words>;
  alignas(16) __shared__ typename Words::Word tile[kTileLength * kTileLines + kSkews];
  // One lane divides for all.
  __shared__ cuda::TilePlace at;
  for (std::size_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    if (threadIdx.x == 0) at = cuda::place_of_tile(run, kTileLength, kTileLines, t);
    __syncthreads();
    dequantize_tile<Words, kKind, kPacking>(mode, run, at, tile);
    __syncthreads();
    store_tile<Words>(run, at, tile);
    __syncthreads();
  }
}

}  // namespace mx::fast::cuda_dequantize
