// Stands in for device.cu where the device code is left out.
#include "fast/cuda/plan.hpp"

namespace mx::fast {
namespace cuda {

Status start_on_device(CUstream_st*, cpu::Source, const Mode&, const Call&) {
  return {Error::kNoDevice, device_problem()};
}

Status run_with_copies(const HostCall&, const DeviceLaunch&) {
  return {Error::kNoDevice, device_problem()};
}

Status run_between_copies(std::span<const std::span<const std::byte>>,
                          std::span<const std::span<std::byte>>,
                          const std::function<Status(void* const*)>&) {
  return {Error::kNoDevice, device_problem()};
}

}  // namespace cuda

std::string_view device_problem() {
  return "this build has no device code (no nvcc 12 or newer, or MXGOLD_CUDA=OFF)";
}

}  // namespace mx::fast
