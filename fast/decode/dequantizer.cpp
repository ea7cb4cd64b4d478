#include "fast/decode/dequantizer.hpp"

#include <algorithm>
#include <atomic>

#include "fast/cpu/threads.hpp"
#include "fast/decode/lanes.hpp"
#include "fast/decode/resolve.hpp"

namespace mx::fast {

struct DequantizePlan::Constants {
  decode::BlockConstants block;
};

struct WidenPlan::Constants {
  decode::DecodeConstants decode;
};

Checked<DequantizePlan> DequantizePlan::make(const DequantizeJob& job) {
  const Checked<decode::BlockConstants> block = decode::resolve(job);
  if (!block) return Problem{std::string(block.problem())};
  return DequantizePlan(std::make_shared<const Constants>(Constants{*block}));
}

int DequantizePlan::block_size() const { return constants_->block.block_size; }

bool DequantizePlan::dequantize(const BlockLayout& layout, std::span<const std::byte> codes,
                                std::span<const std::byte> scales, std::span<std::byte> words,
                                int threads) const {
  const decode::BlockConstants& c = constants_->block;
  const auto block = static_cast<std::size_t>(c.block_size);
  const std::size_t width = cpu::word_bytes(c.decode.word.format);
  if (codes.size() != layout.elements() || scales.size() != layout.blocks(block) ||
      words.size() != layout.elements() * width) {
    return false;
  }
  if (layout.elements() == 0) return true;
  const auto* const code = reinterpret_cast<const std::uint8_t*>(codes.data());
  const auto* const scale = reinterpret_cast<const std::uint8_t*>(scales.data());
  const std::size_t line_blocks = (layout.length + block - 1) / block;
  std::atomic<bool> is_clean = true;
  if (layout.inner == 1) {
    // Lines without a short block follow each other as one.
    const bool is_flat = layout.outer == 1 || layout.length % block == 0;
    const std::size_t lines = is_flat ? 1 : layout.outer;
    const std::size_t length = is_flat ? layout.elements() : layout.length;
    const std::size_t of_line = is_flat ? scales.size() : line_blocks;
    cpu::share_blocks(
        lines, of_line, block, threads, [&](std::size_t line, std::size_t first, std::size_t last) {
          const std::size_t from = line * length + first * block;
          const std::size_t to = line * length + std::min(last * block, length);
          if (!decode::decode_blocks(c, {code + from, to - from, scale + line * of_line + first,
                                         words.data() + from * width})) {
            is_clean = false;
          }
        });
    return is_clean;
  }
  cpu::share_blocks(
      layout.outer * line_blocks, 1, block * layout.inner, threads,
      [&](std::size_t row, std::size_t, std::size_t) {
        const std::size_t start = row % line_blocks * block;
        const std::size_t from = (row / line_blocks * layout.length + start) * layout.inner;
        if (!decode::decode_columns(
                c, {code + from, std::min(block, layout.length - start), layout.inner, layout.inner,
                    scale + row * layout.inner, words.data() + from * width})) {
          is_clean = false;
        }
      });
  return is_clean;
}

Checked<WidenPlan> WidenPlan::make(const WidenJob& job) {
  const Checked<decode::DecodeConstants> constants = decode::resolve(job);
  if (!constants) return Problem{std::string(constants.problem())};
  return WidenPlan(std::make_shared<const Constants>(Constants{*constants}));
}

bool WidenPlan::convert(std::span<const std::byte> codes, std::span<std::byte> words,
                        int threads) const {
  const decode::DecodeConstants& c = constants_->decode;
  const std::size_t width = cpu::word_bytes(c.word.format);
  if (words.size() != codes.size() * width) return false;
  const auto* const code = reinterpret_cast<const std::uint8_t*>(codes.data());
  std::atomic<bool> is_clean = true;
  cpu::share_blocks(
      1, codes.size(), 1, threads, [&](std::size_t, std::size_t first, std::size_t last) {
        if (!decode::decode_elements(c, code + first, last - first, words.data() + first * width)) {
          is_clean = false;
        }
      });
  return is_clean;
}

}  // namespace mx::fast
