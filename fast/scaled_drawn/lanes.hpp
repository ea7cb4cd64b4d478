// The vector kernels of stochastic roundings under real-valued scales, dispatched to the
// instructions of this machine.
#pragma once

#include "fast/drawn/lanes.hpp"
#include "fast/scaled_drawn/constants.hpp"
#include "fast/tiles/walk.hpp"

namespace mx::fast::scaled {

using cpu::BlockRun;
using cpu::ColumnRun;
using cpu::DrawnFrom;
using tiles::TileRun;

/// Blocks one after the other, tiles one after the other, and both down columns.
void quantize_blocks(const DrawnConstants& c, const BlockRun& run, const DrawnFrom& from);
void quantize_tiles(const DrawnConstants& c, const TileRun& run, const DrawnFrom& from);
void quantize_columns(const DrawnConstants& c, const ColumnRun& run, const DrawnFrom& from);

}  // namespace mx::fast::scaled
