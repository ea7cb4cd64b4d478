// The thresholds of fast/scaled/constants.hpp asked one element at a time: for blocks with
// infinities or NaN, and for maxima beyond which ggml's errors in binary32 are equal.
#pragma once

#include "fast/cpu/block_kernels.hpp"
#include "fast/cpu/plain.hpp"
#include "fast/scaled/constants.hpp"

namespace mx::fast::scaled {

using cpu::PlainBlock;

/// A source word apart.
struct Word {
  std::uint32_t magnitude;
  std::uint32_t sign;  ///< 0 or 1
};
[[nodiscard]] Word read_word(Source source, const std::byte* at);

/// A finite source magnitude as a binary32 pattern.
[[nodiscard]] std::uint32_t word32_of(Source source, std::uint32_t magnitude);

/// The scale of a block, and its part of the status word.
struct BlockScale {
  unsigned status;  ///< the scale code in the low byte
  bool is_nan;      ///< the scale stands for NaN
};
[[nodiscard]] BlockScale choose_scale(const Constants& c, const PlainBlock& block);

/// A column of a run, the words of which have so many bytes.
[[nodiscard]] inline PlainBlock plain_column(const cpu::ColumnRun& run, std::size_t column,
                                             std::size_t word_bytes) {
  return {.source = run.source + column * word_bytes,
          .count = run.lines * run.rows,
          .stride = run.stride,
          .codes = run.codes + column,
          .width = run.rows,
          .line_stride = run.line_stride};
}

/// Quantizes any block: its status word, the scale code in the low byte.
[[nodiscard]] std::uint16_t quantize_plain(const Constants& c, const PlainBlock& block);

/// The scale's part of the status word of a block whose maximum is finite.
[[nodiscard]] std::uint16_t scale_status(const ScaleConstants& c, std::uint32_t maximum);

}  // namespace mx::fast::scaled
