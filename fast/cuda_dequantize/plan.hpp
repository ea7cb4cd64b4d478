// What a plan of the way back holds, and calls that were checked against it.
#pragma once

#include "fast/cuda/calls.hpp"
#include "fast/cuda_dequantize/stream.hpp"
#include "fast/cuda_dequantize/units.hpp"

namespace mx::fast {

struct StreamDequantizePlan::Constants {
  dequantize::Words words = dequantize::Words::kFp32;
  cuda_dequantize::Mode mode;
  cuda_dequantize::Codes codes = cuda_dequantize::Codes::kAny;
  int code_bits = 0;
};

namespace cuda_dequantize {

using cuda::Kernel;

/// A checked call: which kernel answers it, and with what.
struct Call {
  Kernel kernel = Kernel::kGeneral;
  Codes codes = Codes::kAny;
  Run run;
};
[[nodiscard]] inline std::size_t words_of(const Run& run) {
  return run.outer * run.length * run.inner;
}

/// A call whose layout and pointers were looked at, or what is wrong with it.
struct CheckedCall {
  Status status;
  Call call;
};
[[nodiscard]] CheckedCall check_call(const StreamDequantizePlan& plan,
                                     const StreamDequantizePlan::Constants& constants,
                                     const StreamLayout& layout, const StreamCodes& from,
                                     void* words);

/// Starts a checked call on a stream.
[[nodiscard]] Status start_on_device(CUstream_st* stream, dequantize::Words words, const Mode& mode,
                                     const Call& call);

}  // namespace cuda_dequantize
}  // namespace mx::fast
