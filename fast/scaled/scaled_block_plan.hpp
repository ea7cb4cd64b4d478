// Blocks of FP4 elements under scales that are no powers of two, quantized on the CPU by vectors,
// bit-identical to the reference: NVFP4 by the rules nvfp4_exact, nvfp4_te, nvfp4_torchao,
// nvfp4_cublas, nvfp4_ggml, nvfp4_modelopt and nvfp4_ct, and e2m1fn under any 8-bit float scale by
// nvfp4_exact.
//
// As with the plans of fast/cpu/block_plan.hpp, making one says in a line what has no fast path,
// and everything is integer arithmetic. A plan belongs to one tensor level: making it costs some
// tens of microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "fast/cpu/block_plan.hpp"
#include "fast/tiles/layout.hpp"
#include "reference/policy/checked.hpp"

namespace mx::fast {

/// Is a rule one that ScaledBlockPlan knows?
[[nodiscard]] constexpr bool is_scaled_rule(ScaleRule rule) {
  return rule == ScaleRule::kNvfp4Exact || rule == ScaleRule::kNvfp4Te ||
         rule == ScaleRule::kNvfp4Torchao || rule == ScaleRule::kNvfp4Cublas ||
         rule == ScaleRule::kNvfp4Ggml || rule == ScaleRule::kNvfp4Modelopt ||
         rule == ScaleRule::kNvfp4Ct;
}

/// Does a rule divide elements by their scales in binary32?
[[nodiscard]] constexpr bool divides_in_fp32(ScaleRule rule) {
  return rule == ScaleRule::kNvfp4Modelopt || rule == ScaleRule::kNvfp4Ct;
}

/// What a block needs to know of its tensor, as the reference's TensorLevel has it: binary32
/// patterns of its largest finite magnitude and of its stored scale.
struct TensorScales {
  std::uint32_t amax = 0;
  std::uint32_t scale = 0x3F800000;
};

/// The fields of a QuantizerConfig.
struct ScaledBlockJob {
  BlockJob blocks;
  TensorScales tensor = {};
};

/// Blocks of one configuration and tensor level. A value type; the calls are const and may run side
/// by side.
class ScaledBlockPlan {
 public:
  /// The plan, or why the configuration has no fast path.
  [[nodiscard]] static Checked<ScaledBlockPlan> make(const ScaledBlockJob& job);

  /// As BlockPlan::quantize; where the format has tiles, each line is one for itself. Of the status
  /// words bit 13 tells of every element that took the largest code for what lies beyond:
  /// infinities and products beyond binary32, too.
  [[nodiscard]] bool quantize(const BlockLayout& layout, std::span<const std::byte> source,
                              std::span<std::byte> codes, std::span<std::byte> scales,
                              std::span<std::uint16_t> status = {}, int threads = 1) const;

  /// The same of a tensor in tiles, of as many lines as the format has.
  [[nodiscard]] bool quantize_tiles(const TileLayout& layout, std::span<const std::byte> source,
                                    std::span<std::byte> codes, std::span<std::byte> scales,
                                    std::span<std::uint16_t> status = {}, int threads = 1) const;

  [[nodiscard]] int block_size() const;

  struct Constants;

 private:
  explicit ScaledBlockPlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

/// The word of the largest finite magnitude among source words, 0 where there is none: what a
/// tensor's level is made of. Nothing where a format has no kernels.
[[nodiscard]] std::optional<std::uint32_t> largest_finite(const ElementFormat& source,
                                                          std::span<const std::byte> words,
                                                          int threads = 1);

}  // namespace mx::fast
