// P4: blocks leave the quantizer in order, each once, with its own answer, in bounded time.
#pragma once

#include <vector>

#include "sim/formal/obligation.hpp"

namespace mx::sim {

/// For builds whose blocks are one beat: whatever the sender and the receiver do in each cycle.
[[nodiscard]] std::vector<Obligation> stream_obligations();

}  // namespace mx::sim
