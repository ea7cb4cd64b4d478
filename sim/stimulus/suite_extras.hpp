// What the harness adds to the suites of golden/: configurations beyond the default policies, and
// block maxima that differ from a power of two in one bit.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/block/quantizer.hpp"
#include "sim/stimulus/suite_source.hpp"

namespace mx::sim {

/// Configurations with one policy field away from its default, for a pair of formats: every value
/// of every field of spec R5.6, together with the rule, rounding or amax_over without
/// which it decides nothing. Both overflow policies come with every rounding.
[[nodiscard]] std::vector<QuantizerConfig> policy_corners(const QuantizerConfig& base,
                                                          const Selection& selection);

/// Appends blocks (kLanes words each) whose maximum has one fraction bit set, or all but one, for
/// each bit in turn: what a scale rule must see. The other lanes are smaller and random.
void append_fraction_walk(const ElementFormat& source, std::uint64_t seed,
                          std::vector<std::uint32_t>& words);

}  // namespace mx::sim
