#include "fast/hadamard/hadamard.hpp"

#include "fast/cpu/resolve.hpp"
#include "fast/cpu/walk.hpp"
#include "fast/environment/default_floats.hpp"
#include "fast/hadamard/hadamard_kernels.hpp"

namespace mx::fast {
Checked<HadamardPlan> HadamardPlan::make(const HadamardJob& job) {
  const Checked<cpu::Source> words = cpu::source_of(job.source);
  if (!words) return Problem{std::string(words.problem())};
  Constants constants{.source = *words, .first = {}, .last = {}};
  auto& signs = job.order == HadamardOrder::kSignsFirst ? constants.first : constants.last;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    signs.at(i) = (job.mask >> i & 1U) << 31;
  }
  return HadamardPlan(constants);
}

bool HadamardPlan::transform(const BlockLayout& layout, std::span<const std::byte> words,
                             std::span<std::byte> values, int threads) const {
  const std::size_t width = cpu::word_bytes(constants_.source);
  if (layout.length % kHadamardGroup != 0 || words.size() != layout.elements() * width ||
      values.size() != layout.elements() * sizeof(float)) {
    return false;
  }
  const auto run_from = [&](std::size_t element) {
    return cpu::HadamardRun{words.data() + element * width, values.data() + element * 4};
  };
  cpu::walk_layout(
      layout, kHadamardGroup, threads,
      [&](const cpu::LinePiece& piece) {
        const DefaultFloats floats;
        cpu::transform_lines(constants_, run_from(piece.element), piece.elements);
      },
      [&](const cpu::ColumnPiece& piece) {
        const DefaultFloats floats;
        cpu::transform_columns(constants_, run_from(piece.element), layout.inner);
      });
  return true;
}

}  // namespace mx::fast
