// Every word that a code under a scale can become: what the kernels of the way back look up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fast/cpu/constants.hpp"
#include "fast/scaled/constants.hpp"
#include "fast/scaled/scaled_dequantize_plan.hpp"

namespace mx::fast::scaled {

/// Codes of 4 bits.
inline constexpr std::size_t kCodes = 16;

/// The words of all codes under one scale, byte by byte: the lowest bytes of all words first.
struct Planes {
  alignas(16) std::uint8_t of[4][kCodes] = {};
};

struct Table {
  Source words = Source::kFp32;  ///< their format, here a destination
  int block_size = 0;
  int tile_lines = 1;
  std::array<Planes, kScales> planes = {};
  std::array<bool, kScales> is_stray = {};  ///< scale codes with bits above the format's width

  [[nodiscard]] std::uint32_t word(std::uint8_t scale, std::uint8_t code) const {
    const Planes& p = planes[scale];
    const std::size_t i = code % kCodes;
    return p.of[0][i] | std::uint32_t{p.of[1][i]} << 8 | std::uint32_t{p.of[2][i]} << 16 |
           std::uint32_t{p.of[3][i]} << 24;
  }
};

[[nodiscard]] Checked<Table> make_table(const ScaledDequantizeJob& job);

/// A tensor's lines of blocks, or its columns side by side, as
/// fast/dequantize/dequantize_kernels.hpp has them.
struct DequantizeRun {
  const std::uint8_t* codes;
  std::size_t rows;     ///< lines of blocks: 1
  std::size_t columns;  ///< lines of blocks: the elements
  const std::uint8_t* scales;
  std::byte* words;
};

/// False where a code or a scale is stray.
[[nodiscard]] bool dequantize_blocks(const Table& table, const DequantizeRun& run);
[[nodiscard]] bool dequantize_columns(const Table& table, const DequantizeRun& run);

}  // namespace mx::fast::scaled
