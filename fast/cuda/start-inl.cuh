// The kernels of one source. Included once, by the translation unit that instantiates it.
#pragma once

#include <cuda_runtime.h>

#include "fast/cuda/kernels.cuh"
// The kernels first.
#include "fast/cuda/dispatch.hpp"
#include "fast/cuda/start.hpp"

namespace mx::fast::cuda {

template <class Source>
void start_on_stream(CUstream_st* stream, const Mode& mode, const Call& call) {
  start_kernel<Source>(mode, call,
                       [&](auto kernel, unsigned blocks, unsigned threads, const auto&... values) {
                         kernel<<<blocks, threads, 0, stream>>>(values...);
                       });
}

}  // namespace mx::fast::cuda
