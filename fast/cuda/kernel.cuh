// The kernel: one warp for each block of 32, one lane for each element, the tensor in a grid-stride
// loop. Compiled by nvcc, and by a host compiler in the kernel test, which supplies the CUDA names.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fast/cuda/arithmetic.hpp"

namespace mx::fast {

/// The calling thread's place in its warp.
struct WarpLanes {
  int lane;

  static constexpr unsigned kAll = 0xFFFFFFFFu;

  template <class T>
  struct PerLane {
    T value;
    __device__ T& operator[](int) { return value; }
  };

  template <class Function>
  __device__ void each(Function function) const {
    function(lane);
  }
  __device__ std::uint32_t maximum(const PerLane<std::uint32_t>& own) const {
    return __reduce_max_sync(kAll, own.value);
  }
  __device__ bool any(const PerLane<bool>& own) const {
    return __any_sync(kAll, own.value ? 1 : 0) != 0;
  }
  template <class Function>
  __device__ void once(Function function) const {
    if (lane == 0) function();
  }
};

/// Quantizes `elements` words of an array that is aligned to them. blockDim.x is a multiple of 32,
/// so that a warp never splits at the loop's end; the number of thread blocks is free.
template <class Source, class Element>
__global__ void quantize_kernel(const std::byte* words, std::size_t elements, std::uint8_t* codes,
                                std::uint8_t* scales, std::uint16_t* status) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t warps = std::size_t{gridDim.x} * blockDim.x / kBlockSize;
  const std::size_t blocks = (elements + kBlockSize - 1) / kBlockSize;
  const WarpLanes lanes{static_cast<int>(thread % kBlockSize)};
  for (std::size_t block = thread / kBlockSize; block < blocks; block += warps) {
    const std::size_t first = block * kBlockSize;
    const std::size_t left = elements - first;
    quantize_block<Source, Element>(lanes, words + first * sizeof(typename Source::Word),
                                    static_cast<int>(left < kBlockSize ? left : kBlockSize),
                                    codes + first, scales + block, status + block);
  }
}

}  // namespace mx::fast
