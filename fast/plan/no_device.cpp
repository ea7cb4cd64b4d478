// SPDX-License-Identifier: Apache-2.0
// Stands in for what is compiled for a device where that is left out.
#include "fast/cuda/plan.hpp"
#include "fast/cuda/stream.hpp"
#include "fast/cuda_dequantize/plan.hpp"
#include "fast/cuda_judge/judge.hpp"
#include "fast/cuda_nvfp4/plan.hpp"

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

namespace mx::fast::cuda_dequantize {

Status start_on_device(CUstream_st*, dequantize::Words, const Mode&, const Call&) {
  return {Error::kNoDevice, device_problem()};
}

}  // namespace mx::fast::cuda_dequantize

namespace mx::fast {

Status WordJudge::judge_on_device(std::span<const AnswerStep>, std::uint32_t,
                                  std::span<WordVerdict>) const {
  return {Error::kNoDevice, device_problem()};
}

Status WordJudge::codes_on_device(std::uint32_t, std::span<std::byte>) const {
  return {Error::kNoDevice, device_problem()};
}

}  // namespace mx::fast

namespace mx::fast::cuda_nvfp4 {

Status start_there(CUstream_st*, const Nvfp4Plan::Constants&, const Call&) {
  return {Error::kNoDevice, device_problem()};
}

Status start_back(CUstream_st*, const Nvfp4Plan::Constants&, const Call&) {
  return {Error::kNoDevice, device_problem()};
}

}  // namespace mx::fast::cuda_nvfp4
