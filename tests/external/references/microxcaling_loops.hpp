// microxcaling's C++ loops over fp32 tensors, as host code with a C interface, for a library that
// microxcaling_cpp_judge.py builds: its headers want CUDA's and torch's, in place of which stand
// empty ones.
#pragma once

#include <cstdint>
#include <cstdio>
#include <vector>

#include "bench/peers/cuda_names.hpp"
#include "bench/peers/torch_names.hpp"

// After what it takes of torch.
#include "funcs.h"

/// quantize_elemwise_func_cpp() without torch.
extern "C" void mx_elements(const float* from, float* to, std::int64_t count, int bits,
                            int exp_bits, float max_norm, int rounding, bool saturates,
                            bool keeps_subnormals) {
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = quantize_elemwise(from[i], bits, exp_bits, max_norm,
                              static_cast<RoundingMode>(rounding), saturates, keeps_subnormals);
  }
}

/// quantize_mx_func_cpp() without torch: `outer` times `size` times `inner` elements, blocks along
/// the middle, a maximum each.
extern "C" void mx_blocks(const float* from, const float* maxima, float* to, int outer, int size,
                          int inner, int scale_bits, int exp_bits, int bits, float max_norm,
                          bool flushes, int rounding) {
  quantize_mx_cpp<float>(from, scale_bits, exp_bits, bits, max_norm, maxima, size, outer, inner,
                         flushes, static_cast<RoundingMode>(rounding), to);
}
