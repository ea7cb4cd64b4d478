// Layouts of scale codes in memory: spec F5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reference/format/table.hpp"

namespace mx {

/// How the scales of a matrix of blocks follow each other.
enum class ScaleLayout : std::uint8_t {
  kPlane,        ///< C order: row by row
  kSwizzle128x4  ///< tiles of 128 x 4, as cuBLAS and torchao take them
};

/// A layout as lists show it. Names end in NUL.
struct ScaleLayoutRow {
  ScaleLayout layout;
  std::string_view name;
};

/// plane, swizzle_128x4.
[[nodiscard]] std::span<const ScaleLayoutRow> scale_layouts();
[[nodiscard]] std::string_view scale_layout_name(ScaleLayout layout);
[[nodiscard]] std::optional<ScaleLayout> parse_scale_layout(std::string_view name);

/// Why scales of a block format have no such layout; "" where they have.
[[nodiscard]] std::string scale_layout_problem(ScaleLayout layout, const BlockFormat& format);

/// The layout of scale codes that cuBLAS and torchao call swizzled: tiles of 128 x 4 scales of one
/// byte. `outer` counts rows of the matrix, `inner` its blocks along the reduced dimension.
struct Swizzle128x4 {
  static constexpr std::size_t kRows = 128;
  static constexpr std::size_t kBlocks = 4;

  std::size_t outer = 0;
  std::size_t inner = 0;

  /// Bytes that are allocated: both counts rounded up to whole tiles; slots beyond are zero.
  [[nodiscard]] std::size_t bytes() const;
  /// Where the scale of (row, block) lies: within a tile (row mod 32) * 16 + (row mod 128 / 32) * 4
  /// + block mod 4; tiles follow each other along `inner`, then along `outer`.
  [[nodiscard]] std::size_t offset(std::size_t row, std::size_t block) const;
  struct Place {
    std::size_t row = 0;
    std::size_t block = 0;
  };
  /// The inverse of offset(); the place may lie outside the matrix (a padding slot).
  [[nodiscard]] Place place(std::size_t offset) const;
};

/// Scales in C order (outer x inner, one byte each) to the swizzled layout, and back; padding slots
/// are not looked at on the way back.
void swizzle(const Swizzle128x4& layout, std::span<const std::byte> scales,
             std::span<std::byte> swizzled);
void unswizzle(const Swizzle128x4& layout, std::span<const std::byte> swizzled,
               std::span<std::byte> scales);

}  // namespace mx
