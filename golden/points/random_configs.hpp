// Configurations drawn at random: every policy that the RTL can be told, from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reference/block/quantizer.hpp"

namespace mx::golden {

/// What may be drawn; the rest is that of `base`.
struct RandomFrom {
  QuantizerConfig base;
  std::vector<BlockFormat> formats;
  std::vector<Rounding> roundings;
  std::vector<ScaleRule> rules;
};

/// `count` configurations, each field of the configuration word drawn from what it can say.
[[nodiscard]] std::vector<QuantizerConfig> draw_configs(const RandomFrom& from, std::uint64_t seed,
                                                        std::size_t count);

}  // namespace mx::golden
