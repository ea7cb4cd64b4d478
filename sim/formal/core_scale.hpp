// P5.scale: the scale of a block inside the quantizer as it is wired is that of its largest key.
#pragma once

#include <vector>

#include "sim/formal/obligation.hpp"

namespace mx::sim {

/// The statement that leads from the whole core to P2, which is about one word.
[[nodiscard]] std::vector<Obligation> core_scale_obligations();

}  // namespace mx::sim
