// The vector kernels behind the plans, dispatched to the instructions of this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "fast/cpu/constants.hpp"

namespace mx::fast::cpu {

/// Blocks one after the other, from `elements` source words; `status` may be null.
struct BlockRun {
  const std::byte* source;
  std::size_t elements;
  std::uint8_t* codes;
  std::uint8_t* scales;
  std::uint16_t* status;
};
void quantize_blocks(const BlockConstants& c, Source source, const BlockRun& run);

/// Blocks down the columns of `rows` x `columns` words, at most one block high; the rows of source
/// and codes lie `stride` elements apart. Of tiles there are as many rows of each of `lines`, which
/// lie `line_stride` apart.
struct ColumnRun {
  const std::byte* source;
  std::size_t rows;
  std::size_t columns;
  std::size_t stride;
  std::uint8_t* codes;
  std::uint8_t* scales;
  std::uint16_t* status;
  std::size_t lines = 1;
  std::size_t line_stride = 0;
};
void quantize_columns(const BlockConstants& c, Source source, const ColumnRun& run);

/// Single values, whose grid is that of scale 1.
void convert_elements(const ElementConstants& c, Source source, const std::byte* words,
                      std::size_t elements, std::uint8_t* codes);

/// The name of the instructions that these functions use now.
[[nodiscard]] std::string_view target_name();

}  // namespace mx::fast::cpu
