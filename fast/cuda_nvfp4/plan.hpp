// What a plan of NVFP4 holds, and calls that were checked against it.
#pragma once

#include "fast/cuda/calls.hpp"
#include "fast/cuda_nvfp4/stream.hpp"
#include "fast/cuda_nvfp4/whole.hpp"

namespace mx::fast {

struct Nvfp4Plan::Constants {
  cpu::Source words = cpu::Source::kFp32;
  cuda_nvfp4::Mode mode;
};

namespace cuda_nvfp4 {

using cuda::Kernel;

/// What a configuration's kernels compute with, without the Hadamard transform of the job; or why
/// there are none for it.
[[nodiscard]] Checked<Nvfp4Plan::Constants> resolve(const Nvfp4Job& job);

/// A checked call of either way: `there` or `back` says where things lie.
struct Call {
  Kernel kernel = Kernel::kGeneral;
  Run there;
  Way along;  ///< kBoth: the direction along the rows; `there` is that down the columns
  cuda_dequantize::Run back;
  const std::uint32_t* tensor = nullptr;
};
struct CheckedCall {
  Status status;
  Call call;
};
[[nodiscard]] CheckedCall check_there(const Nvfp4Plan& plan, const Nvfp4Plan::Constants& constants,
                                      const StreamLayout& layout, const void* source,
                                      const StreamResults& results, const std::uint32_t* tensor,
                                      const StreamRandom& random);
/// `down` is the plan of the columns.
[[nodiscard]] CheckedCall check_both(const Nvfp4Plan& plan, const Nvfp4Plan::Constants& constants,
                                     const Nvfp4Plan& down_plan, const Nvfp4Plan::Constants& down,
                                     const Nvfp4Both& both);
[[nodiscard]] CheckedCall check_back(const Nvfp4Plan& plan, const Nvfp4Plan::Constants& constants,
                                     const StreamLayout& layout, const StreamCodes& from,
                                     void* words, const std::uint32_t* tensor);

/// Starts checked calls with at least one element.
[[nodiscard]] Status start_there(CUstream_st* stream, const Nvfp4Plan::Constants& constants,
                                 const Call& call);
[[nodiscard]] Status start_back(CUstream_st* stream, const Nvfp4Plan::Constants& constants,
                                const Call& call);

}  // namespace cuda_nvfp4
}  // namespace mx::fast
