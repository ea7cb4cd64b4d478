// Drawn roundings under real-valued scales one element at a time, by division: for blocks with
// infinities or NaN, and what the kernels are compared with.
#pragma once

#include "fast/scaled/plain.hpp"
#include "fast/scaled_stochastic/constants.hpp"
#include "fast/stochastic/stochastic_kernels.hpp"

namespace mx::fast::scaled {

/// A column of a run, the words of which have so many bytes.
[[nodiscard]] inline PlainBlock drawn_column(const cpu::ColumnRun& run, std::size_t column,
                                             std::size_t word_bytes,
                                             const cpu::StochasticFrom& from) {
  PlainBlock block = plain_column(run, column, word_bytes);
  block.draws = from.draws;
  block.index = from.index + column;
  return block;
}

/// Quantizes any block: its status word, the scale code in the low byte.
[[nodiscard]] std::uint16_t quantize_plain(const StochasticConstants& c, const PlainBlock& block);

}  // namespace mx::fast::scaled
