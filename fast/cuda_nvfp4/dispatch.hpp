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

/// Calls start(kernel, thread blocks, threads, arguments...) once.
template <class Source, class Start>
void start_tiles(const Mode& mode, const Call& call, const Start& start) {
  const Run& run = call.there;
  const auto tiles_of = [](std::size_t length) { return (length + kTile - 1) / kTile; };
  const std::size_t tiles = run.outer * tiles_of(run.length) * tiles_of(run.inner);
  const unsigned blocks = thread_blocks(tiles * kThreads);
  const Way columns{mode, run, call.tensor};
  if (call.kernel == Kernel::kBoth) {
    return start(&tile_kernel<Source, true>, blocks, kThreads, columns, call.along, tiles);
  }
  start(&tile_kernel<Source, false>, blocks, kThreads, columns, columns, tiles);
}

/// The same for transformed blocks along rows and in any other layout.
template <class Source, class Start>
void start_whole(const Mode& mode, const Call& call, const Start& start) {
  const std::size_t blocks = cuda::blocks_of(call.there, mode.block_size);
  const Way way{mode, call.there, call.tensor};
  if (call.kernel == Kernel::kRows) {
    return start(&whole_rows_kernel<Source>, thread_blocks(blocks), kThreads, way, blocks);
  }
  start(&whole_kernel<Source>, thread_blocks(blocks), kThreads, way, blocks);
}

template <class Source, class Start>
void start_quantize(const Mode& mode, const Call& call, const Start& start) {
  const std::size_t elements = cuda::elements_of(call.there);
  if (call.kernel == Kernel::kColumns || call.kernel == Kernel::kBoth) {
    return start_tiles<Source>(mode, call, start);
  }
  if (mode.transforms) return start_whole<Source>(mode, call, start);
  if (call.kernel == Kernel::kRows) {
    const std::size_t units = elements / cuda::Unit<Source>::kWords;
    return start(&rows_kernel<Source>, thread_blocks(units), kThreads, mode, call.there,
                 call.tensor, units);
  }
  const std::size_t blocks = cuda::blocks_of(call.there, mode.block_size);
  start(&general_kernel<Source>, thread_blocks(blocks), kThreads, mode, call.there, call.tensor,
        blocks);
}

template <class Words, class Start>
void start_dequantize(const Mode& mode, const Call& call, const Start& start) {
  const cuda_decode::Run& run = call.back;
  const std::size_t words = run.outer * run.length * run.inner;
  if (call.kernel == Kernel::kRows) {
    const std::size_t units = words / cuda_decode::CodeUnit<Words>::kCodes;
    return start(&rows_back_kernel<Words>, thread_blocks(units), kThreads, mode, run, call.tensor,
                 units);
  }
  start(&back_kernel<Words>, thread_blocks(words), kThreads, mode, run, call.tensor, words);
}

}  // namespace mx::fast::cuda_nvfp4
