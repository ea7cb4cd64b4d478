#include "fast/scaled/dequantizer.hpp"

#include <atomic>

#include "fast/cpu/walk.hpp"
#include "fast/scaled/table.hpp"

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
  const scaled::Table& table = constants_->table;
  const auto block = static_cast<std::size_t>(table.block_size);
  const std::size_t width = cpu::word_bytes(table.words);
  if (codes.size() != layout.elements() || scales.size() != layout.blocks(block) ||
      words.size() != layout.elements() * width) {
    return false;
  }
  const auto* const code = reinterpret_cast<const std::uint8_t*>(codes.data());
  const auto* const scale = reinterpret_cast<const std::uint8_t*>(scales.data());
  std::byte* const word = words.data();
  std::atomic<bool> is_clean = true;
  cpu::walk_layout(
      layout, block, threads,
      [&](const cpu::LinePiece& p) {
        if (!scaled::decode_blocks(table, {code + p.element, 1, p.elements, scale + p.block,
                                           word + p.element * width})) {
          is_clean = false;
        }
      },
      [&](const cpu::ColumnPiece& p) {
        if (!scaled::decode_columns(table, {code + p.element, p.rows, layout.inner, scale + p.block,
                                            word + p.element * width})) {
          is_clean = false;
        }
      });
  return is_clean;
}

}  // namespace mx::fast
