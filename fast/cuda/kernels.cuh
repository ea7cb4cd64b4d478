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
                                         std::size_t number, bool takes_part) {
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
  const std::size_t block = number / kInBlock;
  std::size_t place = block;
  if (run.swizzled) {
    // The launch keeps these numbers within 32 bits.
    const auto of_line = static_cast<std::uint32_t>(run.length / 32);
    const std::uint32_t line = static_cast<std::uint32_t>(block) / of_line;
    place = swizzled_place(line, static_cast<std::uint32_t>(block) - line * of_line, of_line);
  }
  store_scale<kStatus>(run.out, scale, report, place, block);
}

/// Rows whose length is a multiple of 32, as units one after the other; two loads in flight.
template <class Source, class Element, bool kStatus>
__global__ void rows_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run run,
                            std::size_t units) {
  const std::size_t lead = threadIdx.x % kWarp;
  std::size_t first = std::size_t{blockIdx.x} * 2 * blockDim.x + threadIdx.x;
  for (; first - lead < units; first += 2 * thread_count()) {
    const std::size_t second = first + blockDim.x;
    Unit<Source> a{};
    Unit<Source> b{};
    if (first < units) a = load_unit<Source>(run.source, first * Unit<Source>::kWords);
    if (second < units) b = load_unit<Source>(run.source, second * Unit<Source>::kWords);
    quantize_row_unit<Source, Element, kStatus>(mode, run, a, first, first < units);
    quantize_row_unit<Source, Element, kStatus>(mode, run, b, second, second < units);
  }
}

inline constexpr unsigned kTileColumns = 128;
inline constexpr unsigned kTileRows = 32;

/// Blocks down the columns of one tile column, from shared memory, and their codes along a line of
/// the transposed result.
template <class Source, class Element, bool kStatus>
__device__ inline void quantize_tile_column(const Mode& mode, const Run& run,
                                            const typename Source::Word (*tile)[kTileColumns],
                                            std::size_t band, std::size_t column) {
  const auto at = [&](unsigned row) -> std::uint32_t { return tile[row][threadIdx.x]; };
  std::uint32_t amax = 0;
  for (unsigned row = 0; row < kTileRows; ++row) {
    const std::uint32_t magnitude = at(row) & Source::kMagnitudeMask;
    amax = magnitude > amax ? magnitude : amax;
  }
  const BlockScale scale = scale_of<Source>(mode.block, amax);
  const std::size_t blocks = run.length / kTileRows;
  const std::size_t line = band / blocks * run.inner + column;
  const std::size_t block = line * blocks + band % blocks;
  std::uint32_t report = 0;
  constexpr unsigned kWords = Unit<Source>::kWords;
  for (unsigned row = 0; row < kTileRows; row += kWords) {
    Unit<Source> unit;
    MX_UNROLL
    for (unsigned i = 0; i < 8; ++i) {
      std::uint32_t part = 0;
      if constexpr (kWords == 8) {
        part = at(row + i);
      } else {
        part = at(row + 2 * i) | at(row + 2 * i + 1) << 16;
      }
      unit.vector[i / 4].part[i % 4] = part;
    }
    const auto draws = [&](int i) {
      FourWords random;
      MX_UNROLL
      for (unsigned k = 0; k < 4; ++k) {
        const std::size_t line_of_source = band * kTileRows + row + static_cast<unsigned>(i) + k;
        random.word[k] = run.random.of(line_of_source * run.inner + column, mode.random_bits);
      }
      return random;
    };
    const EncodedUnit encoded =
        encode_unit<Source, Element>(mode, scale, amax, unit, run.packing, draws);
    store_unit<Unit<Source>::kWords>(run.out.codes, narrowed<Element::kBits>(run.packing),
                                     block * Unit<Source>::kInBlock + row / kWords, encoded.packed);
    report |= encoded.report;
  }
  const std::size_t place = run.swizzled ? swizzled_place(line, band % blocks, blocks) : block;
  store_scale<kStatus>(run.out, scale, report, place, block);
}

/// Bands of 32 rows in tiles of 128 columns, each read once: blocks down the columns, with codes
/// and scales transposed, and where `kRows`, blocks along the rows as well. `columns` describes the
/// source as outer x length x inner with blocks along length; `rows` has the same elements with
/// blocks along inner. kTileColumns threads a block; the number of thread blocks is free.
template <class Source, class Element, bool kStatus, bool kRows>
__global__ void tile_kernel(const __grid_constant__ Mode mode, const __grid_constant__ Run columns,
                            const __grid_constant__ Run rows, std::size_t bands) {
  __shared__ typename Source::Word tile[kTileRows][kTileColumns];
  constexpr unsigned kWords = Unit<Source>::kWords;
  constexpr unsigned kUnitsInRow = kTileColumns / kWords;
  constexpr unsigned kRowsAtOnce = kTileColumns / kUnitsInRow;
  const std::size_t across = (columns.inner + kTileColumns - 1) / kTileColumns;
  const unsigned unit_column = threadIdx.x % kUnitsInRow * kWords;
  for (std::size_t t = blockIdx.x; t < bands * across; t += gridDim.x) {
    const std::size_t band = t / across;
    const std::size_t left = t % across * kTileColumns;
    const bool has_unit = left + unit_column < columns.inner;
    Unit<Source> units[kTileRows / kRowsAtOnce];
    MX_UNROLL
    for (unsigned i = 0; i < kTileRows / kRowsAtOnce; ++i) {
      const unsigned row = i * kRowsAtOnce + threadIdx.x / kUnitsInRow;
      const std::size_t element = (band * kTileRows + row) * columns.inner + left + unit_column;
      units[i] = Unit<Source>{};
      if (has_unit) units[i] = load_unit<Source>(columns.source, element);
      std::memcpy(&tile[row][unit_column], &units[i], sizeof units[i]);
    }
    __syncthreads();
    if constexpr (kRows) {
      MX_UNROLL
      for (unsigned i = 0; i < kTileRows / kRowsAtOnce; ++i) {
        const unsigned row = i * kRowsAtOnce + threadIdx.x / kUnitsInRow;
        const std::size_t element = (band * kTileRows + row) * columns.inner + left + unit_column;
        quantize_row_unit<Source, Element, kStatus>(mode, rows, units[i], element / kWords,
                                                    has_unit);
      }
    }
    if (left + threadIdx.x < columns.inner) {
      quantize_tile_column<Source, Element, kStatus>(mode, columns, tile, band, left + threadIdx.x);
    }
    __syncthreads();
  }
}

}  // namespace mx::fast::cuda
