// What needs a CUDA device.
#include <cuda_runtime.h>

#include <deque>
#include <vector>

#include "fast/cuda/start.hpp"

namespace mx::fast {
namespace {

Status status_of(cudaError_t error) {
  if (error == cudaSuccess) return {};
  return {Error::kDevice, cudaGetErrorString(error)};
}

/// Device memory for one call.
class DeviceBuffer {
 public:
  explicit DeviceBuffer(std::size_t bytes) : error_(cudaMalloc(&data_, bytes == 0 ? 1 : bytes)) {}
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() { cudaFree(data_); }

  [[nodiscard]] cudaError_t fill(std::span<const std::byte> from) {
    if (error_ != cudaSuccess) return error_;
    return cudaMemcpy(data_, from.data(), from.size(), cudaMemcpyHostToDevice);
  }
  [[nodiscard]] cudaError_t read(std::span<std::byte> to) const {
    return cudaMemcpy(to.data(), data_, to.size(), cudaMemcpyDeviceToHost);
  }
  [[nodiscard]] cudaError_t error() const { return error_; }
  [[nodiscard]] void* get() const { return data_; }

 private:
  void* data_ = nullptr;
  cudaError_t error_;
};

}  // namespace

namespace cuda {

Status start_on_device(CUstream_st* stream, cpu::Source source, const Mode& mode,
                       const Call& call) {
  const int size = mode.block.block_size;
  for (const Run* const run : {&call.run, &call.rows}) {
    if (run->out.scales == nullptr) continue;
    const std::size_t clear = bytes_to_clear(*run, size);
    if (clear == 0) continue;
    const cudaError_t error = cudaMemsetAsync(run->out.scales, 0, clear, stream);
    if (error != cudaSuccess) return status_of(error);
  }
  switch (source) {
    case cpu::Source::kFp32:
      start_on_stream<Fp32>(stream, mode, call);
      break;
    case cpu::Source::kBf16:
      start_on_stream<Bf16>(stream, mode, call);
      break;
    case cpu::Source::kFp16:
      start_on_stream<Fp16>(stream, mode, call);
      break;
  }
  return status_of(cudaGetLastError());
}

Status run_with_copies(const HostCall& call, const DeviceLaunch& launch) {
  DeviceBuffer words(call.source.size());
  DeviceBuffer draws(call.random.size_bytes());
  cudaError_t error = words.fill(call.source);
  if (error == cudaSuccess) error = draws.fill(std::as_bytes(call.random));
  std::deque<DeviceBuffer> buffers;
  StreamResults results[2];
  for (int d = 0; d < call.directions; ++d) {
    const HostResults& out = call.out[d];
    for (const std::size_t bytes : {out.codes.size(), out.scales.size(), out.status.size_bytes()}) {
      buffers.emplace_back(bytes);
      if (error == cudaSuccess) error = buffers.back().error();
    }
    const std::size_t first = buffers.size() - 3;
    results[d] = {
        buffers[first].get(), buffers[first + 1].get(),
        out.status.empty() ? nullptr : static_cast<std::uint16_t*>(buffers[first + 2].get())};
  }
  if (error != cudaSuccess) return status_of(error);
  const auto* const random =
      call.random.empty() ? nullptr : static_cast<const std::uint32_t*>(draws.get());
  if (const Status bad = launch(words.get(), random, results); !bad) return bad;
  error = cudaStreamSynchronize(nullptr);
  for (int d = 0; d < call.directions; ++d) {
    const HostResults& out = call.out[d];
    const auto first = static_cast<std::size_t>(d) * 3;
    if (error == cudaSuccess) error = buffers[first].read(out.codes);
    if (error == cudaSuccess) error = buffers[first + 1].read(out.scales);
    if (error == cudaSuccess) error = buffers[first + 2].read(std::as_writable_bytes(out.status));
  }
  return status_of(error);
}

Status run_between_copies(std::span<const std::span<const std::byte>> in,
                          std::span<const std::span<std::byte>> out,
                          const std::function<Status(void* const*)>& launch) {
  std::deque<DeviceBuffer> buffers;
  std::vector<void*> at;
  cudaError_t error = cudaSuccess;
  for (const std::span<const std::byte> each : in) {
    buffers.emplace_back(each.size());
    if (error == cudaSuccess) error = buffers.back().fill(each);
    at.push_back(buffers.back().get());
  }
  for (const std::span<std::byte> each : out) {
    buffers.emplace_back(each.size());
    if (error == cudaSuccess) error = buffers.back().error();
    at.push_back(buffers.back().get());
  }
  if (error != cudaSuccess) return status_of(error);
  if (const Status bad = launch(at.data()); !bad) return bad;
  error = cudaStreamSynchronize(nullptr);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (error == cudaSuccess) error = buffers[in.size() + i].read(out[i]);
  }
  return status_of(error);
}

}  // namespace cuda

std::string_view device_problem() {
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    return cudaGetErrorString(error);
  }
  return devices > 0 ? std::string_view{} : "no CUDA device";
}

}  // namespace mx::fast
