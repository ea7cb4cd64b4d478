// The vector kernels behind the plans, dispatched to the instructions of this machine.
#pragma once

#include "fast/cpu/block_kernels.hpp"
#include "fast/scaled/constants.hpp"
#include "fast/tiles/walk.hpp"

namespace mx::fast::scaled {

using cpu::BlockRun;
using cpu::ColumnRun;
using tiles::TileRun;

/// Blocks one after the other, tiles one after the other, and both down columns.
void quantize_blocks(const Constants& c, const BlockRun& run);
void quantize_tiles(const Constants& c, const TileRun& run);
void quantize_columns(const Constants& c, const ColumnRun& run);

/// The largest magnitude below that of infinity among some words; 0 where there is none.
[[nodiscard]] std::uint32_t largest_finite(Source source, const std::byte* words, std::size_t count,
                                           std::uint32_t infinity);

}  // namespace mx::fast::scaled
