// FP4 codes under scales that are no powers of two, on their way back to fp32, bf16 and fp16 on the
// CPU, bit-identical to the reference: the blocks of fast/scaled/scaled_block_plan.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fast/dequantize/dequantize_plan.hpp"
#include "fast/tiles/layout.hpp"
#include "reference/policy/checked.hpp"

namespace mx::fast {

/// The fields of a DequantizeJob, and the tensor's stored scale, a binary32 pattern. Of the rules
/// nvfp4_torchao rounds on the way, the others do not.
struct ScaledDequantizeJob {
  DequantizeJob blocks;
  std::uint32_t tensor_scale = 0x3F800000;
};

/// Blocks of one configuration and tensor scale on their way back. A value type; the calls are
/// const and may run side by side.
class ScaledDequantizePlan {
 public:
  /// The plan, or why the configuration has no fast path.
  [[nodiscard]] static Checked<ScaledDequantizePlan> make(const ScaledDequantizeJob& job);

  /// As DequantizePlan::dequantize; where the format has tiles, each line is one for itself.
  [[nodiscard]] bool dequantize(const BlockLayout& layout, std::span<const std::byte> codes,
                                std::span<const std::byte> scales, std::span<std::byte> words,
                                int threads = 1) const;

  /// The same of a tensor in tiles, of as many lines as the format has.
  [[nodiscard]] bool dequantize_tiles(const TileLayout& layout, std::span<const std::byte> codes,
                                      std::span<const std::byte> scales, std::span<std::byte> words,
                                      int threads = 1) const;

  [[nodiscard]] int block_size() const;

  struct Constants;

 private:
  explicit ScaledDequantizePlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

}  // namespace mx::fast
