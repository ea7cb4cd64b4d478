// The kernels of NVFP4, instantiated and started.
#include <cuda_runtime.h>

#include "fast/cuda_nvfp4/kernels.cuh"
// The kernels first.
#include "fast/cuda/plan.hpp"
#include "fast/cuda_nvfp4/dispatch.hpp"

namespace mx::fast::cuda_nvfp4 {
namespace {

Status status_of(cudaError_t error) {
  if (error == cudaSuccess) return {};
  return {Error::kDevice, cudaGetErrorString(error)};
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
  const std::size_t clear = cuda::bytes_to_clear(call.there, constants.mode.block_size);
  if (clear != 0) {
    const cudaError_t error = cudaMemsetAsync(call.there.out.scales, 0, clear, stream);
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
