// The kernels of the judge. Compiled by nvcc, and by a host compiler in the kernel test, which
// supplies the CUDA names.
#pragma once

#include "fast/cuda_judge/arithmetic.hpp"

namespace mx::fast::cuda_judge {

inline constexpr unsigned kThreads = 256;

/// Runs of words from number `first_run` on, a lane each at a time, into the tallies of their
/// segments; a segment is 2^segment_bits words, and the first tally is that of the first run.
template <class Source, class Element>
__global__ void judge_kernel(const __grid_constant__ Conversion conversion, const Step* steps,
                             int count, std::uint32_t first_run, std::uint32_t runs,
                             int segment_bits, Tally* tallies) {
  __shared__ Step table[kMostSteps];
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    table[i] = steps[i];
  }
  __syncthreads();
  const std::uint32_t threads = gridDim.x * blockDim.x;
  for (std::uint32_t run = blockIdx.x * blockDim.x + threadIdx.x; run < runs; run += threads) {
    const Tally own =
        judge_run<Source, Element>(conversion, table, count, (first_run + run) * kRun, kRun);
    if (own.mismatches == 0) continue;
    Tally& tally = tallies[std::uint64_t{run} * kRun >> segment_bits];
    atomicAdd(&tally.mismatches, own.mismatches);
    atomicMin(&tally.first, own.first);
  }
}

/// The codes of runs of words, one a byte.
template <class Source, class Element>
__global__ void codes_kernel(const __grid_constant__ Conversion conversion, std::uint32_t first_run,
                             std::uint32_t runs, std::uint8_t* codes) {
  const std::uint32_t threads = gridDim.x * blockDim.x;
  for (std::uint32_t run = blockIdx.x * blockDim.x + threadIdx.x; run < runs; run += threads) {
    const std::uint32_t first = (first_run + run) * kRun;
    std::uint8_t* const to = codes + std::size_t{run} * kRun;
    convert_run<Source, Element>(conversion, first, kRun,
                                 [&](std::uint32_t word, std::uint32_t code) {
                                   to[word - first] = static_cast<std::uint8_t>(code);
                                 });
  }
}

}  // namespace mx::fast::cuda_judge
