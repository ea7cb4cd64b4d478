// A configuration of the reference as the CPU path takes it: that path sees the formats and
// policies of the reference, and none of its quantizers.
#pragma once

#include "fast/cpu/block_plan.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::sim {

[[nodiscard]] inline fast::BlockJob fast_job(const QuantizerConfig& config) {
  return {.source = config.source,
          .format = config.format,
          .element = config.element,
          .block = config.block};
}

}  // namespace mx::sim
