#include "fast/stochastic/stochastic_plan.hpp"

#include "fast/cpu/resolve.hpp"
#include "fast/cpu/threads.hpp"
#include "fast/cpu/walk.hpp"
#include "fast/stochastic/stochastic_kernels.hpp"

namespace mx::fast {

struct StochasticBlockPlan::Constants {
  cpu::Source source;
  cpu::BlockConstants block;
};

struct StochasticElementPlan::Constants {
  cpu::Source source;
  cpu::ElementConstants element;
};

Checked<StochasticBlockPlan> StochasticBlockPlan::make(const BlockJob& job) {
  const Checked<cpu::Source> source = cpu::source_of(job.source);
  if (!source) return Problem{std::string(source.problem())};
  const Checked<cpu::BlockConstants> block = cpu::resolve_block(job, cpu::Drawing::kDrawn);
  if (!block) return Problem{std::string(block.problem())};
  return StochasticBlockPlan(std::make_shared<const Constants>(Constants{*source, *block}));
}

int StochasticBlockPlan::block_size() const { return constants_->block.block_size; }

bool StochasticBlockPlan::quantize(const BlockLayout& layout, const Draws& draws,
                                   std::span<const std::byte> source, std::span<std::byte> codes,
                                   std::span<std::byte> scales, std::span<std::uint16_t> status,
                                   int threads, std::uint64_t first) const {
  const cpu::BlockConstants& c = constants_->block;
  const cpu::Source words = constants_->source;
  if (!draws.reach(first, layout.elements())) return false;
  return cpu::walk(
      {layout, source, codes, scales, status}, words, c.block_size, threads,
      [&](const cpu::BlockRun& run, std::size_t from) {
        quantize_drawn_blocks(c, words, run, {draws, first + from});
      },
      [&](const cpu::ColumnRun& run, std::size_t from) {
        quantize_drawn_columns(c, words, run, {draws, first + from});
      });
}

Checked<StochasticElementPlan> StochasticElementPlan::make(const ElementJob& job) {
  const Checked<cpu::Source> source = cpu::source_of(job.source);
  if (!source) return Problem{std::string(source.problem())};
  const Checked<cpu::ElementConstants> element =
      cpu::resolve_element(job.destination, job.policy, cpu::Drawing::kDrawn);
  if (!element) return Problem{std::string(element.problem())};
  return StochasticElementPlan(std::make_shared<const Constants>(Constants{*source, *element}));
}

bool StochasticElementPlan::convert(const Draws& draws, std::span<const std::byte> source,
                                    std::span<std::byte> codes, int threads,
                                    std::uint64_t first) const {
  const std::size_t width = cpu::word_bytes(constants_->source);
  if (source.size() != codes.size() * width || !draws.reach(first, codes.size())) return false;
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
