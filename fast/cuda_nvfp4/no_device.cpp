// Stands in for start.cu where the device code is left out.
#include "fast/cuda_nvfp4/plan.hpp"

namespace mx::fast::cuda_nvfp4 {

Status start_there(CUstream_st*, const Nvfp4Plan::Constants&, const Call&) {
  return {Error::kNoDevice, device_problem()};
}

Status start_back(CUstream_st*, const Nvfp4Plan::Constants&, const Call&) {
  return {Error::kNoDevice, device_problem()};
}

}  // namespace mx::fast::cuda_nvfp4
