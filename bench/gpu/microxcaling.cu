// Its headers use torch's tensors and numbers without including them: this file has what they need
// of those to compile.
#include "bench/gpu/microxcaling.hpp"

#include <cuda_runtime.h>

#include <vector>

namespace torch {
struct Tensor {
  [[nodiscard]] int dim() const { return 0; }
  [[nodiscard]] std::vector<long> sizes() const { return {}; }
};
}  // namespace torch

namespace at {
struct BFloat16 {
  __host__ __device__ explicit operator float() const { return 0; }
};
struct Half {
  __host__ __device__ explicit operator float() const { return 0; }
};
}  // namespace at

#include "mx.cuh"

namespace mx::bench {

std::string_view microxcaling_commit() { return MX_PEER_COMMIT; }

void microxcaling_mxfp8(const float* from, float* to, std::size_t count) {
  const long total = static_cast<long>(count);
  quantize_mx_innermost_cuda_kernel<float>
      <<<static_cast<unsigned>(get_blocks(total)), static_cast<unsigned>(get_threads(total))>>>(
          from, 8, 4, 5, 448.0F, total, 32, false, rd_even, to);
}

}  // namespace mx::bench
