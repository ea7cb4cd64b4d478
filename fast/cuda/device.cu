// What needs a CUDA device.
#include <cuda_runtime.h>

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

Status copy_and_run(const StreamPlan& plan, const StreamLayout& layout,
                    std::span<const std::byte> source, std::span<std::byte> codes,
                    std::span<std::byte> scales, std::span<std::uint16_t> status,
                    const StreamRandom& random) {
  DeviceBuffer words(source.size());
  const std::span given(random.words, random.words == nullptr ? 0 : layout.shape.elements());
  DeviceBuffer draws(given.size_bytes());
  DeviceBuffer code(codes.size());
  DeviceBuffer scale(scales.size());
  DeviceBuffer flags(status.size_bytes());
  cudaError_t error = words.fill(source);
  if (error == cudaSuccess) error = draws.fill(std::as_bytes(given));
  for (const DeviceBuffer* const each : {&code, &scale, &flags}) {
    if (error == cudaSuccess) error = each->error();
  }
  if (error != cudaSuccess) return status_of(error);
  StreamRandom drawn = random;
  if (!given.empty()) drawn.words = static_cast<const std::uint32_t*>(draws.get());
  const StreamResults results{code.get(), scale.get(),
                              status.empty() ? nullptr : static_cast<std::uint16_t*>(flags.get())};
  if (const Status bad = plan.launch(nullptr, layout, words.get(), results, drawn); !bad) {
    return bad;
  }
  error = cudaStreamSynchronize(nullptr);
  if (error == cudaSuccess) error = code.read(codes);
  if (error == cudaSuccess) error = scale.read(scales);
  if (error == cudaSuccess) error = flags.read(std::as_writable_bytes(status));
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
