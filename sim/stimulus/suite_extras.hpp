// What the harness adds to the suites of golden/: configurations beyond the default policies.
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

}  // namespace mx::sim
