// What microxcaling's headers take of torch, which they do not include: enough to compile them.
// Without CUDA, __host__ and __device__ have to be empty macros.
#pragma once

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
