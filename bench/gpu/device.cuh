// What measurements on a device share: memory, contents, the copy beside them, and the clock.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "reference/format/format.hpp"

namespace mx::bench {

constexpr int kRounds = 25;
constexpr int kWarmUp = 5;

inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gpu_rates: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

struct DeviceBuffer {
  explicit DeviceBuffer(std::size_t bytes) { require(cudaMalloc(&data, bytes), "cudaMalloc"); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data); }
  void* data = nullptr;
};

template <class Item = std::byte>
[[nodiscard]] std::vector<Item> copied(const DeviceBuffer& from, std::size_t count) {
  std::vector<Item> to(count);
  require(cudaMemcpy(to.data(), from.data, count * sizeof(Item), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  return to;
}

static __global__ void copy_kernel(const uint4* from, uint4* to, std::size_t count) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all) {
    __stcs(to + i, __ldcs(from + i));
  }
}

/// Words of random signs and significands with exponents in 12 binades up to 1, and a zero or a
/// subnormal among 16, anywhere: at regular places whole columns would be subnormal.
template <class Word>
__global__ void fill_kernel(Word* to, std::size_t count, int man_bits, int bias) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += all) {
    std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15;
    x = (x ^ x >> 31) * 0xBF58476D1CE4E5B9;
    x ^= x >> 29;
    const auto man = static_cast<std::uint32_t>(x) & ((1u << man_bits) - 1);
    const auto field = (x >> 52 & 15) == 7 ? 0u : static_cast<std::uint32_t>(bias) - (x >> 40) % 12;
    const auto sign = static_cast<std::uint32_t>(x >> 63) << (8 * sizeof(Word) - 1);
    to[i] = static_cast<Word>(sign | static_cast<std::uint32_t>(field) << man_bits | man);
  }
}

inline void fill(const DeviceBuffer& words, const ElementFormat& format, std::size_t count) {
  if (format.storage_bits == 32) {
    fill_kernel<<<4096, 256>>>(static_cast<std::uint32_t*>(words.data), count, format.man_bits,
                               format.bias);
  } else {
    fill_kernel<<<4096, 256>>>(static_cast<std::uint16_t*>(words.data), count, format.man_bits,
                               format.bias);
  }
}

/// Bytes low .. low + count - 1, mixed.
static __global__ void fill_bytes_kernel(std::uint8_t* to, std::size_t bytes, unsigned low,
                                         unsigned count) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < bytes; i += all) {
    std::uint64_t x = (i + 1) * 0x9E3779B97F4A7C15;
    x ^= x >> 29;
    to[i] = static_cast<std::uint8_t>(low + (x >> 20) % count);
  }
}

struct Shape {
  std::size_t rows;
  std::size_t columns;
};

/// Milliseconds of work on the default stream.
template <class Work>
float time_of(cudaEvent_t begin, cudaEvent_t end, const Work& work) {
  require(cudaEventRecord(begin), "cudaEventRecord");
  work();
  require(cudaEventRecord(end), "cudaEventRecord");
  require(cudaEventSynchronize(end), "cudaEventSynchronize");
  float milliseconds = 0;
  require(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
  return milliseconds;
}

}  // namespace mx::bench
