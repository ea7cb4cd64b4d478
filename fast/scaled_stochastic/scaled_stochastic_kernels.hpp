// The vector kernels of stochastic roundings under real-valued scales, dispatched to the
// instructions of this machine.
#pragma once

#include "fast/scaled_stochastic/constants.hpp"
#include "fast/stochastic/stochastic_kernels.hpp"
#include "fast/tiles/walk.hpp"

namespace mx::fast::scaled {

using cpu::BlockRun;
using cpu::ColumnRun;
using cpu::StochasticFrom;
using tiles::TileRun;

/// Blocks one after the other, tiles one after the other, and both down columns.
void quantize_blocks(const StochasticConstants& c, const BlockRun& run, const StochasticFrom& from);
void quantize_tiles(const StochasticConstants& c, const TileRun& run, const StochasticFrom& from);
void quantize_columns(const StochasticConstants& c, const ColumnRun& run,
                      const StochasticFrom& from);

}  // namespace mx::fast::scaled
