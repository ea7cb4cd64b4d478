// The vector kernels behind the plans, dispatched to the instructions of this machine.
#pragma once

#include "fast/cpu/lanes.hpp"
#include "fast/scaled/constants.hpp"

namespace mx::fast::scaled {

using cpu::BlockRun;
using cpu::ColumnRun;

/// Blocks one after the other, and blocks down columns.
void quantize_blocks(const Constants& c, const BlockRun& run);
void quantize_columns(const Constants& c, const ColumnRun& run);

}  // namespace mx::fast::scaled
