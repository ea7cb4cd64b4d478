// Starting kernels on a stream: a translation unit for each source, so that they compile side by
// side.
#pragma once

#include "fast/cuda/plan.hpp"

namespace mx::fast::cuda {

/// Starts the kernel of a checked call with at least one element; cudaGetLastError() has the
/// outcome.
template <class Source>
void start_on_stream(CUstream_st* stream, const Mode& mode, const Call& call);

}  // namespace mx::fast::cuda
