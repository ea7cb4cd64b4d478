// Configurations of blocks without the settings that do not matter to them.
#include "golden/compare/block_difference.hpp"
#include "golden/compare/element_difference.hpp"

namespace mx::golden {
namespace {

/// Rules that bring elements to the scale in their own way.
bool scales_itself(ScaleRule rule) {
  switch (rule) {
    case ScaleRule::kNvfp4Exact:
    case ScaleRule::kNvfp4Te:
    case ScaleRule::kNvfp4Torchao:
    case ScaleRule::kNvfp4Cublas:
    case ScaleRule::kNvfp4Ggml:
    case ScaleRule::kNvfp44over6:
    case ScaleRule::kHif4:
      return true;
    default:
      return false;
  }
}

void normalize_quirk(BlockPolicy& b) {
  const bool is_nearest = b.rule == ScaleRule::kNearestVal;
  const bool is_up = b.rule == ScaleRule::kRceil;
  if (b.e8m0_quirk == E8m0Quirk::kOnnxNearest && is_nearest) {
    b.e8m0_quirk = E8m0Quirk::kMldtypesNearest;  // two names of one effect
  }
  const bool matters = (b.e8m0_quirk == E8m0Quirk::kMldtypesNearest && is_nearest) ||
                       (b.e8m0_quirk == E8m0Quirk::kOnnxUp && is_up);
  if (!matters) b.e8m0_quirk = E8m0Quirk::kNone;
}

void normalize_special_blocks(BlockPolicy& b, const BlockPolicy& defaults) {
  b.nan_block = defaults.nan_block;  // as codes, its values mean the same
  if (b.inf_block == InfBlock::kAllNan) b.inf_block = InfBlock::kScaleNan;
  if (b.rule == ScaleRule::kMaxabsFinite) {
    b.amax_over = defaults.amax_over;
    b.zero_block_scale = defaults.zero_block_scale;
    b.inf_block = defaults.inf_block;
  }
  if (b.amax_over == AmaxOver::kFiniteOnly) b.inf_block = defaults.inf_block;
}

}  // namespace

QuantizerConfig normalized(const QuantizerConfig& config) {
  const BlockPolicy defaults;
  QuantizerConfig c = config;
  c.element = normalized(Conversion{c.source, c.format.element, c.element, {}}).policy;
  BlockPolicy& b = c.block;
  const bool is_power = is_power_rule(b.rule);
  const bool is_even = b.rule == ScaleRule::kEvenUp || b.rule == ScaleRule::kEvenDown;
  const bool divides = b.rule == ScaleRule::kRceil || b.rule == ScaleRule::kRceilLog2f ||
                       b.rule == ScaleRule::kNearestVal;
  if (!divides) b.ratio_op = defaults.ratio_op;
  if (b.rule == ScaleRule::kRceilLog2f && b.ratio_op == RatioOp::kExact) {
    b.ratio_op = RatioOp::kFp32Div;
  }
  if (!is_even) b.even_carry = defaults.even_carry;
  if (!is_power || !c.format.scale.has_nan()) b.scale_sat = defaults.scale_sat;
  if (is_power) b.scale_floor = defaults.scale_floor;
  if (b.rule != ScaleRule::kNvfp44over6) b.four_over_six = defaults.four_over_six;
  if (b.rule != ScaleRule::kMaxabsFinite) {
    b.scale_rounding = defaults.scale_rounding;
    b.scale_overflow = defaults.scale_overflow;
  }
  if (scales_itself(b.rule) && b.nan_scale_codes != NanScaleCodes::kAsComputed) {
    b.elem_scaling = defaults.elem_scaling;
  }
  b.dequant_overflow = defaults.dequant_overflow;
  normalize_quirk(b);
  normalize_special_blocks(b, defaults);
  return c;
}

}  // namespace mx::golden
