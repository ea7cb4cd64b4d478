#include "fast/drawn/drawn.hpp"

#include <algorithm>

#include "fast/cpu/resolve.hpp"
#include "fast/cpu/threads.hpp"
#include "fast/drawn/lanes.hpp"

namespace mx::fast {

struct DrawnBlockPlan::Constants {
  cpu::Source source;
  cpu::BlockConstants block;
};

struct DrawnElementPlan::Constants {
  cpu::Source source;
  cpu::ElementConstants element;
};

Checked<DrawnBlockPlan> DrawnBlockPlan::make(const BlockJob& job) {
  const Checked<cpu::Source> source = cpu::source_of(job.source);
  if (!source) return Problem{std::string(source.problem())};
  const Checked<cpu::BlockConstants> block = cpu::resolve_block(job, cpu::Drawing::kDrawn);
  if (!block) return Problem{std::string(block.problem())};
  return DrawnBlockPlan(std::make_shared<const Constants>(Constants{*source, *block}));
}

int DrawnBlockPlan::block_size() const { return constants_->block.block_size; }

bool DrawnBlockPlan::quantize(const BlockLayout& layout, const Draws& draws,
                              std::span<const std::byte> source, std::span<std::byte> codes,
                              std::span<std::byte> scales, std::span<std::uint16_t> status,
                              int threads, std::uint64_t first) const {
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
    cpu::share_blocks(
        layout.outer, line_blocks, block, threads,
        [&](std::size_t line, std::size_t begin, std::size_t end) {
          const std::size_t from = line * layout.length + begin * block;
          const std::size_t to = line * layout.length + std::min(end * block, layout.length);
          const std::size_t at = line * line_blocks + begin;
          cpu::quantize_drawn_blocks(c, constants_->source,
                                     {source.data() + from * width, to - from, code + from,
                                      scale + at, word == nullptr ? word : word + at},
                                     {draws, first + from});
        });
    return true;
  }
  cpu::share_blocks(
      layout.outer * line_blocks, 1, block * layout.inner, threads,
      [&](std::size_t row, std::size_t, std::size_t) {
        const std::size_t start = row % line_blocks * block;
        const std::size_t from = (row / line_blocks * layout.length + start) * layout.inner;
        const std::size_t at = row * layout.inner;
        cpu::quantize_drawn_columns(
            c, constants_->source,
            {source.data() + from * width, std::min(block, layout.length - start), layout.inner,
             layout.inner, code + from, scale + at, word == nullptr ? word : word + at},
            {draws, first + from});
      });
  return true;
}

Checked<DrawnElementPlan> DrawnElementPlan::make(const ElementJob& job) {
  const Checked<cpu::Source> source = cpu::source_of(job.source);
  if (!source) return Problem{std::string(source.problem())};
  const Checked<cpu::ElementConstants> element =
      cpu::resolve_element(job.destination, job.policy, cpu::Drawing::kDrawn);
  if (!element) return Problem{std::string(element.problem())};
  return DrawnElementPlan(std::make_shared<const Constants>(Constants{*source, *element}));
}

bool DrawnElementPlan::convert(const Draws& draws, std::span<const std::byte> source,
                               std::span<std::byte> codes, int threads, std::uint64_t first) const {
  const std::size_t width = cpu::word_bytes(constants_->source);
  if (source.size() != codes.size() * width) return false;
  auto* const code = reinterpret_cast<std::uint8_t*>(codes.data());
  cpu::share_blocks(1, codes.size(), 1, threads,
                    [&](std::size_t, std::size_t begin, std::size_t end) {
                      cpu::convert_drawn_elements(constants_->element, constants_->source,
                                                  source.data() + begin * width, end - begin,
                                                  code + begin, {draws, first + begin});
                    });
  return true;
}

}  // namespace mx::fast
