#include "fast/cpu/block_plan.hpp"

#include "fast/cpu/block_kernels.hpp"
#include "fast/cpu/resolve.hpp"
#include "fast/cpu/threads.hpp"
#include "fast/cpu/walk.hpp"

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
  const cpu::Source words = constants_->source;
  return cpu::walk(
      {layout, source, codes, scales, status}, words, c.block_size, threads,
      [&](const cpu::BlockRun& run, std::size_t) { quantize_blocks(c, words, run); },
      [&](const cpu::ColumnRun& run, std::size_t) { quantize_columns(c, words, run); });
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
