// The vector kernels of nvfp4_4over6, dispatched to the instructions of this machine.
#pragma once

#include "fast/candidates/constants.hpp"
#include "fast/scaled/scaled_kernels.hpp"

namespace mx::fast::candidates {

/// Blocks one after the other, and down columns. The floating-point environment is the default one
/// while they run, and the caller's afterwards.
void quantize_blocks(const scaled::Constants& c, const Errors& errors, const cpu::BlockRun& run);
void quantize_columns(const scaled::Constants& c, const Errors& errors, const cpu::ColumnRun& run);

}  // namespace mx::fast::candidates
