#include "bench/gpu/microxcaling.hpp"

#include <cuda_runtime.h>

#include "bench/peers/torch_names.hpp"

// After what it takes of torch.
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
