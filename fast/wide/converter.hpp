// SPDX-License-Identifier: Apache-2.0
// Single values between wide formats by vectors, bit-identical to the reference: from fp64, fp32,
// tf32, bf16 and fp16 to floats of at most 64 bits. Integer arithmetic, as in fast/cpu.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "fast/cpu/block_plan.hpp"

namespace mx::fast {

/// Conversions of one configuration. A value type; the calls are const and may run side by side.
class WidePlan {
 public:
  /// The plan, or why the configuration has no fast path.
  [[nodiscard]] static Checked<WidePlan> make(const ElementJob& job);

  /// Little-endian words to little-endian codes, each in its format's storage width. False where
  /// the spans do not fit.
  [[nodiscard]] bool convert(std::span<const std::byte> source, std::span<std::byte> codes,
                             int threads = 1) const;

  struct Constants;

 private:
  explicit WidePlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

}  // namespace mx::fast
