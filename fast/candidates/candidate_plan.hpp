// Blocks of NVFP4 by the rule nvfp4_4over6 on the CPU, by vectors, bit-identical to the reference:
// each block is brought to two scales, and the one that leaves the smaller error is kept.
//
// Scales and codes are integer arithmetic, as in fast/scaled/scaled_block_plan.hpp; errors and
// their sums are the machine's binary32 in its default environment, which is set for them. A plan
// belongs to one tensor level: making it costs some tens of microseconds.
#pragma once

#include <memory>

#include "fast/scaled/scaled_block_plan.hpp"

namespace mx::fast {

/// Blocks of one configuration and tensor level. A value type; the calls are const and may run side
/// by side.
class CandidatePlan {
 public:
  /// The plan, or why the configuration has no fast path.
  [[nodiscard]] static Checked<CandidatePlan> make(const ScaledBlockJob& job);

  /// As ScaledBlockPlan::quantize.
  [[nodiscard]] bool quantize(const BlockLayout& layout, std::span<const std::byte> source,
                              std::span<std::byte> codes, std::span<std::byte> scales,
                              std::span<std::uint16_t> status = {}, int threads = 1) const;

  [[nodiscard]] int block_size() const;

  struct Constants;

 private:
  explicit CandidatePlan(std::shared_ptr<const Constants> constants)
      : constants_(std::move(constants)) {}
  std::shared_ptr<const Constants> constants_;
};

}  // namespace mx::fast
