#include <cuda_runtime.h>

#include <algorithm>
#include <string_view>

#include "fast/cuda/combinations.hpp"
#include "fast/cuda/kernel.cuh"
#include "fast/cuda/quantize.hpp"

namespace mx::fast {
namespace {

constexpr unsigned kThreads = 256;
// Enough thread blocks to fill any device; the kernel's loop takes the rest.
constexpr std::size_t kMostThreadBlocks = 1u << 16;

/// Device memory for one call.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data_); }

  [[nodiscard]] cudaError_t allocate(std::size_t bytes) { return cudaMalloc(&data_, bytes); }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
};

[[nodiscard]] cudaError_t copy_out(std::span<std::byte> to, const DeviceBuffer& from) {
  return cudaMemcpy(to.data(), from.as<void>(), to.size(), cudaMemcpyDeviceToHost);
}

template <class Source, class Element>
[[nodiscard]] cudaError_t run(std::span<const std::byte> words, const QuantizedSpans& out) {
  const std::size_t elements = out.codes.size();
  DeviceBuffer source;
  DeviceBuffer codes;
  DeviceBuffer scales;
  DeviceBuffer status;
  cudaError_t error = source.allocate(words.size());
  if (error == cudaSuccess) error = codes.allocate(out.codes.size());
  if (error == cudaSuccess) error = scales.allocate(out.scales.size());
  if (error == cudaSuccess) error = status.allocate(out.status.size_bytes());
  if (error == cudaSuccess) {
    error = cudaMemcpy(source.as<void>(), words.data(), words.size(), cudaMemcpyHostToDevice);
  }
  if (error != cudaSuccess) return error;

  const std::size_t wanted = (elements + kThreads - 1) / kThreads;
  const auto grid = static_cast<unsigned>(std::min(wanted, kMostThreadBlocks));
  quantize_kernel<Source, Element>
      <<<grid, kThreads>>>(source.as<std::byte>(), elements, codes.as<std::uint8_t>(),
                           scales.as<std::uint8_t>(), status.as<std::uint16_t>());
  error = cudaGetLastError();
  if (error == cudaSuccess) error = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = copy_out(out.codes, codes);
  if (error == cudaSuccess) error = copy_out(out.scales, scales);
  if (error == cudaSuccess) error = copy_out(std::as_writable_bytes(out.status), status);
  return error;
}

}  // namespace

std::string_view device_problem() {
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    return cudaGetErrorString(error);
  }
  return devices > 0 ? std::string_view{} : "no CUDA device";
}

Status quantize_on_device(const ElementFormat& source, const ElementFormat& element,
                          std::span<const std::byte> words, QuantizedSpans out) {
  if (const Status bad = check_call(source, element, words, out); !bad) return bad;
  if (const std::string_view problem = device_problem(); !problem.empty()) {
    return {Error::kNoDevice, problem};
  }
  if (words.empty()) return {};
  cudaError_t error = cudaSuccess;
  with_traits(source, element,
              [&]<class Source, class Element>() { error = run<Source, Element>(words, out); });
  if (error != cudaSuccess) return {Error::kDevice, cudaGetErrorString(error)};
  return {};
}

}  // namespace mx::fast
