// Stand-ins for what the toolkit's files take of torch and CUDA, on one thread of the host.
#pragma once

#include <immintrin.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace at {

/// binary16; arithmetic on it is that of binary32.
struct Half {
  std::uint16_t bits;
  Half() = default;
  Half(float f) : bits(_cvtss_sh(f, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)) {}
  operator float() const { return _cvtsh_ss(bits); }
};

}  // namespace at

namespace torch {

/// A tensor of binary32.
struct Tensor {
  std::vector<float> values;
  template <typename T>
  T* data_ptr() {
    return values.data();
  }
};

inline Tensor zeros_like(const Tensor& t) { return {std::vector<float>(t.values.size())}; }

/// What a Python module is filled by.
struct Module {
  template <typename... Arguments>
  void def(Arguments&&...) {}
};

}  // namespace torch

#define PYBIND11_MODULE(name, module) \
  [[maybe_unused]] static void fill_module(torch::Module& module)

#ifdef MX_CUDA
#define __device__
#define __global__
#define __shared__
#define __forceinline__ inline

struct Dimension {
  unsigned x = 0;
};
inline constexpr Dimension threadIdx{0}, blockIdx{0}, blockDim{1}, gridDim{1};
using __half = at::Half;

inline void __syncthreads() {}
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline at::Half __float2half_rn(float x) { return x; }
inline float __half2float(at::Half x) { return x; }
inline int __float_as_int(float x) {
  return static_cast<int>(_mm_cvtsi128_si32(_mm_castps_si128(_mm_set_ss(x))));
}
inline float __int_as_float(int x) { return _mm_cvtss_f32(_mm_castsi128_ps(_mm_cvtsi32_si128(x))); }
inline int atomicCAS(int* address, int, int value) { return *address = value; }
inline void atomicAdd(float* address, float value) { *address += value; }
#endif
