// What a plan holds, and calls that were checked against it.
#pragma once

#include <functional>

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
                                     const StreamResults& down_columns, const BothRandom& random);

/// How codes of a width share bytes.
[[nodiscard]] Packing packing_of(int code_bits, bool packed);
/// What is wrong with a layout of blocks of such codes, whichever way they go; "" where nothing is.
[[nodiscard]] std::string_view layout_problem(int code_bits, int block_size,
                                              const StreamLayout& layout);
/// The sizes of codes, scales and status of a layout that has no problem.
[[nodiscard]] StreamSizes sizes_of(int code_bits, int block_size, const StreamLayout& layout);

/// Bytes of the swizzled scales of a run that no block writes: 0 where every slot is one's.
[[nodiscard]] std::size_t bytes_to_clear(const Run& run, int block_size);

/// Starts a checked call on a stream.
[[nodiscard]] Status start_on_device(CUstream_st* stream, cpu::Source source, const Mode& mode,
                                     const Call& call);

/// What a call on host memory needs of a device.
struct HostCall {
  std::span<const std::byte> source;
  std::span<const std::uint32_t> random;
  HostResults out[2];  ///< of one direction or two
  int directions = 1;
};

/// Copies in, calls launch(source, random words, results) with device pointers, copies out, waits.
using DeviceLaunch = std::function<Status(const void*, const std::uint32_t*, const StreamResults*)>;
[[nodiscard]] Status run_with_copies(const HostCall& call, const DeviceLaunch& launch);

/// Host memory to device memory, launch(device pointers: inputs, then outputs), and back; waits.
[[nodiscard]] Status run_between_copies(std::span<const std::span<const std::byte>> in,
                                        std::span<const std::span<std::byte>> out,
                                        const std::function<Status(void* const*)>& launch);

}  // namespace cuda
}  // namespace mx::fast
