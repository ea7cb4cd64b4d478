// The kernels of NVFP4 in which a lane has a block whole: down columns, in both directions from one
// read, and under Hadamard transforms. Compiled by nvcc, and by a host compiler in the kernel test,
// which supplies the CUDA names.
#pragma once

#include "fast/cuda_nvfp4/kernels.cuh"
// The kernels first.
#include "fast/cuda_nvfp4/whole.hpp"

namespace mx::fast::cuda_nvfp4 {

/// Rows and columns of a tile: four blocks of 16 either way, so that the codes of a line's blocks
/// fill a sector of 32 bytes.
inline constexpr unsigned kTile = 64;
/// Each 16 rows of a tile begin some words later: lanes that read down different blocks meet
/// different banks.
inline constexpr unsigned kSkew = 8;

[[nodiscard]] __device__ inline unsigned tile_place(unsigned row, unsigned column) {
  return row * kTile + row / 16 * kSkew + column;
}

/// Any layout of whole blocks of 16, a thread a block.
template <class Source, Coding kCoding>
__global__ void whole_kernel(const __grid_constant__ Way way, std::size_t blocks) {
  const Tensor shared = tensor_of(way.mode, way.tensor);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t block = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; block < blocks;
       block += threads) {
    quantize_whole<Source, kCoding>(way.mode, shared, way.run, block);
  }
}

/// Rows of whole blocks of 16 without status, a thread a block.
template <class Source, Coding kCoding>
__global__ void __launch_bounds__(kThreads, kWholeAtOnce)
    whole_rows_kernel(const __grid_constant__ Way way, std::size_t blocks) {
  constexpr unsigned kWords = cuda::Unit<Source>::kWords;
  const Tensor shared = tensor_of(way.mode, way.tensor);
  const auto of_line = static_cast<std::uint32_t>(way.run.length / 16);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t index = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; index < blocks;
       index += threads) {
    const cuda::RowUnit at = cuda::row_unit(way.run.swizzled, way.run.outer, of_line, 0, index);
    if (!at.exists) continue;
    Whole block;
    MX_UNROLL
    for (unsigned u = 0; u < 16 / kWords; ++u) {
      const cuda::Unit<Source> unit =
          cuda::load_unit<Source>(way.run.source, at.number * 16 + u * std::size_t{kWords});
      MX_UNROLL
      for (unsigned i = 0; i < kWords; ++i) {
        block.word[u * kWords + i] = widened<Source>(unit.word(static_cast<int>(i)));
      }
    }
    store_block(way.run,
                coded<kCoding>(way.mode, shared, block, {way.run.random, at.number * 16, 1}),
                at.number, at.scale);
  }
}

/// A lane's block along a row of the source, kept in the tile for the columns.
template <class Source>
[[nodiscard]] __device__ inline Whole load_row(const std::byte* source, std::size_t element,
                                               typename Source::Word* tile) {
  constexpr unsigned kWords = cuda::Unit<Source>::kWords;
  Whole block{};
  MX_UNROLL
  for (unsigned u = 0; u < 16 / kWords; ++u) {
    const cuda::Unit<Source> unit =
        cuda::load_unit<Source>(source, element + u * std::size_t{kWords});
    std::memcpy(tile + u * kWords, &unit, sizeof unit);
    MX_UNROLL
    for (unsigned i = 0; i < kWords; ++i) {
      block.word[u * kWords + i] = widened<Source>(unit.word(static_cast<int>(i)));
    }
  }
  return block;
}

/// Tiles of 64 x 64, each read once: blocks down the columns, with codes and scales transposed, and
/// where `kRows`, blocks along the rows as well. `columns` describes the source as outer x length x
/// inner with blocks along length; `rows` has the same elements with blocks along inner, and then
/// outer is 1. 256 threads a thread block, which have a block each of either direction; the number
/// of thread blocks is free. Both directions have one coding, and neither a status.
template <class Source, bool kRows, Coding kCoding>
__global__ void __launch_bounds__(kThreads, kWholeAtOnce)
    tile_kernel(const __grid_constant__ Way columns, const __grid_constant__ Way rows,
                std::size_t tiles) {
  using Word = typename Source::Word;
  alignas(16) __shared__ Word tile[kTile * kTile + 4 * kSkew];
  const Run& run = columns.run;
  const Tensor down = tensor_of(columns.mode, columns.tensor);
  const Tensor along = kRows ? tensor_of(rows.mode, rows.tensor) : down;
  const unsigned line = threadIdx.x / 4;
  const unsigned part = threadIdx.x % 4;
  // One lane divides for all.
  __shared__ cuda::TilePlace at;
  for (std::size_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    if (threadIdx.x == 0) at = cuda::place_of_tile(run, kTile, kTile, t);
    __syncthreads();
    const std::size_t row = at.top + line;
    const std::size_t begin = at.left + part * std::size_t{16};
    const bool has_row = row < run.length && begin < run.inner;
    Whole block{};
    if (has_row) {
      block = load_row<Source>(run.source, (at.outer * run.length + row) * run.inner + begin,
                               tile + tile_place(line, part * 16));
    }
    __syncthreads();
    if constexpr (kRows) {
      if (has_row) {
        const BlockWords words{rows.run.random, row * run.inner + begin, 1};
        store_whole(rows.run, coded<kCoding>(rows.mode, along, block, words), row, begin / 16,
                    run.inner / 16);
      }
    }
    if (at.left + line < run.inner && at.top + part * std::size_t{16} < run.length) {
      MX_UNROLL
      for (unsigned i = 0; i < 16; ++i) {
        block.word[i] = widened<Source>(tile[tile_place(part * 16 + i, line)]);
      }
      const std::size_t first = at.top + part * std::size_t{16};
      const BlockWords words{
          run.random, (at.outer * run.length + first) * run.inner + at.left + line, run.inner};
      store_whole(run, coded<kCoding>(columns.mode, down, block, words),
                  at.outer * run.inner + at.left + line, first / 16, run.length / 16);
    }
    __syncthreads();
  }
}

}  // namespace mx::fast::cuda_nvfp4
