#include "fast/scaled/scaled_dequantize_plan.hpp"

#include "fast/cpu/walk.hpp"
#include "fast/scaled/table.hpp"
#include "fast/tiles/walk.hpp"

namespace mx::fast {

struct ScaledDequantizePlan::Constants {
  scaled::Table table;
};

Checked<ScaledDequantizePlan> ScaledDequantizePlan::make(const ScaledDequantizeJob& job) {
  const Checked<scaled::Table> table = scaled::make_table(job);
  if (!table) return Problem{std::string(table.problem())};
  return ScaledDequantizePlan(std::make_shared<const Constants>(Constants{*table}));
}

int ScaledDequantizePlan::block_size() const { return constants_->table.block_size; }

bool ScaledDequantizePlan::dequantize(const BlockLayout& layout, std::span<const std::byte> codes,
                                      std::span<const std::byte> scales, std::span<std::byte> words,
                                      int threads) const {
  return dequantize_tiles(lone_lines(layout), codes, scales, words, threads);
}

bool ScaledDequantizePlan::dequantize_tiles(const TileLayout& layout,
                                            std::span<const std::byte> codes,
                                            std::span<const std::byte> scales,
                                            std::span<std::byte> words, int threads) const {
  const scaled::Table& table = constants_->table;
  const std::size_t width = cpu::word_bytes(table.words);
  const auto along = [&](const auto* code, const auto* scale, std::byte* word,
                         std::size_t elements) {
    return scaled::dequantize_blocks(table, {code, 1, elements, scale, word});
  };
  const auto down = [&](const auto* code, const auto* scale, std::byte* word, std::size_t rows) {
    return scaled::dequantize_columns(table, {code, rows, layout.inner, scale, word});
  };
  if (table.tile_lines > 1) {
    const tiles::TileSize size{static_cast<std::size_t>(table.block_size),
                               static_cast<std::size_t>(table.tile_lines)};
    return tiles::walk_back({layout, codes, scales, words}, width, size, threads, along, down);
  }
  const BlockLayout lines = layout.as_lines();
  return cpu::walk_back({lines, codes, scales, words}, width, table.block_size, threads, along,
                        down);
}

}  // namespace mx::fast
