// The elements of a block under its scale: spec F12.1 steps 6 to 8.
#pragma once

#include <cstdint>
#include <span>

#include "reference/block/quantizer.hpp"
#include "reference/block/scale.hpp"
#include "reference/block/scaling.hpp"

namespace mx {

/// How a block's elements become codes, once its scale is known.
struct BlockElements {
  BlockResult block;            ///< the scale code, and the flags of the block itself
  bool encodes = true;          ///< false: every code is `fill`
  std::uint64_t fill = 0;       ///< step 6: the code under a NaN scale
  bool flushed = false;         ///< step 2: every element counts as zero
  ElementScaling scaling = {};  ///< step 7
};

[[nodiscard]] BlockElements lanes_under(const QuantizerConfig& config, const BlockScale& scale);

/// Steps 7 and 8 for the lanes from `first` on, one by one through the kernel. `random` is as long
/// as `source` where the element rounding is stochastic. Returns the OR of the flags.
std::uint8_t encode_lanes(const QuantizerConfig& config, const BlockElements& lanes,
                          std::size_t first, std::span<const std::uint64_t> source,
                          std::span<const std::uint32_t> random, std::span<std::uint64_t> codes);

}  // namespace mx
