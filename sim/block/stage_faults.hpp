// Faults of single stages of a pipeline like our RTL (sim/rtl/faults.txt), as the reference device
// has them: part of all_faults().
#pragma once

#include <span>

#include "sim/block/fault.hpp"

namespace mx::sim {

[[nodiscard]] std::span<const Fault> stage_faults();

}  // namespace mx::sim
