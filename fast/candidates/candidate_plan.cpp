#include "fast/candidates/candidate_plan.hpp"

#include "fast/candidates/candidate_kernels.hpp"
#include "fast/candidates/resolve.hpp"
#include "fast/cpu/resolve.hpp"
#include "fast/cpu/walk.hpp"
#include "fast/scaled/resolve.hpp"

namespace mx::fast {

struct CandidatePlan::Constants {
  scaled::Constants block;
  candidates::Errors errors;
};

Checked<CandidatePlan> CandidatePlan::make(const ScaledBlockJob& job) {
  if (job.blocks.block.rule != ScaleRule::kNvfp44over6) return cpu::no_path("the scale rule");
  const Checked<scaled::Constants> made = scaled::resolve(job);
  if (!made) return Problem{std::string(made.problem())};
  return CandidatePlan(
      std::make_shared<const Constants>(Constants{*made, candidates::resolve_errors(job)}));
}

int CandidatePlan::block_size() const { return constants_->block.block_size; }

bool CandidatePlan::quantize(const BlockLayout& layout, std::span<const std::byte> source,
                             std::span<std::byte> codes, std::span<std::byte> scales,
                             std::span<std::uint16_t> status, int threads) const {
  const scaled::Constants& c = constants_->block;
  const candidates::Errors& errors = constants_->errors;
  return cpu::walk(
      {layout, source, codes, scales, status}, c.source, c.block_size, threads,
      [&](const cpu::BlockRun& run, std::size_t) { candidates::quantize_blocks(c, errors, run); },
      [&](const cpu::ColumnRun& run, std::size_t) {
        candidates::quantize_columns(c, errors, run);
      });
}

}  // namespace mx::fast
