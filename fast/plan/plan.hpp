// SPDX-License-Identifier: Apache-2.0
// One plan for blocks and one for single values, whatever kernels compute them on the CPU: the
// table of kernels stands in plan.cpp, and no caller chooses among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "fast/cpu/draws.hpp"
#include "fast/scaled/scaled_block_plan.hpp"

namespace mx::fast {

/// The fields of a QuantizerConfig that decide what blocks become.
using QuantizeJob = ScaledBlockJob;

/// Blocks of one configuration and tensor level. A value type; the calls are const and may run side
/// by side.
class QuantizePlan {
 public:
  /// The plan, or why the configuration has no fast path.
  [[nodiscard]] static Checked<QuantizePlan> make(const QuantizeJob& job);

  /// What a call gives and takes; spans as BlockPlan::quantize has them.
  struct Call {
    TileLayout layout;
    std::span<const std::byte> source;
    std::span<std::byte> codes;
    std::span<std::byte> scales;
    std::span<std::uint16_t> status = {};
    int threads = 1;
    Draws draws = {};         ///< read where the rounding is stochastic
    std::uint64_t first = 0;  ///< the place of source[0] in its tensor
  };
  /// False, and nothing is written, where a span does not fit the layout or words that are given do
  /// not reach.
  [[nodiscard]] bool quantize(const Call& call) const;

  class Kernel;

 private:
  explicit QuantizePlan(std::shared_ptr<const Kernel> kernel) : kernel_(std::move(kernel)) {}
  std::shared_ptr<const Kernel> kernel_;
};

/// Conversions of single values under one configuration.
class ConvertPlan {
 public:
  [[nodiscard]] static Checked<ConvertPlan> make(const ElementJob& job);

  /// Little-endian words to codes, each in its format's storage width. False where the spans do not
  /// fit. `draws` and `first` as in QuantizePlan::Call.
  [[nodiscard]] bool convert(std::span<const std::byte> source, std::span<std::byte> codes,
                             int threads = 1, const Draws& draws = {},
                             std::uint64_t first = 0) const;

  class Kernel;

 private:
  explicit ConvertPlan(std::shared_ptr<const Kernel> kernel) : kernel_(std::move(kernel)) {}
  std::shared_ptr<const Kernel> kernel_;
};

}  // namespace mx::fast
