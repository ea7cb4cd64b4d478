// P5: any lane of a block, inside the quantizer as it is wired, has the code of its certificate.
// P6: so it is in builds of one format.
#pragma once

#include <vector>

#include "sim/formal/obligation.hpp"

namespace mx::sim {

/// P5 for each element format, P6 for each published build of one format (rtl/synth_report).
[[nodiscard]] std::vector<Obligation> core_obligations();

}  // namespace mx::sim
