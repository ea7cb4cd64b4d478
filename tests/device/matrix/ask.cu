// Dot products by the matrix units of a Hopper GPU. Eight of them share a tile: dot j is column j
// of B and every row of A whose number plus the tile's is j modulo 8, so over the tiles each lies
// everywhere; the copies in one tile must agree. What else the tile computes is dropped.
#include "tests/device/matrix/ask.hpp"

#include <cuda_runtime.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include "tests/device/matrix/steps.cuh"

namespace mx::probe {
namespace {

constexpr int kDots = 8;
constexpr int kWarp = 32;
constexpr int kMmaRows = 16;
constexpr int kWgmmaRows = 64;

struct Arrays {
  const std::uint32_t* a;
  const std::uint32_t* b;
  const std::uint32_t* c;
  std::uint32_t* d;  // copies of every dot product, one after the other
};

__device__ int dot_of_row(int row) { return (row + static_cast<int>(blockIdx.x)) % kDots; }

/// A, and D as C, into the registers of this thread. `row` is the first of its two rows.
template <class Unit>
__device__ void load(const Arrays& at, int row, Fragment& f) {
  const int first = static_cast<int>(blockIdx.x) * kDots;
  const int t = static_cast<int>(threadIdx.x) % 4;
  for (int half = 0; half < 2; ++half) {
    const std::uint32_t* words = at.a + (first + dot_of_row(row + 8 * half)) * Unit::kRowWords;
    f.a[half] = words[t];
    if constexpr (Unit::kRowWords == 8) f.a[2 + half] = words[t + 4];
    const std::uint32_t* carry = at.c + first + 2 * t;
    if constexpr (Unit::kFp16) {
      f.d[half] = carry[0] | (carry[1] << 16);
    } else {
      f.d[2 * half] = carry[0];
      f.d[2 * half + 1] = carry[1];
    }
  }
}

/// The elements of this thread that are one of the tile's dot products.
template <class Unit>
__device__ void store(const Arrays& at, int row, const Fragment& f) {
  const int first = static_cast<int>(blockIdx.x) * kDots;
  const int count = static_cast<int>(gridDim.x) * kDots;
  const int t = static_cast<int>(threadIdx.x) % 4;
  for (int half = 0; half < 2; ++half) {
    const int copy = (row + 8 * half) / kDots;
    for (int side = 0; side < 2; ++side) {
      const int column = 2 * t + side;
      if (dot_of_row(row + 8 * half) != column) continue;
      const std::uint32_t word =
          Unit::kFp16 ? (f.d[half] >> (16 * side)) & 0xffffu : f.d[2 * half + side];
      at.d[copy * count + first + column] = word;
    }
  }
}

template <class Unit>
__global__ void run_mma(Arrays at) {
  const int group = static_cast<int>(threadIdx.x) / 4;
  const int t = static_cast<int>(threadIdx.x) % 4;
  Fragment f{};
  load<Unit>(at, group, f);
  const std::uint32_t* column =
      at.b + (static_cast<int>(blockIdx.x) * kDots + group) * Unit::kRowWords;
  f.b[0] = column[t];
  if constexpr (Unit::kRowWords == 8) f.b[1] = column[t + 4];
  Unit::step(f);
  store<Unit>(at, group, f);
}

/// Where B stands, for wgmma: core matrices of 8 columns by 16 bytes, two of them along k and 128
/// bytes apart. There is no second one along n, so both offsets may say 128. No swizzle.
__device__ std::uint64_t descriptor_of(const void* shared) {
  const auto address = static_cast<std::uint64_t>(__cvta_generic_to_shared(shared));
  const std::uint64_t apart = 128 / 16;
  return ((address & 0x3ffffu) >> 4) | (apart << 16) | (apart << 32);
}

template <class Unit>
__global__ void __launch_bounds__(128, 1) run_wgmma(Arrays at) {
  __shared__ alignas(1024) std::uint32_t b[kDots * Unit::kRowWords];
  const int thread = static_cast<int>(threadIdx.x);
  if (thread < kDots * Unit::kRowWords) {
    const int column = thread / Unit::kRowWords;
    const int word = thread % Unit::kRowWords;
    b[word / 4 * 32 + column * 4 + word % 4] =
        at.b[static_cast<int>(blockIdx.x) * kDots * Unit::kRowWords + thread];
  }
  // The unit reads shared memory by the asynchronous proxy.
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const int row = thread / kWarp * kMmaRows + thread % kWarp / 4;
  Fragment f{};
  load<Unit>(at, row, f);
  Unit::step(f, descriptor_of(b));
  store<Unit>(at, row, f);
}

struct Kernel {
  void (*start)(Arrays);
  int rows;
};

// In the order of kInstructions.
constexpr std::array<Kernel, kInstructions.size()> kKernels{{
    {&run_mma<Fp16K16>, kMmaRows},
    {&run_mma<Fp16K16ToFp16>, kMmaRows},
    {&run_mma<Fp16K8>, kMmaRows},
    {&run_mma<Fp16K8ToFp16>, kMmaRows},
    {&run_mma<Bf16K16>, kMmaRows},
    {&run_mma<Bf16K8>, kMmaRows},
    {&run_mma<Tf32K4>, kMmaRows},
    {&run_mma<Tf32K8>, kMmaRows},
    {&run_mma<E4m3E4m3>, kMmaRows},
    {&run_mma<E4m3E5m2>, kMmaRows},
    {&run_mma<E5m2E4m3>, kMmaRows},
    {&run_mma<E5m2E5m2>, kMmaRows},
    {&run_mma<E4m3E5m2K16>, kMmaRows},
    {&run_mma<E4m3E4m3ToFp16>, kMmaRows},
    {&run_mma<E4m3E5m2ToFp16>, kMmaRows},
    {&run_mma<E5m2E4m3ToFp16>, kMmaRows},
    {&run_mma<E5m2E5m2ToFp16>, kMmaRows},
    {&run_mma<E4m3E5m2K16ToFp16>, kMmaRows},
    {&run_wgmma<WideFp16>, kWgmmaRows},
    {&run_wgmma<WideFp16ToFp16>, kWgmmaRows},
    {&run_wgmma<WideBf16>, kWgmmaRows},
    {&run_wgmma<WideTf32>, kWgmmaRows},
    {&run_wgmma<WideE4m3E4m3>, kWgmmaRows},
    {&run_wgmma<WideE4m3E5m2>, kWgmmaRows},
    {&run_wgmma<WideE5m2E4m3>, kWgmmaRows},
    {&run_wgmma<WideE5m2E5m2>, kWgmmaRows},
    {&run_wgmma<WideE4m3E4m3ToFp16>, kWgmmaRows},
    {&run_wgmma<WideE4m3E5m2ToFp16>, kWgmmaRows},
    {&run_wgmma<WideE5m2E4m3ToFp16>, kWgmmaRows},
    {&run_wgmma<WideE5m2E5m2ToFp16>, kWgmmaRows},
}};

void require(cudaError_t status, std::string_view what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// Words on the device.
class DeviceWords {
 public:
  explicit DeviceWords(std::size_t count) : bytes_(4 * count) {
    require(cudaMalloc(&data_, bytes_), "cudaMalloc");
  }
  explicit DeviceWords(const std::vector<std::uint32_t>& words) : DeviceWords(words.size()) {
    require(cudaMemcpy(data_, words.data(), bytes_, cudaMemcpyHostToDevice), "copy to the device");
  }
  DeviceWords(const DeviceWords&) = delete;
  DeviceWords& operator=(const DeviceWords&) = delete;
  ~DeviceWords() { cudaFree(data_); }
  std::uint32_t* data() const { return static_cast<std::uint32_t*>(data_); }
  void read(std::vector<std::uint32_t>& words) const {
    require(cudaMemcpy(words.data(), data_, bytes_, cudaMemcpyDeviceToHost), "copy to the host");
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

}  // namespace

Answer ask_device(const Instruction& instruction, const std::vector<std::uint32_t>& a,
                  const std::vector<std::uint32_t>& b, const std::vector<std::uint32_t>& c) {
  const Kernel& kernel = kKernels[static_cast<std::size_t>(&instruction - kInstructions.data())];
  const std::size_t copies = static_cast<std::size_t>(kernel.rows / kDots);
  const DeviceWords device_a(a);
  const DeviceWords device_b(b);
  const DeviceWords device_c(c);
  const DeviceWords device_d(std::vector<std::uint32_t>(copies * c.size(), 0xdeadbeef));
  const auto tiles = static_cast<unsigned>(c.size() / kDots);
  const auto threads = static_cast<unsigned>(kernel.rows / kMmaRows * kWarp);
  kernel.start<<<tiles, threads>>>(
      {device_a.data(), device_b.data(), device_c.data(), device_d.data()});
  require(cudaGetLastError(), instruction.name);
  std::vector<std::uint32_t> all(copies * c.size());
  device_d.read(all);

  Answer answer;
  answer.d.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(c.size()));
  for (std::size_t dot = 0; dot < c.size(); ++dot) {
    bool differs = false;
    for (std::size_t copy = 1; copy < copies; ++copy) {
      differs = differs || all[copy * c.size() + dot] != all[dot];
    }
    answer.differing += differs ? 1 : 0;
  }
  return answer;
}

std::string device_name() {
  cudaDeviceProp device{};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return "a device that does not answer";
  return std::string(device.name) + ", compute capability " + std::to_string(device.major) + "." +
         std::to_string(device.minor);
}

std::string obstacle() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return "no CUDA device";
  cudaDeviceProp device{};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return "the device does not answer";
  if (device.major == 9 && device.minor == 0) return "";
  return device_name() + ": built for sm_90a alone, because wgmma has no other target: all " +
         std::to_string(kInstructions.size()) + " instructions are left out";
}

}  // namespace mx::probe
