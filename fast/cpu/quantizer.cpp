#include "fast/cpu/quantizer.hpp"

#include <algorithm>

#include "fast/cpu/lanes.hpp"
#include "fast/cpu/resolve.hpp"
#include "fast/cpu/threads.hpp"

namespace mx::fast {

struct BlockPlan::Constants {
  cpu::Source source;
  cpu::BlockConstants block;
};

struct ElementPlan::Constants {
  cpu::Source source;
  cpu::ElementConstants element;
};

Checked<BlockPlan> BlockPlan::make(const BlockJob& job) {
  const Checked<cpu::Source> source = cpu::source_of(job.source);
  if (!source) return Problem{std::string(source.problem())};
  const Checked<cpu::BlockConstants> block = cpu::resolve_block(job);
  if (!block) return Problem{std::string(block.problem())};
  return BlockPlan(std::make_shared<const Constants>(Constants{*source, *block}));
}

int BlockPlan::block_size() const { return constants_->block.block_size; }

bool BlockPlan::quantize(const BlockLayout& layout, std::span<const std::byte> source,
                         std::span<std::byte> codes, std::span<std::byte> scales,
                         std::span<std::uint16_t> status, int threads) const {
  const cpu::BlockConstants& c = constants_->block;
  const auto block = static_cast<std::size_t>(c.block_size);
  const std::size_t width = cpu::word_bytes(constants_->source);
  const std::size_t blocks = layout.blocks(block);
  if (source.size() != layout.elements() * width || codes.size() != layout.elements() ||
      scales.size() != blocks || (!status.empty() && status.size() != blocks)) {
    return false;
  }
  if (layout.elements() == 0) return true;
  auto* const code = reinterpret_cast<std::uint8_t*>(codes.data());
  auto* const scale = reinterpret_cast<std::uint8_t*>(scales.data());
  std::uint16_t* const word = status.empty() ? nullptr : status.data();
  const std::size_t line_blocks = (layout.length + block - 1) / block;
  if (layout.inner == 1) {
    // Lines without a short block follow each other as one.
    const bool is_flat = layout.outer == 1 || layout.length % block == 0;
    const std::size_t lines = is_flat ? 1 : layout.outer;
    const std::size_t length = is_flat ? layout.elements() : layout.length;
    const std::size_t of_line = is_flat ? blocks : line_blocks;
    cpu::share_blocks(lines, of_line, block, threads,
                      [&](std::size_t line, std::size_t first, std::size_t last) {
                        const std::size_t from = line * length + first * block;
                        const std::size_t to = std::min(last * block, length) + line * length;
                        const std::size_t at = line * of_line + first;
                        cpu::quantize_blocks(c, constants_->source,
                                             {source.data() + from * width, to - from, code + from,
                                              scale + at, word == nullptr ? word : word + at});
                      });
    return true;
  }
  cpu::share_blocks(
      layout.outer * line_blocks, 1, block * layout.inner, threads,
      [&](std::size_t row, std::size_t, std::size_t) {
        const std::size_t start = row % line_blocks * block;
        const std::size_t from = (row / line_blocks * layout.length + start) * layout.inner;
        const std::size_t at = row * layout.inner;
        cpu::quantize_columns(
            c, constants_->source,
            {source.data() + from * width, std::min(block, layout.length - start), layout.inner,
             layout.inner, code + from, scale + at, word == nullptr ? word : word + at});
      });
  return true;
}

Checked<ElementPlan> ElementPlan::make(const ElementJob& job) {
  const Checked<cpu::Source> source = cpu::source_of(job.source);
  if (!source) return Problem{std::string(source.problem())};
  const Checked<cpu::ElementConstants> element = cpu::resolve_element(job.destination, job.policy);
  if (!element) return Problem{std::string(element.problem())};
  return ElementPlan(std::make_shared<const Constants>(Constants{*source, *element}));
}

bool ElementPlan::convert(std::span<const std::byte> source, std::span<std::byte> codes,
                          int threads) const {
  const std::size_t width = cpu::word_bytes(constants_->source);
  if (source.size() != codes.size() * width) return false;
  auto* const code = reinterpret_cast<std::uint8_t*>(codes.data());
  cpu::share_blocks(
      1, codes.size(), 1, threads, [&](std::size_t, std::size_t first, std::size_t last) {
        cpu::convert_elements(constants_->element, constants_->source,
                              source.data() + first * width, last - first, code + first);
      });
  return true;
}

std::string_view cpu_target() { return cpu::target_name(); }

}  // namespace mx::fast
