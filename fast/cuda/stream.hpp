// Quantization on CUDA streams: device pointers in, device pointers out. No call allocates, copies
// or waits; the results are there when the stream has come past the call.
//
// A plan is made once from the same policies as the reference's configurations; making it says in a
// line what has no plan. What it covers: FP32, BF16 and FP16 into signed formats of at most 8 bits
// under exponent-only scales, rules floor, ceil, rceil, even_up and even_down, every rounding,
// blocks of 1 to 1024 along any axis. The results are those of the reference, bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "fast/cpu/block_plan.hpp"
#include "fast/cuda/status.hpp"

struct CUstream_st;  // cudaStream_t points to one

namespace mx::fast {

/// Where a tensor's elements, codes and scales lie.
struct StreamLayout {
  BlockLayout shape;  ///< of the source, in C order; blocks along `length`
  /// Codes and scales as outer x inner x length: a matrix quantized down its columns comes out
  /// transposed. Otherwise codes stand where their elements stand.
  bool blocks_last = false;
  /// Codes of 4 bits two a byte, of 6 bits four in three bytes, the first in the low bits;
  /// otherwise one a byte.
  bool packed = false;
  /// Scales in the tiles of 128 x 4 that cuBLAS takes (spec F5), zeros in the slots beyond;
  /// otherwise in C order.
  bool swizzled = false;
};

/// Bytes and words that the results of a layout take.
struct StreamSizes {
  std::size_t source_bytes = 0;
  std::size_t code_bytes = 0;
  std::size_t scale_bytes = 0;
  std::size_t status_words = 0;  ///< one a block, in C order of the scales, never swizzled
};

/// Where the random words of stochastic roundings come from; others ignore it.
struct StreamRandom {
  const std::uint32_t* words = nullptr;  ///< R of each element in C order, or null:
  std::uint64_t seed = 0;                ///< spec F9.4, source `counter`
  std::uint32_t tensor = 0;
};

/// Of both directions of a matrix: R of an element hangs on its place in the source alone, so that
/// equal words round an element alike in both.
struct BothRandom {
  StreamRandom rows = {};
  StreamRandom columns = {};
};

/// Where results go. The fast kernels need codes at multiples of 16 bytes; others are taken by the
/// general one.
struct StreamResults {
  void* codes = nullptr;
  void* scales = nullptr;
  std::uint16_t* status = nullptr;  ///< words of spec R6 (m_axis_tuser), or null: none
};

/// Results in host memory; `status` may be empty.
struct HostResults {
  std::span<std::byte> codes;
  std::span<std::byte> scales;
  std::span<std::uint16_t> status;
};

/// Blocks of one configuration. A value type; the calls are const and may run side by side.
class StreamPlan {
 public:
  /// The plan, or why the configuration has none.
  [[nodiscard]] static Checked<StreamPlan> make(const BlockJob& job);

  /// "" or why the plan does not take a layout.
  [[nodiscard]] std::string_view layout_problem(const StreamLayout& layout) const;
  /// The sizes of a layout that it takes.
  [[nodiscard]] StreamSizes sizes(const StreamLayout& layout) const;
  /// The kernel that a call at addresses of 16 bytes takes: "rows", "columns" or "general".
  [[nodiscard]] std::string_view kernel(const StreamLayout& layout) const;

  /// Starts the kernel on a stream of the current device (nullptr: the default stream). The source
  /// is aligned to its words.
  [[nodiscard]] Status launch(CUstream_st* stream, const StreamLayout& layout, const void* source,
                              const StreamResults& results, const StreamRandom& random = {}) const;

  /// Both directions of a matrix of `rows` x `columns` from one read: blocks along the rows, as
  /// launch() has them, and down the columns, transposed. `packed` and `swizzled` hold for both;
  /// status is written for both or none. Rows and columns are multiples of 32, pointers of 16, and
  /// the block size is 32.
  [[nodiscard]] Status launch_both(CUstream_st* stream, std::size_t rows, std::size_t columns,
                                   bool packed, bool swizzled, const void* source,
                                   const StreamResults& along_rows,
                                   const StreamResults& down_columns,
                                   const BothRandom& random = {}) const;

  /// launch() on the host, by the same arithmetic on one thread: host pointers, which may be
  /// unaligned. The rounding mode and flushing of the caller's floating point change no bit.
  [[nodiscard]] Status run_on_host(const StreamLayout& layout, const void* source,
                                   const StreamResults& results,
                                   const StreamRandom& random = {}) const;

  /// launch() for host memory: copies in, runs, copies out, waits. `random.words` are host memory,
  /// too.
  [[nodiscard]] Status copy_and_run(const StreamLayout& layout, std::span<const std::byte> source,
                                    const HostResults& results,
                                    const StreamRandom& random = {}) const;

  /// launch_both() for host memory, with the same random words for both directions.
  [[nodiscard]] Status copy_and_run_both(std::size_t rows, std::size_t columns, bool packed,
                                         bool swizzled, std::span<const std::byte> source,
                                         const HostResults& along_rows,
                                         const HostResults& down_columns,
                                         const StreamRandom& random = {}) const;

  [[nodiscard]] int block_size() const;

  /// Does the rounding take random words?
  [[nodiscard]] bool draws() const;

  struct Constants;

 private:
  friend struct PlanAccess;  // of the kernel test
  explicit StreamPlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

/// Why nothing can run on a device here: no device code in this build, no driver, no device. Empty
/// where it can.
[[nodiscard]] std::string_view device_problem();

[[nodiscard]] inline bool device_available() { return device_problem().empty(); }

}  // namespace mx::fast
