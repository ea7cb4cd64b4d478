// What microxcaling's headers take of CUDA's, as host code: enough to compile them.
#pragma once

#include <math.h>    // NOLINT: as cuda_runtime.h does; by it abs() of a float is a float
#include <stdlib.h>  // NOLINT

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): CUDA names them.
#define __host__
#define __device__
#define __forceinline__ inline __attribute__((always_inline))

using cudaError_t = int;
constexpr cudaError_t cudaSuccess = 0;
inline const char* cudaGetErrorString(cudaError_t /*error*/) { return ""; }
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
