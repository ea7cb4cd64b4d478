#include "reference/tensor/scale_layout.hpp"

#include <algorithm>
#include <array>

namespace mx {
namespace {

constexpr std::array kScaleLayouts = {ScaleLayoutRow{ScaleLayout::kPlane, "plane"},
                                      ScaleLayoutRow{ScaleLayout::kSwizzle128x4, "swizzle_128x4"}};

constexpr std::size_t kTileBytes = Swizzle128x4::kRows * Swizzle128x4::kBlocks;

std::size_t tiles(std::size_t count, std::size_t tile) { return (count + tile - 1) / tile; }

/// Calls work(place, swizzled place, count) for the scales that lie side by side in both.
template <typename Work>
void for_each_run(const Swizzle128x4& layout, const Work& work) {
  for (std::size_t row = 0; row < layout.outer; ++row) {
    const std::size_t first = layout.offset(row, 0);
    for (std::size_t block = 0; block < layout.inner; block += Swizzle128x4::kBlocks) {
      work(row * layout.inner + block, first + block * Swizzle128x4::kRows,
           std::min(Swizzle128x4::kBlocks, layout.inner - block));
    }
  }
}

}  // namespace

std::span<const ScaleLayoutRow> scale_layouts() { return kScaleLayouts; }

std::string_view scale_layout_name(ScaleLayout layout) {
  return std::ranges::find(kScaleLayouts, layout, &ScaleLayoutRow::layout)->name;
}

std::optional<ScaleLayout> parse_scale_layout(std::string_view name) {
  const auto row = std::ranges::find(kScaleLayouts, name, &ScaleLayoutRow::name);
  return row == kScaleLayouts.end() ? std::nullopt : std::optional(row->layout);
}

std::string scale_layout_problem(ScaleLayout layout, const BlockFormat& format) {
  const bool is_along_one_axis = format.extent == BlockExtent::kElements &&
                                 format.tile_lines == 1 && format.scale_bytes() == 1;
  if (layout == ScaleLayout::kPlane || is_along_one_axis) return {};
  return "layout " + std::string(scale_layout_name(layout)) +
         " holds one-byte scales of blocks along one axis; " + std::string(format.name) +
         " has none";
}

std::size_t Swizzle128x4::bytes() const {
  return tiles(outer, kRows) * tiles(inner, kBlocks) * kTileBytes;
}

std::size_t Swizzle128x4::offset(std::size_t row, std::size_t block) const {
  const std::size_t tile = row / kRows * tiles(inner, kBlocks) + block / kBlocks;
  const std::size_t in_tile_row = row % kRows;
  return tile * kTileBytes + in_tile_row % 32 * 16 + in_tile_row / 32 * 4 + block % kBlocks;
}

Swizzle128x4::Place Swizzle128x4::place(std::size_t offset) const {
  const std::size_t tile = offset / kTileBytes, rest = offset % kTileBytes;
  const std::size_t across = tiles(inner, kBlocks);
  return {tile / across * kRows + rest % 16 / 4 * 32 + rest / 16,
          tile % across * kBlocks + rest % 4};
}

void swizzle(const Swizzle128x4& layout, std::span<const std::byte> scales,
             std::span<std::byte> swizzled) {
  std::ranges::fill(swizzled, std::byte{0});
  for_each_run(layout, [&](std::size_t from, std::size_t to, std::size_t count) {
    std::copy_n(scales.data() + from, count, swizzled.data() + to);
  });
}

void unswizzle(const Swizzle128x4& layout, std::span<const std::byte> swizzled,
               std::span<std::byte> scales) {
  for_each_run(layout, [&](std::size_t to, std::size_t from, std::size_t count) {
    std::copy_n(swizzled.data() + from, count, scales.data() + to);
  });
}

}  // namespace mx
