// The vector kernels of stochastic roundings, dispatched to the instructions of this machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fast/cpu/block_kernels.hpp"

namespace mx::fast::cpu {

/// The words of a run's elements: that of its element i is of the tensor's element `index` + i,
/// rows of columns counted by their stride.
struct StochasticFrom {
  Draws draws;
  std::uint64_t index;
};

void quantize_drawn_blocks(const BlockConstants& c, Source source, const BlockRun& run,
                           const StochasticFrom& from);
void quantize_drawn_columns(const BlockConstants& c, Source source, const ColumnRun& run,
                            const StochasticFrom& from);
void convert_drawn_elements(const ElementConstants& c, Source source, const std::byte* words,
                            std::size_t elements, std::uint8_t* codes, const StochasticFrom& from);

}  // namespace mx::fast::cpu
