// Configurations of blocks without the settings that do not matter to them.
#include "golden/compare/block_difference.hpp"
#include "golden/compare/element_difference.hpp"

namespace mx::golden {
namespace {

/// The quirk as a rule takes it up.
E8m0Quirk normal_quirk(E8m0Quirk quirk, RuleQuirk of_rule) {
  const bool nearest =
      quirk == E8m0Quirk::kMldtypesNearest || quirk == E8m0Quirk::kOnnxNearest;  // one effect
  if (nearest && of_rule == RuleQuirk::kNearest) return E8m0Quirk::kMldtypesNearest;
  if (quirk == E8m0Quirk::kOnnxUp && of_rule == RuleQuirk::kUp) return quirk;
  return E8m0Quirk::kNone;
}

void normalize_special_blocks(BlockPolicy& b, const BlockPolicy& defaults) {
  b.nan_block = defaults.nan_block;  // as codes, its values mean the same
  if (b.inf_block == InfBlock::kAllNan) b.inf_block = InfBlock::kScaleNan;
  if (facts_of(b.rule).takes_every_block) {
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
  c.element = normalized(ConversionConfig{c.source, c.format.element, c.element}).policy;
  BlockPolicy& b = c.block;
  const ScaleRuleFacts& rule = facts_of(b.rule);
  const bool is_power = is_power_rule(b.rule);
  if (!rule.reads_ratio_op) b.ratio_op = defaults.ratio_op;
  // A rounded logarithm has a rounded ratio, and a binary32 scale is one.
  const bool is_rounded = b.rule == ScaleRule::kRceilLog2f || (rule.reads_ratio_op && !is_power);
  if (is_rounded && b.ratio_op == RatioOp::kExact) b.ratio_op = RatioOp::kFp32Div;
  if (!rule.reads_even_carry) b.even_carry = defaults.even_carry;
  if (!is_power || !c.format.scale.has_nan()) b.scale_sat = defaults.scale_sat;
  if (is_power) b.scale_floor = defaults.scale_floor;
  if (!rule.reads_four_over_six) b.four_over_six = defaults.four_over_six;
  if (!rule.takes_every_block) {
    b.scale_rounding = defaults.scale_rounding;
    b.scale_overflow = defaults.scale_overflow;
  }
  if (rule.elements == RuleElements::kByRule && b.nan_scale_codes != NanScaleCodes::kAsComputed) {
    b.elem_scaling = defaults.elem_scaling;
  }
  b.dequant_overflow = defaults.dequant_overflow;
  c.element.e8m0_quirk = normal_quirk(config.element.e8m0_quirk, rule.quirk);
  normalize_special_blocks(b, defaults);
  return c;
}

}  // namespace mx::golden
