// NVFP4 on CUDA streams, there and back: E2M1 elements in blocks under E4M3 scales and a binary32
// number of the tensor, which may lie on the device. As with the plans of fast/cuda/stream.hpp, no
// call allocates, copies or waits.
//
// What it covers: fp32, bf16 and fp16; the rules nvfp4_exact, nvfp4_te, nvfp4_torchao,
// nvfp4_cublas, nvfp4_ggml and nvfp4_4over6, under every rounding, also those that draw, and
// otherwise the policies that nvfp4 has by default; nvfp4_4over6 rounds ties_to_even, and
// nvfp4_ggml searches whatever the rounding. Back, ties_to_even under the rules whose way back is
// exact. Blocks of 1 to 1024 along any axis. The results are those of the reference, bit by bit.
#pragma once

#include <optional>

#include "fast/cuda_dequantize/stream.hpp"

namespace mx::fast {

/// A Hadamard transform: bit i of the mask is the sign of element i.
struct Nvfp4Hadamard {
  std::uint16_t mask = 0;
  bool signs_last = false;  ///< D H x / 4 instead of H D x / 4
};

/// What decides an NVFP4 tensor's blocks.
struct Nvfp4Job {
  ElementFormat source;  ///< back: of the words
  BlockFormat format;
  ElementPolicy element = {};
  BlockPolicy block = {};
  /// A binary32 pattern: nvfp4_te and nvfp4_4over6 the tensor's amax, nvfp4_exact and nvfp4_torchao
  /// its scale; nvfp4_cublas and nvfp4_ggml read none. Of a call on a stream it may be given by a
  /// pointer instead.
  std::uint32_t tensor = 0x3F800000;
  /// Groups of 16 are transformed first (spec F25); the tensor's number is one of what they become.
  /// Blocks of 16 then, in whole ones along the axis; the way back gives transformed values.
  std::optional<Nvfp4Hadamard> hadamard = {};
};

/// Both directions of a matrix of `rows` x `columns`, multiples of 16, from one read.
struct Nvfp4Both {
  std::size_t rows = 0;
  std::size_t columns = 0;
  bool packed = false;    ///< of both
  bool swizzled = false;  ///< of both
  const void* source = nullptr;
  StreamResults along_rows;
  StreamResults down_columns;  ///< transposed; status for both or none
  /// The tensor's numbers of each direction on the device, or null: those of the plans.
  const std::uint32_t* rows_tensor = nullptr;
  const std::uint32_t* columns_tensor = nullptr;
  /// Of directions whose plan draws: random words by the place of an element in the source.
  StreamRandom rows_random = {};
  StreamRandom columns_random = {};
};

/// A value type; the calls are const and may run side by side.
class Nvfp4Plan {
 public:
  /// The plan, or why the configuration has none.
  [[nodiscard]] static Checked<Nvfp4Plan> make(const Nvfp4Job& job);

  /// As StreamPlan has them. Transformed blocks are whole ones.
  [[nodiscard]] std::string_view layout_problem(const StreamLayout& layout) const;
  [[nodiscard]] StreamSizes sizes(const StreamLayout& layout) const;
  /// The kernel that a call at addresses of 16 bytes takes: "rows", "columns" or "general"; of the
  /// way back "rows" or "general".
  [[nodiscard]] std::string_view kernel(const StreamLayout& layout) const;

  /// Starts a kernel. `tensor`, where not null, is a device pointer to the tensor's number: a
  /// positive finite one, which nvfp4_torchao may have 0, and nvfp4_te and nvfp4_4over6 0 for none.
  /// `random` is read by plans that draw: R of an element hangs on its place in the source alone.
  [[nodiscard]] Status quantize(CUstream_st* stream, const StreamLayout& layout, const void* source,
                                const StreamResults& results, const std::uint32_t* tensor = nullptr,
                                const StreamRandom& random = {}) const;
  [[nodiscard]] Status quantize_on_host(const StreamLayout& layout, const void* source,
                                        const StreamResults& results,
                                        const std::uint32_t* tensor = nullptr,
                                        const StreamRandom& random = {}) const;

  /// Does the rounding take random words?
  [[nodiscard]] bool draws() const;

  /// Both directions from one read: this plan along the rows, as quantize() has them, and `down`
  /// down the columns. Their sources are the same, blocks are of 16, and source and codes are
  /// aligned to 16 bytes. Plans of which one alone rounds ties_to_even, searches or tries two
  /// scales take two kernels, so two reads.
  [[nodiscard]] Status quantize_both(CUstream_st* stream, const Nvfp4Plan& down,
                                     const Nvfp4Both& both) const;

  /// The same plan for blocks that are transformed first, or why there is none.
  [[nodiscard]] Checked<Nvfp4Plan> with_hadamard(const Nvfp4Hadamard& hadamard) const;

  /// Codes and scales to words: code * scale * tensor scale, rounded once. A scale code with bits
  /// above 7F is NaN. `tensor` is the tensor scale here, under every rule.
  [[nodiscard]] Status dequantize(CUstream_st* stream, const StreamLayout& layout,
                                  const StreamCodes& from, void* words,
                                  const std::uint32_t* tensor = nullptr) const;
  [[nodiscard]] Status dequantize_on_host(const StreamLayout& layout, const StreamCodes& from,
                                          void* words, const std::uint32_t* tensor = nullptr) const;

  /// quantize() and dequantize() for host memory under the plan's own number: copies in, runs,
  /// copies out, waits. `random.words` are host memory, too.
  [[nodiscard]] Status copy_and_quantize(const StreamLayout& layout,
                                         std::span<const std::byte> source,
                                         const HostResults& results,
                                         const StreamRandom& random = {}) const;
  [[nodiscard]] Status copy_and_dequantize(const StreamLayout& layout,
                                           std::span<const std::byte> codes,
                                           std::span<const std::byte> scales,
                                           std::span<std::byte> words) const;

  struct Constants;

 private:
  friend struct Nvfp4PlanAccess;  // of the kernel test
  explicit Nvfp4Plan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

}  // namespace mx::fast
