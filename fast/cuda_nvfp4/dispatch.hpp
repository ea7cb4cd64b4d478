// From a call to the kernel that answers it. Included after kernels.cuh by whatever can start
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
void start_quantize(const Mode& mode, const Call& call, const Start& start) {
  const std::size_t elements = cuda::elements_of(call.there);
  if (call.is_rows) {
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
  if (call.is_rows) {
    const std::size_t units = words / cuda_decode::CodeUnit<Words>::kCodes;
    return start(&rows_back_kernel<Words>, thread_blocks(units), kThreads, mode, run, call.tensor,
                 units);
  }
  start(&back_kernel<Words>, thread_blocks(words), kThreads, mode, run, call.tensor, words);
}

}  // namespace mx::fast::cuda_nvfp4
