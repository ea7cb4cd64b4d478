// What a plan of NVFP4 holds, and calls that were checked against it.
#pragma once

#include "fast/cuda_nvfp4/block.hpp"
#include "fast/cuda_nvfp4/stream.hpp"

namespace mx::fast {

struct Nvfp4Plan::Constants {
  cpu::Source words = cpu::Source::kFp32;
  cuda_nvfp4::Mode mode;
};

namespace cuda_nvfp4 {

/// A checked call of either way: `there` or `back` says where things lie.
struct Call {
  bool is_rows = false;
  Run there;
  cuda_decode::Run back;
  const std::uint32_t* tensor = nullptr;
};
struct CheckedCall {
  Status status;
  Call call;
};
[[nodiscard]] CheckedCall check_there(const Nvfp4Plan& plan, const Nvfp4Plan::Constants& constants,
                                      const StreamLayout& layout, const void* source,
                                      const StreamResults& results, const std::uint32_t* tensor);
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
