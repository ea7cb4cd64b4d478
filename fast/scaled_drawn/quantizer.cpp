#include "fast/scaled_drawn/quantizer.hpp"

#include "fast/cpu/walk.hpp"
#include "fast/scaled_drawn/lanes.hpp"
#include "fast/scaled_drawn/resolve.hpp"
#include "fast/tiles/walk.hpp"

namespace mx::fast {

struct ScaledDrawnPlan::Constants {
  scaled::DrawnConstants drawn;
};

Checked<ScaledDrawnPlan> ScaledDrawnPlan::make(const ScaledBlockJob& job) {
  const Checked<scaled::DrawnConstants> made = scaled::resolve_drawn(job);
  if (!made) return Problem{std::string(made.problem())};
  return ScaledDrawnPlan(std::make_shared<const Constants>(Constants{*made}));
}

int ScaledDrawnPlan::block_size() const { return constants_->drawn.blocks.block_size; }

bool ScaledDrawnPlan::quantize(const BlockLayout& layout, const Draws& draws,
                               std::span<const std::byte> source, std::span<std::byte> codes,
                               std::span<std::byte> scales, std::span<std::uint16_t> status,
                               int threads, std::uint64_t first) const {
  return quantize_tiles(lone_lines(layout), draws, source, codes, scales, status, threads, first);
}

bool ScaledDrawnPlan::quantize_tiles(const TileLayout& layout, const Draws& draws,
                                     std::span<const std::byte> source, std::span<std::byte> codes,
                                     std::span<std::byte> scales, std::span<std::uint16_t> status,
                                     int threads, std::uint64_t first) const {
  const scaled::DrawnConstants& c = constants_->drawn;
  if (!draws.reach(first, layout.elements())) return false;
  const auto columns = [&](const cpu::ColumnRun& run, std::size_t from) {
    scaled::quantize_columns(c, run, {draws, first + from});
  };
  if (c.blocks.tile_lines > 1) {
    const tiles::TileSize size{static_cast<std::size_t>(c.blocks.block_size),
                               static_cast<std::size_t>(c.blocks.tile_lines)};
    return tiles::walk(
        {layout, source, codes, scales, status}, c.blocks.source, size, threads,
        [&](const tiles::TileRun& run, std::size_t from) {
          scaled::quantize_tiles(c, run, {draws, first + from});
        },
        columns);
  }
  const BlockLayout lines = layout.as_lines();
  return cpu::walk(
      {lines, source, codes, scales, status}, c.blocks.source, c.blocks.block_size, threads,
      [&](const cpu::BlockRun& run, std::size_t from) {
        scaled::quantize_blocks(c, run, {draws, first + from});
      },
      columns);
}

}  // namespace mx::fast
