// Dequantization on CUDA streams: codes and scales at device pointers in, words at device pointers
// out. As with the plans of fast/cuda/stream.hpp, no call allocates, copies or waits.
//
// What it covers: the jobs of fast/dequantize/dequantize_plan.hpp, codes one a byte or packed,
// scales in C order or in tiles, along any axis. The words are those of the reference, bit by bit.
// Nothing tells a stream's caller of bits above a format's width: those of a code are not read,
// those of a scale code make its block NaN where the format forbids them.
#pragma once

#include "fast/cuda/stream.hpp"
#include "fast/dequantize/dequantize_plan.hpp"

namespace mx::fast {

/// Where codes and scales are, laid out as a StreamPlan writes them. The fast kernels need codes
/// and words at multiples of 16 bytes; others are taken by the general one.
struct StreamCodes {
  const void* codes = nullptr;
  const void* scales = nullptr;
};

/// Blocks of one configuration on their way back. A value type; the calls are const and may run
/// side by side.
class StreamDequantizePlan {
 public:
  /// The plan, or why the configuration has none.
  [[nodiscard]] static Checked<StreamDequantizePlan> make(const DequantizeJob& job);

  /// "" or why the plan does not take a layout. `shape` is that of the words.
  [[nodiscard]] std::string_view layout_problem(const StreamLayout& layout) const;
  /// The sizes of a layout that it takes: source_bytes are those of the words; no status.
  [[nodiscard]] StreamSizes sizes(const StreamLayout& layout) const;
  /// The kernel that a call at addresses of 16 bytes takes: "rows", "columns" or "general".
  [[nodiscard]] std::string_view kernel(const StreamLayout& layout) const;

  /// Starts the kernel on a stream of the current device (nullptr: the default stream). The words
  /// are aligned to their width.
  [[nodiscard]] Status launch(CUstream_st* stream, const StreamLayout& layout,
                              const StreamCodes& from, void* words) const;

  /// launch() on the host, by the general arithmetic on one thread: host pointers, which may be
  /// unaligned.
  [[nodiscard]] Status run_on_host(const StreamLayout& layout, const StreamCodes& from,
                                   void* words) const;

  /// launch() for host memory: copies in, runs, copies out, waits.
  [[nodiscard]] Status copy_and_run(const StreamLayout& layout, std::span<const std::byte> codes,
                                    std::span<const std::byte> scales,
                                    std::span<std::byte> words) const;

  [[nodiscard]] int block_size() const;

  struct Constants;

 private:
  friend struct DequantizePlanAccess;  // of the kernel test
  explicit StreamDequantizePlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

}  // namespace mx::fast
