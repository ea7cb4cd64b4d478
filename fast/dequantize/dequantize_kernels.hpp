// The vector kernels of the way back, dispatched to the instructions of this machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "fast/dequantize/constants.hpp"

namespace mx::fast::dequantize {

/// Blocks one after the other, `elements` codes in all.
struct BlockRun {
  const std::uint8_t* codes;
  std::size_t elements;
  const std::uint8_t* scales;
  std::byte* words;
};

/// Blocks down the columns of `rows` x `columns` codes, at most one block high; the rows of codes
/// and words lie `stride` elements apart.
struct ColumnRun {
  const std::uint8_t* codes;
  std::size_t rows;
  std::size_t columns;
  std::size_t stride;
  const std::uint8_t* scales;
  std::byte* words;
};

/// False where a code has stray bits, or a scale; the words are written all the same.
[[nodiscard]] bool dequantize_blocks(const BlockConstants& c, const BlockRun& run);
[[nodiscard]] bool dequantize_columns(const BlockConstants& c, const ColumnRun& run);

/// Single values: codes under scale 1.
[[nodiscard]] bool decode_elements(const DequantizeConstants& c, const std::uint8_t* codes,
                                   std::size_t elements, std::byte* words);

}  // namespace mx::fast::dequantize
