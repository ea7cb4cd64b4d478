// From a call to the kernel that answers it. Included after tiles.cuh by whatever can start
// kernels: nvcc's code, and the kernel test.
#pragma once

#include <algorithm>

#include "fast/cuda/calls.hpp"
#include "fast/cuda_nvfp4/plan.hpp"

namespace mx::fast::cuda_nvfp4 {

/// Thread blocks for `work` items; the kernels' loops take what is left.
[[nodiscard]] inline unsigned thread_blocks(std::size_t work) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  return static_cast<unsigned>(std::min((work + kThreads - 1) / kThreads, kMost));
}

/// The same of kernels whose threads have something to prepare: several items each, where there are
/// enough for every multiprocessor.
[[nodiscard]] inline unsigned few_thread_blocks(std::size_t work, std::size_t each) {
  constexpr unsigned kEnough = 4096;
  const unsigned all = thread_blocks(work);
  return all <= kEnough ? all : std::max(kEnough, thread_blocks(work / each));
}

/// Units of rows of whole blocks of 16.
template <class AnyRun>
[[nodiscard]] std::size_t row_units(const AnyRun& run, int to_block) {
  return cuda::row_units(run.swizzled, run.outer, run.length / 16, to_block);
}

/// Calls start(kernel, thread blocks, threads, arguments...) once.
template <class Source, class Start>
void start_tiles(const Mode& mode, const Call& call, const Start& start) {
  const Run& run = call.there;
  const std::size_t tiles = cuda::tiles_of(run, kTile, kTile);
  const unsigned blocks = thread_blocks(tiles * kThreads);
  const Way columns{mode, run, call.tensor};
  with_coding(mode.coding, [&]<Coding kCoding>() {
    if (call.kernel == Kernel::kBoth) {
      return start(&tile_kernel<Source, true, kCoding>, blocks, kThreads, columns, call.along,
                   tiles);
    }
    start(&tile_kernel<Source, false, kCoding>, blocks, kThreads, columns, columns, tiles);
  });
}

/// The same for blocks along rows and in any other layout that one lane has to have whole.
template <class Source, class Start>
void start_whole(const Mode& mode, const Call& call, const Start& start) {
  const std::size_t blocks = cuda::blocks_of(call.there, mode.block_size);
  const Way way{mode, call.there, call.tensor};
  with_coding(mode.coding, [&]<Coding kCoding>() {
    if (call.kernel == Kernel::kRows) {
      const std::size_t units = row_units(call.there, 0);
      return start(&whole_rows_kernel<Source, kCoding>, few_thread_blocks(units, 8), kThreads, way,
                   units);
    }
    start(&whole_kernel<Source, kCoding>, thread_blocks(blocks), kThreads, way, blocks);
  });
}

/// Searches and candidates have no kernel in which lanes share a block.
[[nodiscard]] inline bool needs_whole(Coding coding) {
  return coding == Coding::kSearch || coding == Coding::kCandidates;
}

template <class Source, class Start>
void start_plain_rows(const Mode& mode, const Call& call, const Start& start) {
  constexpr int kInBlock = 16 / cuda::Unit<Source>::kWords;
  const std::size_t units = row_units(call.there, kInBlock / 2);
  const unsigned blocks = few_thread_blocks(units, 8);
  if (mode.coding == Coding::kCarries) {
    return start(&rows_kernel<Source, Coding::kCarries>, blocks, kThreads, mode, call.there,
                 call.tensor, units);
  }
  start(&rows_kernel<Source, Coding::kThresholds>, blocks, kThreads, mode, call.there, call.tensor,
        units);
}

template <class Source, class Start>
void start_one(const Mode& mode, const Call& call, const Start& start) {
  if (call.kernel == Kernel::kColumns || call.kernel == Kernel::kBoth) {
    return start_tiles<Source>(mode, call, start);
  }
  const bool is_rows = call.kernel == Kernel::kRows;
  if (mode.transforms || (is_rows && needs_whole(mode.coding))) {
    return start_whole<Source>(mode, call, start);
  }
  if (is_rows) return start_plain_rows<Source>(mode, call, start);
  const std::size_t blocks = cuda::blocks_of(call.there, mode.block_size);
  with_coding(mode.coding, [&]<Coding kCoding>() {
    start(&general_kernel<Source, kCoding>, thread_blocks(blocks), kThreads, mode, call.there,
          call.tensor, blocks);
  });
}

/// Both directions have one kernel where they have one coding, and otherwise one each. Status words
/// come from the general kernels alone: reports and checks ask for them.
template <class Source, class Start>
void start_quantize(const Mode& mode, const Call& call, const Start& start) {
  const Mode& along = call.along.mode;
  const bool with_status = call.there.out.status != nullptr;
  Call one = call;
  if (call.kernel != Kernel::kBoth) {
    if (with_status) one.kernel = Kernel::kGeneral;
    return start_one<Source>(mode, one, start);
  }
  if (along.coding == mode.coding && !with_status) return start_one<Source>(mode, call, start);
  one.kernel = with_status ? Kernel::kGeneral : Kernel::kColumns;
  start_one<Source>(mode, one, start);
  one.kernel = with_status ? Kernel::kGeneral : Kernel::kRows;
  one.there = call.along.run;
  one.tensor = call.along.tensor;
  start_one<Source>(along, one, start);
}

template <class Words, class Start>
void start_dequantize(const Mode& mode, const Call& call, const Start& start) {
  const cuda_dequantize::Run& run = call.back;
  const std::size_t words = run.outer * run.length * run.inner;
  if (call.kernel == Kernel::kRows) {
    const std::size_t units = row_units(run, 4 - cuda_dequantize::CodeUnit<Words>::kShift);
    return start(&rows_back_kernel<Words>, few_thread_blocks(units, 64), kThreads, mode, run,
                 call.tensor, units);
  }
  start(&back_kernel<Words>, thread_blocks(words), kThreads, mode, run, call.tensor, words);
}

}  // namespace mx::fast::cuda_nvfp4
