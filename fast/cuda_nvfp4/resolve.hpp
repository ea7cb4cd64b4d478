// From a configuration of NVFP4 to what its kernels compute with, or why there are none for it.
#pragma once

#include "fast/cuda_nvfp4/plan.hpp"

namespace mx::fast::cuda_nvfp4 {

/// Without the Hadamard transform of the job.
[[nodiscard]] Checked<Nvfp4Plan::Constants> resolve(const Nvfp4Job& job);

}  // namespace mx::fast::cuda_nvfp4
