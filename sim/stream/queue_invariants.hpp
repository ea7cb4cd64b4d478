// What is so in every state of mx_quantizer where blocks take several beats.
#pragma once

#include <string>

#include "sim/stream/kinds.hpp"

namespace mx::sim {

/// Assertions for the end of stream_text(), about registers inside the instance u_quantizer. With
/// those of the text itself they are inductive: where all hold, they hold in the next cycle.
[[nodiscard]] std::string queue_invariants(const Shape& shape);

}  // namespace mx::sim
