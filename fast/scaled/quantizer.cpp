#include "fast/scaled/quantizer.hpp"

#include "fast/cpu/walk.hpp"
#include "fast/scaled/lanes.hpp"
#include "fast/scaled/resolve.hpp"

namespace mx::fast {

struct ScaledBlockPlan::Constants {
  scaled::Constants block;
};

Checked<ScaledBlockPlan> ScaledBlockPlan::make(const ScaledBlockJob& job) {
  const Checked<scaled::Constants> made = scaled::resolve(job);
  if (!made) return Problem{std::string(made.problem())};
  return ScaledBlockPlan(std::make_shared<const Constants>(Constants{*made}));
}

int ScaledBlockPlan::block_size() const { return constants_->block.block_size; }

bool ScaledBlockPlan::quantize(const BlockLayout& layout, std::span<const std::byte> source,
                               std::span<std::byte> codes, std::span<std::byte> scales,
                               std::span<std::uint16_t> status, int threads) const {
  const scaled::Constants& c = constants_->block;
  return cpu::walk(
      {layout, source, codes, scales, status}, c.source, c.block_size, threads,
      [&](const cpu::BlockRun& run, std::size_t) { scaled::quantize_blocks(c, run); },
      [&](const cpu::ColumnRun& run, std::size_t) { scaled::quantize_columns(c, run); });
}

}  // namespace mx::fast
