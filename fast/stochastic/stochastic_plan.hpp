// Stochastic roundings on the CPU by vectors, bit-identical to the reference: as the plans of
// fast/cpu/block_plan.hpp, with the words of the counter-based generator (spec F9.4) or those that
// the caller gives.
//
// The generator's word of an element hangs on the seed, the tensor and the element's place in it
// alone: not on threads, the vectors' width or the order of calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fast/cpu/block_plan.hpp"
#include "fast/cpu/draws.hpp"
#include "reference/policy/checked.hpp"

namespace mx::fast {

/// Blocks of one configuration. A value type; the calls are const and may run side by side.
class StochasticBlockPlan {
 public:
  /// The plan, or why the configuration has no fast path: a rounding that draws nothing has a
  /// BlockPlan; random_bits above 31 have a path for stochastic_a only.
  [[nodiscard]] static Checked<StochasticBlockPlan> make(const BlockJob& job);

  /// As BlockPlan::quantize. `first` is the place of source[0] in its tensor, for callers that hand
  /// over parts of one. False, and nothing is written, where words are given and do not reach.
  [[nodiscard]] bool quantize(const BlockLayout& layout, const Draws& draws,
                              std::span<const std::byte> source, std::span<std::byte> codes,
                              std::span<std::byte> scales, std::span<std::uint16_t> status = {},
                              int threads = 1, std::uint64_t first = 0) const;

  [[nodiscard]] int block_size() const;

  struct Constants;

 private:
  explicit StochasticBlockPlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

/// Conversions of single values under one configuration.
class StochasticElementPlan {
 public:
  [[nodiscard]] static Checked<StochasticElementPlan> make(const ElementJob& job);

  /// As ElementPlan::convert; `first` as above.
  [[nodiscard]] bool convert(const Draws& draws, std::span<const std::byte> source,
                             std::span<std::byte> codes, int threads = 1,
                             std::uint64_t first = 0) const;

  struct Constants;

 private:
  explicit StochasticElementPlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

}  // namespace mx::fast
