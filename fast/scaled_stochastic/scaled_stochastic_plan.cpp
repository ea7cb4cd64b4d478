#include "fast/scaled_stochastic/scaled_stochastic_plan.hpp"

#include "fast/cpu/walk.hpp"
#include "fast/scaled_stochastic/resolve.hpp"
#include "fast/scaled_stochastic/scaled_stochastic_kernels.hpp"
#include "fast/tiles/walk.hpp"

namespace mx::fast {

struct ScaledStochasticPlan::Constants {
  scaled::StochasticConstants drawn;
};

Checked<ScaledStochasticPlan> ScaledStochasticPlan::make(const ScaledBlockJob& job) {
  const Checked<scaled::StochasticConstants> made = scaled::resolve_stochastic(job);
  if (!made) return Problem{std::string(made.problem())};
  return ScaledStochasticPlan(std::make_shared<const Constants>(Constants{*made}));
}

int ScaledStochasticPlan::block_size() const { return constants_->drawn.blocks.block_size; }

bool ScaledStochasticPlan::quantize(const BlockLayout& layout, const Draws& draws,
                                    std::span<const std::byte> source, std::span<std::byte> codes,
                                    std::span<std::byte> scales, std::span<std::uint16_t> status,
                                    int threads, std::uint64_t first) const {
  return quantize_tiles(lone_lines(layout), draws, source, codes, scales, status, threads, first);
}

bool ScaledStochasticPlan::quantize_tiles(const TileLayout& layout, const Draws& draws,
                                          std::span<const std::byte> source,
                                          std::span<std::byte> codes, std::span<std::byte> scales,
                                          std::span<std::uint16_t> status, int threads,
                                          std::uint64_t first) const {
  const scaled::StochasticConstants& c = constants_->drawn;
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
