// Codes to words on the CPU by vectors, bit-identical to the reference: blocks under power-of-two
// scales, and single codes, to fp32, bf16 and fp16.
//
// As with the plans of fast/cpu/block_plan.hpp, making one says in a line what has no fast path,
// and everything is integer arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fast/cpu/block_plan.hpp"
#include "reference/format/format.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/checked.hpp"
#include "reference/policy/policy.hpp"

namespace mx::fast {

/// What decides how blocks become words. Of `block` the field dequant_overflow is read, and the
/// rule nvfp4_torchao, which rounds on the way, has no plan. `rounding` and `dst_ftz` are those of
/// the reference's Dequantizing.
struct DequantizeJob {
  BlockFormat format;
  ElementFormat output;
  BlockPolicy block = {};
  Rounding rounding = Rounding::kTiesToEven;
  ResultSubnormals dst_ftz = ResultSubnormals::kKeep;
};

/// The fields of a ConversionConfig, from a narrow format to a wide one.
struct WidenJob {
  ElementFormat source;
  ElementFormat destination;
  ElementPolicy policy = {};
};

/// Blocks of one configuration on their way back. A value type; the calls are const and may run
/// side by side.
class DequantizePlan {
 public:
  /// The plan, or why the configuration has no fast path.
  [[nodiscard]] static Checked<DequantizePlan> make(const DequantizeJob& job);

  /// Codes, one a byte, and scale codes, one byte for each block in C order, to little-endian
  /// words. Spans may be unaligned. False where a span does not fit the layout, and nothing is
  /// written; false, too, where a code or a scale has bits above its format's width: then the words
  /// mean nothing. `threads` share the work; the bits do not depend on them.
  [[nodiscard]] bool dequantize(const BlockLayout& layout, std::span<const std::byte> codes,
                                std::span<const std::byte> scales, std::span<std::byte> words,
                                int threads = 1) const;

  [[nodiscard]] int block_size() const;

  struct Constants;

 private:
  explicit DequantizePlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

/// Single codes to words under one configuration.
class WidenPlan {
 public:
  [[nodiscard]] static Checked<WidenPlan> make(const WidenJob& job);

  /// Codes, one a byte, to little-endian words. False as in DequantizePlan.
  [[nodiscard]] bool convert(std::span<const std::byte> codes, std::span<std::byte> words,
                             int threads = 1) const;

  struct Constants;

 private:
  explicit WidenPlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

}  // namespace mx::fast
