// Quantization on the CPU by vectors, bit-identical to the reference: blocks under power-of-two
// scales, and conversions of single values, from fp32, bf16 and fp16 to formats of at most 8 bits.
//
// A plan is made once from the same policies as the reference's configurations; making it says in a
// line what has no fast path. Everything is integer arithmetic, so that neither rounding mode nor
// flush-to-zero of the calling thread can change a bit. The vector instructions are chosen when the
// program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "reference/format/format.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/checked.hpp"
#include "reference/policy/policy.hpp"

namespace mx::fast {

/// The fields of a QuantizerConfig that decide what blocks without a tensor scale become.
struct BlockJob {
  ElementFormat source;
  BlockFormat format;
  ElementPolicy element;
  BlockPolicy block;
};

/// The fields of a ConversionConfig.
struct ElementJob {
  ElementFormat source;
  ElementFormat destination;
  ElementPolicy policy;
};

/// The blocks of a tensor in C order: `outer` x `length` x `inner` elements, blocks along `length`,
/// the last of each line short where the block size does not divide it.
struct BlockLayout {
  std::size_t outer = 1;
  std::size_t length = 0;
  std::size_t inner = 1;
  [[nodiscard]] std::size_t elements() const { return outer * length * inner; }
  [[nodiscard]] std::size_t blocks(std::size_t block_size) const {
    return outer * ((length + block_size - 1) / block_size) * inner;
  }
};

/// Blocks of one configuration. A value type; the calls are const and may run side by side.
class BlockPlan {
 public:
  /// The plan, or why the configuration has no fast path.
  [[nodiscard]] static Checked<BlockPlan> make(const BlockJob& job);

  /// Little-endian source words to codes, one a byte, and scale codes, one byte for each block in
  /// C order. `status`, if not empty, takes one word for each block in the layout of spec R6
  /// (m_axis_tuser). Spans may be unaligned. False, and nothing is written, where a span does not
  /// fit the layout. `threads` share the work; the bits do not depend on them.
  [[nodiscard]] bool quantize(const BlockLayout& layout, std::span<const std::byte> source,
                              std::span<std::byte> codes, std::span<std::byte> scales,
                              std::span<std::uint16_t> status = {}, int threads = 1) const;

  [[nodiscard]] int block_size() const;

  struct Constants;

 private:
  explicit BlockPlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

/// Conversions of single values under one configuration.
class ElementPlan {
 public:
  [[nodiscard]] static Checked<ElementPlan> make(const ElementJob& job);

  /// Little-endian source words to codes, one a byte. False where the spans do not fit.
  [[nodiscard]] bool convert(std::span<const std::byte> source, std::span<std::byte> codes,
                             int threads = 1) const;

  struct Constants;

 private:
  explicit ElementPlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

/// The vector instructions that calls use here: "AVX3_DL", "AVX2", "EMU128", ...
[[nodiscard]] std::string_view cpu_target();

}  // namespace mx::fast
