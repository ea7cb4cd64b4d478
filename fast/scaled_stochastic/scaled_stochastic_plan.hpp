// Stochastic roundings under scales that are no powers of two on the CPU, bit-identical to the
// reference: the blocks of fast/scaled/scaled_block_plan.hpp with the words of
// fast/stochastic/stochastic_plan.hpp. The scales are those of roundings that draw nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fast/cpu/draws.hpp"
#include "fast/scaled/scaled_block_plan.hpp"
#include "reference/policy/checked.hpp"

namespace mx::fast {

/// Blocks of one configuration and tensor level. A value type; the calls are const and may run side
/// by side.
class ScaledStochasticPlan {
 public:
  /// The plan, or why the configuration has no fast path: a rounding that draws nothing, and
  /// nvfp4_ggml, whose search draws nothing either, have a ScaledBlockPlan; random_bits 32 has a
  /// path for stochastic_a only.
  [[nodiscard]] static Checked<ScaledStochasticPlan> make(const ScaledBlockJob& job);

  /// As ScaledBlockPlan::quantize. `first` is the place of source[0] in its tensor, for callers
  /// that hand over parts of one. False, and nothing is written, where words are given and do not
  /// reach.
  [[nodiscard]] bool quantize(const BlockLayout& layout, const Draws& draws,
                              std::span<const std::byte> source, std::span<std::byte> codes,
                              std::span<std::byte> scales, std::span<std::uint16_t> status = {},
                              int threads = 1, std::uint64_t first = 0) const;

  /// The same of a tensor in tiles, of as many lines as the format has.
  [[nodiscard]] bool quantize_tiles(const TileLayout& layout, const Draws& draws,
                                    std::span<const std::byte> source, std::span<std::byte> codes,
                                    std::span<std::byte> scales,
                                    std::span<std::uint16_t> status = {}, int threads = 1,
                                    std::uint64_t first = 0) const;

  [[nodiscard]] int block_size() const;

  struct Constants;

 private:
  explicit ScaledStochasticPlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

}  // namespace mx::fast
