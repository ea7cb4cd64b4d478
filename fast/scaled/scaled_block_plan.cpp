#include "fast/scaled/scaled_block_plan.hpp"

#include <atomic>

#include "fast/cpu/resolve.hpp"
#include "fast/cpu/threads.hpp"
#include "fast/cpu/walk.hpp"
#include "fast/scaled/resolve.hpp"
#include "fast/scaled/scaled_kernels.hpp"
#include "fast/tiles/walk.hpp"

namespace mx::fast {

struct ScaledBlockPlan::Constants {
  scaled::Constants block;
};

Checked<ScaledBlockPlan> ScaledBlockPlan::make(const ScaledBlockJob& job) {
  if (!is_scaled_rule(job.blocks.block.rule)) return cpu::no_path("the scale rule");
  const Checked<scaled::Constants> made = scaled::resolve(job);
  if (!made) return Problem{std::string(made.problem())};
  return ScaledBlockPlan(std::make_shared<const Constants>(Constants{*made}));
}

int ScaledBlockPlan::block_size() const { return constants_->block.block_size; }

bool ScaledBlockPlan::quantize(const BlockLayout& layout, std::span<const std::byte> source,
                               std::span<std::byte> codes, std::span<std::byte> scales,
                               std::span<std::uint16_t> status, int threads) const {
  return quantize_tiles(lone_lines(layout), source, codes, scales, status, threads);
}

bool ScaledBlockPlan::quantize_tiles(const TileLayout& layout, std::span<const std::byte> source,
                                     std::span<std::byte> codes, std::span<std::byte> scales,
                                     std::span<std::uint16_t> status, int threads) const {
  const scaled::Constants& c = constants_->block;
  if (c.tile_lines > 1) {
    const tiles::TileSize size{static_cast<std::size_t>(c.block_size),
                               static_cast<std::size_t>(c.tile_lines)};
    return tiles::walk(
        {layout, source, codes, scales, status}, c.source, size, threads,
        [&](const tiles::TileRun& run, std::size_t) { scaled::quantize_tiles(c, run); },
        [&](const cpu::ColumnRun& run, std::size_t) { scaled::quantize_columns(c, run); });
  }
  const BlockLayout lines = layout.as_lines();
  return cpu::walk(
      {lines, source, codes, scales, status}, c.source, c.block_size, threads,
      [&](const cpu::BlockRun& run, std::size_t) { scaled::quantize_blocks(c, run); },
      [&](const cpu::ColumnRun& run, std::size_t) { scaled::quantize_columns(c, run); });
}

std::optional<std::uint32_t> largest_finite(const ElementFormat& format,
                                            std::span<const std::byte> words, int threads) {
  const Checked<cpu::Source> source = cpu::source_of(format);
  if (!source) return std::nullopt;
  const std::size_t width = cpu::word_bytes(*source);
  const auto infinity = static_cast<std::uint32_t>(format.inf_code());
  std::atomic<std::uint32_t> largest = 0;
  cpu::share_blocks(
      1, words.size() / width, 1, threads, [&](std::size_t, std::size_t first, std::size_t last) {
        const std::uint32_t found =
            scaled::largest_finite(*source, words.data() + first * width, last - first, infinity);
        std::uint32_t known = largest;
        while (found > known && !largest.compare_exchange_weak(known, found)) {
        }
      });
  return largest;
}

}  // namespace mx::fast
