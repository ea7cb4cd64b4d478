// Runs a CUDA kernel's source on the host: a warp is 32 threads that meet in the warp's
// collectives. Only what kernel.cuh uses; thread blocks and their warps run one after the other,
// which is a legal order for kernels that share nothing between warps.
#pragma once

#include <array>
#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): CUDA names them.
#define __global__
#define __device__
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace mx::fast::test::shim {

struct Dim3 {
  unsigned x = 0;
};

/// Where the lanes of the running warp exchange their values.
struct Warp {
  std::barrier<> meet{32};
  std::array<std::uint32_t, 32> values{};
};

inline thread_local Dim3 thread_index;
inline thread_local Dim3 block_index;
inline thread_local Dim3 block_dim;
inline thread_local Dim3 grid_dim;
inline thread_local Warp* warp = nullptr;

/// Every lane gives a value and sees all of them.
inline std::array<std::uint32_t, 32> exchange(std::uint32_t value) {
  warp->values[thread_index.x % 32] = value;
  warp->meet.arrive_and_wait();
  const std::array<std::uint32_t, 32> all = warp->values;
  warp->meet.arrive_and_wait();
  return all;
}

/// kernel<<<blocks, threads>>>; threads is a multiple of 32.
template <class Kernel>
void launch(unsigned blocks, unsigned threads, Kernel kernel) {
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned first = 0; first < threads; first += 32) {
      Warp shared;
      std::vector<std::jthread> lanes;
      lanes.reserve(32);
      for (unsigned lane = 0; lane < 32; ++lane) {
        lanes.emplace_back([&, lane] {
          thread_index = {first + lane};
          block_index = {block};
          block_dim = {threads};
          grid_dim = {blocks};
          warp = &shared;
          kernel();
        });
      }
    }
  }
}

}  // namespace mx::fast::test::shim

// The names a kernel finds in CUDA's headers.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
#define threadIdx (::mx::fast::test::shim::thread_index)
#define blockIdx (::mx::fast::test::shim::block_index)
#define blockDim (::mx::fast::test::shim::block_dim)
#define gridDim (::mx::fast::test::shim::grid_dim)

namespace mx::fast {

inline std::uint32_t __reduce_max_sync(unsigned, std::uint32_t value) {
  std::uint32_t largest = 0;
  for (const std::uint32_t other : test::shim::exchange(value)) {
    largest = other > largest ? other : largest;
  }
  return largest;
}

inline int __any_sync(unsigned, int predicate) {
  for (const std::uint32_t other : test::shim::exchange(predicate != 0 ? 1u : 0u)) {
    if (other != 0) return 1;
  }
  return 0;
}

}  // namespace mx::fast
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
