// The kernels. Compiled by nvcc, and by a host compiler in the kernel test, which supplies the CUDA
// names. Parameters stay in constant memory: a copy for each thread would cost as much as a unit.
#pragma once

#include "fast/cuda/block.hpp"
#include "fast/cuda/units.hpp"

namespace mx::fast::cuda {

inline constexpr unsigned kThreads = 256;  ///< of general and row kernels
inline constexpr unsigned kWarp = 32;
inline constexpr unsigned kAllLanes = 0xFFFFFFFFu;

/// kLanes neighbours of a warp. All lanes of the warp meet in every exchange.
template <int kLanes>
struct GroupLanes {
  static constexpr int kWidth = kLanes;
  int lane;

  __device__ std::uint32_t maximum(std::uint32_t own) const {
    for (int step = 1; step < kLanes; step *= 2) {
      const std::uint32_t other = __shfl_xor_sync(kAllLanes, own, step);
      own = other > own ? other : own;
    }
    return own;
  }
  __device__ std::uint32_t unite(std::uint32_t own) const {
    for (int step = 1; step < kLanes; step *= 2) own |= __shfl_xor_sync(kAllLanes, own, step);
    return own;
  }
};

__device__ inline std::size_t thread_number() {
  return std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t thread_count() { return std::size_t{gridDim.x} * blockDim.x; }

/// Any configuration and layout. Lanes along a block where its elements follow each other, so that
/// loads are whole; otherwise a thread for each block, whose neighbours are its elements'. blockDim
/// is a multiple of 32; the number of thread blocks is free.
template <class Source, bool kDraws, bool kStatus, int kLanes>
__global__ void general_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run run,
                               std::size_t blocks) {
  const std::size_t thread = thread_number();
  const std::size_t groups = thread_count() / kLanes;
  const GroupLanes<kLanes> lanes{static_cast<int>(thread % kLanes)};
  // A warp goes round as long as its first group has a block.
  const std::size_t lead = thread % kWarp / kLanes;
  for (std::size_t block = thread / kLanes; block - lead < blocks; block += groups) {
    quantize_block<Source, kDraws, kStatus>(mode, run, lanes, block, block < blocks);
  }
}

/// A block's scale and status, by one of its lanes.
template <bool kStatus>
__device__ inline void store_scale(const Results& out, const BlockScale& scale,
                                   std::uint32_t report, std::size_t place,
                                   std::size_t status_place) {
  out.scales[place] = static_cast<std::uint8_t>(scale.code);
  if constexpr (kStatus) {
    const auto code = static_cast<std::uint32_t>(scale.code);
    out.status[status_place] = static_cast<std::uint16_t>(code | scale.status | report);
  }
}

/// One lane's unit of a block of 32 along a row. Lanes without a unit meet the others and store
/// nothing.
template <class Source, class Element, bool kStatus>
__device__ inline void quantize_row_unit(const Mode& mode, const Run& run, const Unit<Source>& unit,
                                         const RowUnit& at) {
  const std::size_t number = at.number;
  const bool takes_part = at.exists;
  constexpr int kInBlock = Unit<Source>::kInBlock;
  const GroupLanes<kInBlock> lanes{static_cast<int>(number % kInBlock)};
  const std::uint32_t amax = lanes.maximum(largest_of(unit));
  const BlockScale scale = scale_of<Source>(mode.block, amax);
  // Of lanes without a unit no word may be read.
  const auto draws = [&](int i) {
    return takes_part ? run.random.of_four(number * Unit<Source>::kWords + static_cast<unsigned>(i),
                                           mode.random_bits)
                      : FourWords{};
  };
  const EncodedUnit encoded =
      encode_unit<Source, Element>(mode, scale, amax, unit, run.packing, draws);
  std::uint32_t report = 0;
  if constexpr (kStatus) report = lanes.unite(encoded.report);
  if (!takes_part) return;
  store_unit<Unit<Source>::kWords>(run.out.codes, narrowed<Element::kBits>(run.packing), number,
                                   encoded.packed);
  if (lanes.lane != 0) return;
  store_scale<kStatus>(run.out, scale, report, at.scale, number / kInBlock);
}

/// Rows whose length is a multiple of 32, as units one after the other in the order of their
/// scales; two loads in flight.
template <class Source, class Element, bool kStatus>
__global__ void rows_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run run,
                            std::size_t units) {
  const std::size_t lead = threadIdx.x % kWarp;
  const auto of_line = static_cast<std::uint32_t>(run.length / 32);
  const auto unit_at = [&](std::size_t index) {
    RowUnit at = row_unit(run.swizzled, run.outer, of_line, Unit<Source>::kToBlock, index);
    at.exists = at.exists && index < units;
    return at;
  };
  std::size_t first = std::size_t{blockIdx.x} * 2 * blockDim.x + threadIdx.x;
  for (; first - lead < units; first += 2 * thread_count()) {
    const RowUnit of_a = unit_at(first);
    const RowUnit of_b = unit_at(first + blockDim.x);
    Unit<Source> a{};
    Unit<Source> b{};
    if (of_a.exists) a = load_unit<Source>(run.source, of_a.number * Unit<Source>::kWords);
    if (of_b.exists) b = load_unit<Source>(run.source, of_b.number * Unit<Source>::kWords);
    quantize_row_unit<Source, Element, kStatus>(mode, run, a, of_a);
    quantize_row_unit<Source, Element, kStatus>(mode, run, b, of_b);
  }
}

/// Rows and columns of a tile: four blocks down a column, so that whole sectors of codes are
/// written, and as many columns as fill sectors along a row.
inline constexpr unsigned kTileRows = 128;
inline constexpr unsigned kTileColumns = 64;
inline constexpr unsigned kTileBlocks = kTileRows / 32;
inline constexpr unsigned kTileThreads = kTileColumns * kTileBlocks;
/// Thread blocks that a multiprocessor shall hold: while one waits for its tile, others have
/// theirs.
inline constexpr unsigned kTilesAtOnce = 5;
/// Each 32 rows of a tile begin some words later: lanes that read down different blocks meet
/// different banks. Vectors stay aligned.
inline constexpr unsigned kTileSkew = 8;

[[nodiscard]] __device__ inline unsigned tile_place(unsigned row, unsigned column) {
  return row * kTileColumns + row / 32 * kTileSkew + column;
}

/// Sixteen bytes to shared memory without a register, or zeros where there are none; there at
/// wait_for_copies().
__device__ inline void copy_vector(void* to, const std::byte* from, bool exists) {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to))), "l"(from),
                 "r"(exists ? 16 : 0)
               : "memory");
#else
  std::memset(to, 0, 16);
  if (exists) std::memcpy(to, from, 16);
#endif
}
__device__ inline void wait_for_copies() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_all;" : : : "memory");
#endif
}

/// A unit down a column, as along a row.
template <class Source>
[[nodiscard]] __device__ inline Unit<Source> column_unit(const typename Source::Word* tile,
                                                         unsigned row, unsigned column) {
  const typename Source::Word* const from = tile + tile_place(row, column);
  const auto at = [&](unsigned i) -> std::uint32_t { return from[std::size_t{i} * kTileColumns]; };
  Unit<Source> unit;
  MX_UNROLL
  for (unsigned i = 0; i < 8; ++i) {
    std::uint32_t& part = unit.vector[i / 4].part[i % 4];
    if constexpr (Unit<Source>::kWords == 8) {
      part = at(i);
    } else {
      part = at(2 * i) | at(2 * i + 1) << 16;
    }
  }
  return unit;
}

/// One block down a column of the tile from row `within` on, and its codes along a line of the
/// transposed result.
template <class Source, class Element, bool kStatus>
__device__ inline void quantize_tile_block(const Mode& mode, const Run& run, const TilePlace& at,
                                           const typename Source::Word* tile, unsigned within,
                                           unsigned own_column) {
  constexpr unsigned kWords = Unit<Source>::kWords;
  std::uint32_t amax = 0;
  MX_UNROLL
  for (unsigned u = 0; u < 32 / kWords; ++u) {
    const std::uint32_t own =
        largest_of(column_unit<Source>(tile, within + u * kWords, own_column));
    amax = own > amax ? own : amax;
  }
  const BlockScale scale = scale_of<Source>(mode.block, amax);
  const std::size_t row = at.top + within;
  const std::size_t column = at.left + own_column;
  const std::size_t blocks = run.length / 32;
  const std::size_t line = at.outer * run.inner + column;
  const std::size_t block = line * blocks + row / 32;
  std::uint32_t report = 0;
  MX_UNROLL
  for (unsigned u = 0; u < 32 / kWords; ++u) {
    const auto draws = [&](int i) {
      FourWords random;
      MX_UNROLL
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned of_block = u * kWords + static_cast<unsigned>(i) + k;
        const std::size_t from = at.outer * run.length + row + of_block;
        random.word[k] = run.random.of(from * run.inner + column, mode.random_bits);
      }
      return random;
    };
    const EncodedUnit encoded = encode_unit<Source, Element>(
        mode, scale, amax, column_unit<Source>(tile, within + u * kWords, own_column), run.packing,
        draws);
    store_unit<Unit<Source>::kWords>(run.out.codes, narrowed<Element::kBits>(run.packing),
                                     block * Unit<Source>::kInBlock + u, encoded.packed);
    report |= encoded.report;
  }
  const std::size_t place = run.swizzled ? swizzled_place(line, row / 32, blocks) : block;
  store_scale<kStatus>(run.out, scale, report, place, block);
}

/// The tile's words from the source, zeros where there are none.
template <class Source>
__device__ inline void load_tile(const Run& columns, const TilePlace& at,
                                 typename Source::Word* tile) {
  constexpr unsigned kWords = 16 / sizeof(typename Source::Word);
  constexpr unsigned kInRow = kTileColumns / kWords;
  constexpr unsigned kStep = kTileThreads / kInRow;
  const unsigned column = threadIdx.x % kInRow * kWords;
  const unsigned first = threadIdx.x / kInRow;
  const bool has_column = at.left + column < columns.inner;
  const std::size_t element =
      (at.outer * columns.length + at.top + first) * columns.inner + at.left + column;
  const std::byte* const from = columns.source + element * sizeof(typename Source::Word);
  const std::size_t step = columns.inner * sizeof(typename Source::Word) * kStep;
  MX_UNROLL
  for (unsigned i = 0; i < kTileRows / kStep; ++i) {
    const unsigned row = first + i * kStep;
    const bool exists = has_column && at.top + row < columns.length;
    copy_vector(tile + tile_place(row, column), exists ? from + i * step : columns.source, exists);
  }
}

/// Blocks along the tile's rows; neighbouring lanes have the units of a block.
template <class Source, class Element, bool kStatus>
__device__ inline void quantize_tile_rows(const Mode& mode, const Run& columns, const Run& rows,
                                          const TilePlace& at, const typename Source::Word* tile) {
  constexpr unsigned kWords = Unit<Source>::kWords;
  constexpr unsigned kInRow = kTileColumns / kWords;
  constexpr unsigned kStep = kTileThreads / kInRow;
  const unsigned column = threadIdx.x % kInRow * kWords;
  const unsigned first = threadIdx.x / kInRow;
  const std::size_t blocks = columns.inner / 32;
  const std::size_t along = (at.left + column) / 32;
  MX_UNROLL
  for (unsigned i = 0; i < kTileRows / kStep; ++i) {
    const unsigned within = first + i * kStep;
    const std::size_t line = at.outer * columns.length + at.top + within;
    const std::size_t element = line * columns.inner + at.left + column;
    const std::size_t place =
        rows.swizzled ? swizzled_place(line, along, blocks) : line * blocks + along;
    Unit<Source> unit;
    std::memcpy(&unit, tile + tile_place(within, column), sizeof unit);
    quantize_row_unit<Source, Element, kStatus>(
        mode, rows, unit,
        {element / kWords, place,
         at.left + column < columns.inner && at.top + within < columns.length});
  }
}

/// Tiles, each read once: blocks down the columns, with codes and scales transposed, and where
/// `kRows`, blocks along the rows as well. `columns` describes the source as outer x length x inner
/// with blocks along length; `rows` has the same elements with blocks along inner. kTileThreads
/// threads a block, which have a block each down the columns; the number of thread blocks is free.
template <class Source, class Element, bool kStatus, bool kRows>
__global__ void __launch_bounds__(kTileThreads, kTilesAtOnce)
    tile_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run columns,
                const __grid_constant__ Run rows, std::size_t tiles) {
  alignas(16) __shared__
      typename Source::Word tile[kTileRows * kTileColumns + kTileBlocks * kTileSkew];
  const unsigned column = threadIdx.x / kTileBlocks;
  const unsigned block_row = threadIdx.x % kTileBlocks * 32;
  // One lane divides for all.
  __shared__ TilePlace at;
  for (std::size_t t = blockIdx.x; t < tiles; t += gridDim.x) {
    if (threadIdx.x == 0) at = place_of_tile(columns, kTileRows, kTileColumns, t);
    __syncthreads();
    load_tile<Source>(columns, at, tile);
    wait_for_copies();
    __syncthreads();
    if constexpr (kRows) {
      quantize_tile_rows<Source, Element, kStatus>(mode, columns, rows, at, tile);
    }
    if (at.left + column < columns.inner && at.top + block_row < columns.length) {
      quantize_tile_block<Source, Element, kStatus>(mode, columns, at, tile, block_row, column);
    }
    __syncthreads();
  }
}

}  // namespace mx::fast::cuda
