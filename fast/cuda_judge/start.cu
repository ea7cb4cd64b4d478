// The judge on a device.
#include <cuda_runtime.h>

#include "fast/cuda_judge/kernels.cuh"
// The kernels first.
#include "fast/cuda/plan.hpp"
#include "fast/cuda_judge/plan.hpp"

namespace mx::fast {
namespace {

Status outcome() {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return {};
  return {Error::kDevice, cudaGetErrorString(error)};
}

}  // namespace

Status WordJudge::judge_on_device(std::span<const AnswerStep> steps, std::uint32_t first,
                                  std::span<WordVerdict> verdicts) const {
  if (const std::string_view why = cuda_judge::table_problem(steps); !why.empty()) {
    return {Error::kBadSize, why};
  }
  if (const std::string_view problem = device_problem(); !problem.empty()) {
    return {Error::kNoDevice, problem};
  }
  const std::vector<cuda_judge::Step> table = cuda_judge::table_of(steps);
  std::vector<cuda_judge::Tally> tallies(verdicts.size(), {0, cuda_judge::kNone});
  const std::uint32_t runs = segment_words() / cuda_judge::kRun;
  const std::span<const std::byte> in[] = {std::as_bytes(std::span(table)),
                                           std::as_bytes(std::span(tallies))};
  const std::span<std::byte> out[] = {std::as_writable_bytes(std::span(tallies))};
  // The tallies go in and out by two buffers: the kernel adds to what it finds.
  const Status done = cuda::run_between_copies(in, out, [&](void* const* at) -> Status {
    const cudaError_t error =
        cudaMemcpyAsync(at[2], at[1], out[0].size(), cudaMemcpyDeviceToDevice, nullptr);
    if (error != cudaSuccess) return {Error::kDevice, cudaGetErrorString(error)};
    cuda_judge::with_types(*constants_, [&]<class Source, class Element>() {
      const auto all = runs * static_cast<std::uint32_t>(verdicts.size());
      const unsigned blocks = (all + cuda_judge::kThreads - 1) / cuda_judge::kThreads;
      cuda_judge::judge_kernel<Source, Element><<<blocks, cuda_judge::kThreads>>>(
          constants_->conversion, static_cast<const cuda_judge::Step*>(at[0]),
          static_cast<int>(table.size()), first * runs, all, constants_->segment_bits,
          static_cast<cuda_judge::Tally*>(at[2]));
    });
    return outcome();
  });
  if (!done) return done;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    verdicts[i] = cuda_judge::verdict_of(tallies[i]);
  }
  return {};
}

Status WordJudge::codes_on_device(std::uint32_t first, std::span<std::byte> codes) const {
  if (first % cuda_judge::kRun != 0 || codes.size() % cuda_judge::kRun != 0) {
    return {Error::kBadSize, "words are asked for in whole runs of 256"};
  }
  if (const std::string_view problem = device_problem(); !problem.empty()) {
    return {Error::kNoDevice, problem};
  }
  const std::span<std::byte> out[] = {codes};
  return cuda::run_between_copies({}, out, [&](void* const* at) -> Status {
    cuda_judge::with_types(*constants_, [&]<class Source, class Element>() {
      const auto runs = static_cast<std::uint32_t>(codes.size() / cuda_judge::kRun);
      const unsigned blocks = (runs + cuda_judge::kThreads - 1) / cuda_judge::kThreads;
      cuda_judge::codes_kernel<Source, Element>
          <<<blocks, cuda_judge::kThreads>>>(constants_->conversion, first / cuda_judge::kRun, runs,
                                             static_cast<std::uint8_t*>(at[0]));
    });
    return outcome();
  });
}

}  // namespace mx::fast
