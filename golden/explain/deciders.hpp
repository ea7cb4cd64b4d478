// Which policies decided a block's scale, where more than its rule did.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/block/quantizer.hpp"

namespace mx::golden {

/// "inf_block scale_max", in the order in which they come into play (spec F12.1). The rule itself
/// is not among them.
[[nodiscard]] std::vector<std::string> scale_deciders(const QuantizerConfig& config,
                                                      const ScaleTrace& trace,
                                                      const BlockResult& result,
                                                      std::span<const std::uint64_t> source);

/// Why the rule did not say what the scale is: "a NaN in the block". Requires a block that is
/// special.
[[nodiscard]] std::string special_block_text(const QuantizerConfig& config, const ScaleTrace& trace,
                                             const BlockResult& result);

}  // namespace mx::golden
