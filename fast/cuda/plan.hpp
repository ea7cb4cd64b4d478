// What a plan holds, and calls that were checked against it.
#pragma once

#include "fast/cuda/calls.hpp"
#include "fast/cuda/stream.hpp"

namespace mx::fast {

struct StreamPlan::Constants {
  cpu::Source source = cpu::Source::kFp32;
  cuda::Mode mode;
  int code_bits = 0;
};

namespace cuda {

/// A call whose layout and pointers were looked at, or what is wrong with it.
struct CheckedCall {
  Status status;
  Call call;
};
[[nodiscard]] CheckedCall check_call(const StreamPlan& plan, const StreamPlan::Constants& constants,
                                     const StreamLayout& layout, const void* source,
                                     const StreamResults& results, const StreamRandom& random);
[[nodiscard]] CheckedCall check_both(const StreamPlan& plan, const StreamPlan::Constants& constants,
                                     std::size_t rows, std::size_t columns, bool packed,
                                     bool swizzled, const void* source,
                                     const StreamResults& along_rows,
                                     const StreamResults& down_columns);

/// Bytes of the swizzled scales of a run that no block writes: 0 where every slot is one's.
[[nodiscard]] std::size_t bytes_to_clear(const Run& run, int block_size);

/// Starts a checked call on a stream.
[[nodiscard]] Status start_on_device(CUstream_st* stream, cpu::Source source, const Mode& mode,
                                     const Call& call);

/// Runs a call whose spans fit, on host memory: copies in, runs, copies out, waits.
[[nodiscard]] Status copy_and_run(const StreamPlan& plan, const StreamLayout& layout,
                                  std::span<const std::byte> source, std::span<std::byte> codes,
                                  std::span<std::byte> scales, std::span<std::uint16_t> status,
                                  const StreamRandom& random);

}  // namespace cuda
}  // namespace mx::fast
