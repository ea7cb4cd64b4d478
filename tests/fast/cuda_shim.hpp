// Runs a CUDA kernel's source on the host: every thread of a thread block is a fiber, and fibers
// take turns at the exchanges of their warp and at __syncthreads(). Only what kernels.cuh uses;
// thread blocks run one after the other, which is a legal order for kernels that share nothing
// between them.
//
// Stricter than a device: lanes that wait for lanes that never come are an error.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): CUDA names them.
#define __global__ inline
#define __device__
#define __shared__ static
#define __grid_constant__
#define __launch_bounds__(...)
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace mx::fast::test::shim {

struct Dim3 {
  unsigned x = 0;
};

/// Where the lanes of a warp exchange their values: two rounds at a time, since a lane enters a
/// round only when all have left the one before the last.
struct Warp {
  std::array<std::array<std::uint32_t, 32>, 2> values{};
  std::uint64_t arrivals = 0;
};

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<char[]> stack;
  std::uint64_t exchanges = 0;
  std::uint64_t barriers = 0;
  bool is_done = false;
};

/// The thread block that runs now.
struct Block {
  std::vector<Fiber> fibers;
  std::vector<Warp> warps;
  std::uint64_t arrivals = 0;
  std::uint64_t progress = 0;  ///< arrivals and ends, to tell waiting from waiting for ever
  ucontext_t scheduler{};
  std::function<void()> kernel;
};

inline Block* block = nullptr;
inline Dim3 thread_index;
inline Dim3 block_index;
inline Dim3 block_dim;
inline Dim3 grid_dim;

/// Lets the other fibers run until `arrivals` has reached `wanted`.
inline void wait_for(const std::uint64_t& arrivals, std::uint64_t wanted) {
  const unsigned own = thread_index.x;
  while (arrivals < wanted) {
    swapcontext(&block->fibers[own].context, &block->scheduler);
    thread_index.x = own;
  }
}

/// Every lane gives a value and sees all of them.
inline std::array<std::uint32_t, 32> exchange(std::uint32_t value) {
  Warp& warp = block->warps[thread_index.x / 32];
  const std::uint64_t round = block->fibers[thread_index.x].exchanges++;
  warp.values[round % 2][thread_index.x % 32] = value;
  ++warp.arrivals;
  ++block->progress;
  wait_for(warp.arrivals, 32 * (round + 1));
  return warp.values[round % 2];
}

inline void synchronize() {
  const std::uint64_t round = block->fibers[thread_index.x].barriers++;
  ++block->arrivals;
  ++block->progress;
  wait_for(block->arrivals, block->fibers.size() * (round + 1));
}

inline void fiber_main() {
  block->kernel();
  block->fibers[thread_index.x].is_done = true;
  ++block->progress;
}

/// Runs the fibers of the block in turns until all have ended.
inline void run_block() {
  std::size_t left = block->fibers.size();
  while (left != 0) {
    const std::uint64_t before = block->progress;
    left = 0;
    for (unsigned i = 0; i < block->fibers.size(); ++i) {
      if (block->fibers[i].is_done) continue;
      thread_index.x = i;
      swapcontext(&block->scheduler, &block->fibers[i].context);
      if (!block->fibers[i].is_done) ++left;
    }
    if (left != 0 && block->progress == before) {
      throw std::logic_error("lanes wait for lanes that never come");
    }
  }
}

/// A fiber at the start of the kernel.
inline void rewind(Fiber& fiber, std::size_t stack_bytes) {
  fiber.exchanges = fiber.barriers = 0;
  fiber.is_done = false;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = stack_bytes;
  fiber.context.uc_link = &block->scheduler;
  makecontext(&fiber.context, &fiber_main, 0);
}

/// kernel<<<blocks, threads>>>; threads is a multiple of 32.
template <class Kernel>
void launch(unsigned blocks, unsigned threads, Kernel kernel) {
  constexpr std::size_t kStack = std::size_t{1} << 17;
  Block running;
  running.kernel = kernel;
  block = &running;
  running.fibers.resize(threads);
  for (Fiber& fiber : running.fibers) {
    fiber.stack = std::make_unique_for_overwrite<char[]>(kStack);
  }
  block_dim = {threads};
  grid_dim = {blocks};
  for (unsigned b = 0; b < blocks; ++b) {
    block_index = {b};
    running.warps.assign(threads / 32, {});
    running.arrivals = 0;
    for (Fiber& fiber : running.fibers) rewind(fiber, kStack);
    run_block();
  }
  block = nullptr;
}

}  // namespace mx::fast::test::shim

// The names a kernel finds in CUDA's headers.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
#define threadIdx (::mx::fast::test::shim::thread_index)
#define blockIdx (::mx::fast::test::shim::block_index)
#define blockDim (::mx::fast::test::shim::block_dim)
#define gridDim (::mx::fast::test::shim::grid_dim)

namespace mx::fast {

inline std::uint32_t __shfl_xor_sync(unsigned, std::uint32_t value, int step) {
  const auto other = (threadIdx.x % 32) ^ static_cast<unsigned>(step);
  return test::shim::exchange(value)[other];
}

inline void __syncthreads() { test::shim::synchronize(); }

// Fibers take turns only where they wait, so that these are whole.
inline void atomicAdd(unsigned long long* to, unsigned long long value) { *to += value; }
inline void atomicMin(unsigned long long* to, unsigned long long value) {
  if (value < *to) *to = value;
}

}  // namespace mx::fast
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
