// The scale of a block with its special cases: spec F12.1 steps 2 to 5.
#pragma once

#include <cstdint>
#include <span>

#include "reference/block/quantizer.hpp"
#include "reference/block/scan.hpp"

namespace mx {

struct BlockScale {
  BlockScan scan;          ///< after the block flush
  std::uint64_t code = 0;  ///< with the bits of sublevels
  std::uint16_t flags = 0;
  int unclamped = 0;
  bool rule_applied = false;
  bool is_nan = false;   ///< the scale is NaN, whether or not the format has a code for it
  bool flushed = false;  ///< step 2: every element counts as zero
};

[[nodiscard]] BlockScale scale_block(const QuantizerConfig& config,
                                     std::span<const std::uint64_t> source,
                                     std::span<const std::uint32_t> random);

/// Is the scale decided by the scan alone, so that scale_of_scan() finds it?
[[nodiscard]] bool scale_needs_only_scan(const QuantizerConfig& config);

/// The scale of a block of `lanes` elements that were scanned before. `random` is the word that
/// the rule draws.
[[nodiscard]] BlockScale scale_of_scan(const QuantizerConfig& config, const BlockScan& scan,
                                       std::uint64_t lanes, std::uint32_t random);

}  // namespace mx
