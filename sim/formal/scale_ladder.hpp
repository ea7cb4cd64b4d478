// P2: the scale of a block is what its rule says of the largest magnitude. P3: the largest key is
// found.
#pragma once

#include <vector>

#include "sim/formal/obligation.hpp"

namespace mx::sim {

/// For each rule and element format: the scale code of a block with one number, with or without NaN
/// and infinities beside it, is that of the scale certificate, for every source word and policy.
[[nodiscard]] std::vector<Obligation> scale_obligations();
/// Of two words that both count, the one with the larger magnitude has no smaller key.
[[nodiscard]] std::vector<Obligation> order_obligations();
/// Block records of several keys are those of their largest key.
[[nodiscard]] std::vector<Obligation> maximum_obligations();

}  // namespace mx::sim
