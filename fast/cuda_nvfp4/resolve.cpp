#include "fast/cuda_nvfp4/plan.hpp"

#include <string>

#include "fast/cpu/resolve.hpp"
#include "reference/format/rows.hpp"

namespace mx::fast::cuda_nvfp4 {
namespace {

using cpu::no_path;
using cuda::Drawing;

std::string_view format_problem(const BlockFormat& f) {
  if (f.element != formats::e2m1fn) return "elements other than e2m1fn";
  if (f.scale != formats::ue4m3) return "scales other than ue4m3";
  if (f.extent != BlockExtent::kElements || f.tile_lines != 1) return "blocks of another shape";
  if (f.block_size < 1 || f.block_size > 1024) return "the block size";
  return f.sublevels[0] != 0 || f.scale_limit != 0 || f.cut_from != 0 ? "the block format" : "";
}

std::string_view policy_problem(const Nvfp4Job& job) {
  const ElementPolicy defaults;
  ElementPolicy element = job.element;
  element.nan = defaults.nan;
  element.rounding = defaults.rounding;
  element.random_bits = defaults.random_bits;
  const bool searches = job.block.rule == ScaleRule::kNvfp4Ggml;
  if (searches) element.zero_sign = defaults.zero_sign;  // a zero has no sign either way
  if (element != defaults) return "element policies other than the defaults";
  BlockPolicy block = job.block;
  block.rule = BlockPolicy{}.rule;
  block.four_over_six = BlockPolicy{}.four_over_six;
  if (block != BlockPolicy{}) return "block policies other than the defaults";
  const bool has_candidates = job.block.rule == ScaleRule::kNvfp44over6;
  return has_candidates && job.element.rounding != defaults.rounding
             ? "roundings other than ties_to_even under nvfp4_4over6"
             : "";
}

Checked<Chain> chain_of(ScaleRule rule) {
  switch (rule) {
    case ScaleRule::kNvfp4Exact:
      return Chain::kExact;
    case ScaleRule::kNvfp4Te:
      return Chain::kTe;
    case ScaleRule::kNvfp4Torchao:
      return Chain::kTorchao;
    case ScaleRule::kNvfp4Cublas:
      return Chain::kCublas;
    case ScaleRule::kNvfp4Ggml:
      return Chain::kGgml;
    case ScaleRule::kNvfp44over6:
      return Chain::kFourOverSix;
    default:
      return no_path("the scale rule");
  }
}

Drawing drawing_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kStochasticA:
      return Drawing::kA;
    case Rounding::kStochasticB:
      return Drawing::kB;
    case Rounding::kStochasticC:
      return Drawing::kC;
    case Rounding::kStochasticCOdd:
      return Drawing::kCOdd;
    default:
      return Drawing::kNone;
  }
}

/// How elements are coded, under a chain that is known.
void set_coding(const Nvfp4Job& job, Mode& mode) {
  const Rounding rounding = job.element.rounding;
  if (mode.chain == Chain::kFourOverSix) {
    const FourOverSix kind = job.block.four_over_six;
    mode.coding = Coding::kCandidates;
    mode.squares = kind == FourOverSix::kMse448 || kind == FourOverSix::kMse256;
    mode.top = kind == FourOverSix::kMae256 || kind == FourOverSix::kMse256 ? 6 * 256 : 6 * 448;
  } else if (mode.chain == Chain::kGgml) {
    mode.coding = Coding::kSearch;
  } else if (rounding != Rounding::kTiesToEven) {
    mode.coding = Coding::kCarries;
    mode.drawing = drawing_of(rounding);
    mode.random_bits = job.element.random_bits;
    if (mode.drawing == Drawing::kNone) mode.rounding = cpu::masks_of(rounding);
  }
}

}  // namespace

Checked<Nvfp4Plan::Constants> resolve(const Nvfp4Job& job) {
  if (const std::string_view why = format_problem(job.format); !why.empty()) return no_path(why);
  if (const std::string_view why = policy_problem(job); !why.empty()) return no_path(why);
  const Checked<cpu::Source> words = cpu::source_of(job.source);
  if (!words) return Problem{std::string(words.problem())};
  const Checked<Chain> chain = chain_of(job.block.rule);
  if (!chain) return Problem{std::string(chain.problem())};
  if (const std::string_view why = problem_of(job.element); !why.empty()) return no_path(why);
  // Nothing but the rounding itself differs from a rounding to nearest.
  ElementPolicy to_nearest = job.element;
  to_nearest.rounding = Rounding::kTiesToEven;
  const Checked<cpu::ElementConstants> element =
      cpu::resolve_element(job.format.element, to_nearest);
  if (!element) return Problem{std::string(element.problem())};
  if (job.tensor >= kInfBits) return no_path("a tensor number that is not finite");
  Nvfp4Plan::Constants constants;
  constants.words = *words;
  constants.mode.chain = *chain;
  constants.mode.block_size = job.format.block_size;
  constants.mode.tensor = job.tensor;
  constants.mode.nan_code = element->nan.of[0];
  set_coding(job, constants.mode);
  return constants;
}

}  // namespace mx::fast::cuda_nvfp4
