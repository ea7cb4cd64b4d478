// Stands in for start.cu where the device code is left out.
#include "fast/cuda/stream.hpp"
#include "fast/cuda_judge/judge.hpp"

namespace mx::fast {

Status WordJudge::judge_on_device(std::span<const AnswerStep>, std::uint32_t,
                                  std::span<WordVerdict>) const {
  return {Error::kNoDevice, device_problem()};
}

Status WordJudge::codes_on_device(std::uint32_t, std::span<std::byte>) const {
  return {Error::kNoDevice, device_problem()};
}

}  // namespace mx::fast
