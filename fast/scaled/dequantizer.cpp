#include "fast/scaled/dequantizer.hpp"

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
  return cpu::walk_back(
      {layout, codes, scales, words}, cpu::word_bytes(table.words), table.block_size, threads,
      [&](const auto* code, const auto* scale, std::byte* word, std::size_t elements) {
        return scaled::decode_blocks(table, {code, 1, elements, scale, word});
      },
      [&](const auto* code, const auto* scale, std::byte* word, std::size_t rows) {
        return scaled::decode_columns(table, {code, rows, layout.inner, scale, word});
      });
}

}  // namespace mx::fast
