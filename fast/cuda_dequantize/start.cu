// The kernels of the way back, instantiated and started.
#include <cuda_runtime.h>

#include "fast/cuda_dequantize/kernels.cuh"
// The kernels first.
#include "fast/cuda_dequantize/dispatch.hpp"

namespace mx::fast::cuda_dequantize {

Status start_on_device(CUstream_st* stream, dequantize::Words words, const Mode& mode,
                       const Call& call) {
  const auto start = [&](auto kernel, unsigned blocks, unsigned threads, const auto&... values) {
    kernel<<<blocks, threads, 0, stream>>>(values...);
  };
  switch (words) {
    case dequantize::Words::kFp32:
      start_kernel<cuda::Fp32>(mode, call, start);
      break;
    case dequantize::Words::kBf16:
      start_kernel<cuda::Bf16>(mode, call, start);
      break;
    case dequantize::Words::kFp16:
      start_kernel<cuda::Fp16>(mode, call, start);
      break;
  }
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return {};
  return {Error::kDevice, cudaGetErrorString(error)};
}

}  // namespace mx::fast::cuda_dequantize
