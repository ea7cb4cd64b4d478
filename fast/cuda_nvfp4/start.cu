// The kernels of NVFP4, instantiated and started.
#include <cuda_runtime.h>

#include "fast/cuda_nvfp4/tiles.cuh"
// The kernels first.
#include "fast/cuda/plan.hpp"
#include "fast/cuda_nvfp4/dispatch.hpp"

namespace mx::fast::cuda_nvfp4 {
namespace {

Status status_of(cudaError_t error) {
  if (error == cudaSuccess) return {};
  return {Error::kDevice, cudaGetErrorString(error)};
}

/// Zeros in the slots of the scales' tiles that no block has.
cudaError_t clear_scales(CUstream_st* stream, const Mode& mode, const Run& run) {
  const std::size_t clear = cuda::bytes_to_clear(run, mode.block_size);
  return clear == 0 ? cudaSuccess : cudaMemsetAsync(run.out.scales, 0, clear, stream);
}

/// f.operator()<Words>().
template <class Function>
void with_words(cpu::Source words, const Function& f) {
  switch (words) {
    case cpu::Source::kFp32:
      return f.template operator()<cuda::Fp32>();
    case cpu::Source::kBf16:
      return f.template operator()<cuda::Bf16>();
    case cpu::Source::kFp16:
      return f.template operator()<cuda::Fp16>();
  }
}

}  // namespace

Status start_there(CUstream_st* stream, const Nvfp4Plan::Constants& constants, const Call& call) {
  if (const cudaError_t error = clear_scales(stream, constants.mode, call.there);
      error != cudaSuccess) {
    return status_of(error);
  }
  if (call.kernel == Kernel::kBoth) {
    const cudaError_t error = clear_scales(stream, call.along.mode, call.along.run);
    if (error != cudaSuccess) return status_of(error);
  }
  with_words(constants.words, [&]<class Source>() {
    start_quantize<Source>(
        constants.mode, call,
        [&](auto kernel, unsigned blocks, unsigned threads, const auto&... values) {
          kernel<<<blocks, threads, 0, stream>>>(values...);
        });
  });
  return status_of(cudaGetLastError());
}

Status start_back(CUstream_st* stream, const Nvfp4Plan::Constants& constants, const Call& call) {
  with_words(constants.words, [&]<class Words>() {
    start_dequantize<Words>(
        constants.mode, call,
        [&](auto kernel, unsigned blocks, unsigned threads, const auto&... values) {
          kernel<<<blocks, threads, 0, stream>>>(values...);
        });
  });
  return status_of(cudaGetLastError());
}

}  // namespace mx::fast::cuda_nvfp4
