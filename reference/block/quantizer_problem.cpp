// Which configurations of blocks make sense: spec F11.1 and the rules' own formats.
#include <string>
#include <utility>

#include "reference/block/back.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/block/rules.hpp"
#include "reference/block/scaling.hpp"

namespace mx {
namespace {

/// Is every finite value of the format a binary32 number?
bool fits_fp32(const ElementFormat& f) {
  if (f.is_fixed()) return f.bits - (f.is_signed ? 1 : 0) <= 24 && f.frac_bits <= 100;
  if (f.kind == FormatKind::kTapered) return true;
  return f.man_bits <= 23 && f.emax() <= 127 && f.emin() - f.man_bits >= -149;
}

/// Does anything in the configuration compute in binary32?
bool uses_fp32(const QuantizerConfig& c) {
  const ScaleRuleFacts& rule = facts_of(c.block.rule);
  return rule.needs_fp32 || c.block.elem_scaling != ElemScaling::kExact ||
         (rule.reads_ratio_op && c.block.ratio_op != RatioOp::kExact);
}

/// Are element codes taken by their errors?
bool searches_elements(const QuantizerConfig& c) {
  return c.block.rule == ScaleRule::kNvfp4Ggml ||
         (c.block.elem_scaling == ElemScaling::kSearchFp32 &&
          facts_of(c.block.rule).elements == RuleElements::kByPolicy);
}

std::string_view power_rule_problem(const QuantizerConfig& c) {
  const ScaleFormat& scale = c.format.scale;
  const ElementFormat& element = c.format.element;
  if (scale.kind != FormatKind::kFloat || scale.man_bits != 0 || scale.is_signed) {
    return "the rule gives powers of two: it needs an exponent-only scale format";
  }
  if (facts_of(c.block.rule).draws && element.rule_man_bits() > 23) {
    return "stoch_exp needs an element significand within binary32's";
  }
  return {};
}

std::string_view ratio_problem(const QuantizerConfig& c) {
  const ElementFormat& element = c.format.element;
  const bool half =
      c.block.ratio_op == RatioOp::kHalfRcpMul && facts_of(c.block.rule).reads_ratio_op;
  if (half && !((c.source == formats::fp16 || c.source == formats::bf16) &&
                (element == formats::e4m3fn || element == formats::e5m2))) {
    return "half_rcp_mul has constants for fp16 and bf16 sources, e4m3fn and e5m2 elements only";
  }
  return {};
}

std::string_view nvfp4_problem(const QuantizerConfig& c) {
  if (c.format.element != formats::e2m1fn || c.format.scale != formats::ue4m3) {
    return "the rule is defined for e2m1fn elements under ue4m3 scales";
  }
  if (facts_of(c.block.rule).reads_four_over_six && c.format.extent != BlockExtent::kElements) {
    return "nvfp4_4over6 compares errors over blocks of a fixed size";
  }
  if (facts_of(c.block.rule).reads_four_over_six && c.element.rounding != Rounding::kTiesToEven) {
    return "nvfp4_4over6 rounds ties_to_even only";
  }
  return {};
}

std::string_view hif4_problem(const QuantizerConfig& c) {
  const BlockFormat& f = c.format;
  const bool fits = f.scale == formats::ue6m2 && f.block_size == 64 && f.tile_lines == 1 &&
                    f.sublevels == std::array{8, 4} &&
                    f.element.kind == FormatKind::kSignMagnitude && f.element.bits == 4 &&
                    f.element.frac_bits == 2;
  return fits ? std::string_view{} : "hif4 is defined for blocks like hifx4";
}

std::string_view integer_problem(const QuantizerConfig& c) {
  const ElementFormat& element = c.format.element;
  if (!element.is_fixed() || element.frac_bits != 0) {
    return "the rule needs integer elements without fraction bits";
  }
  if (c.source.man_bits + 1 + element.bits > 64) return "the source is too wide for the rule";
  return {};
}

std::string_view rule_problem(const QuantizerConfig& c) {
  const ScaleFormat& scale = c.format.scale;
  switch (facts_of(c.block.rule).formats) {
    case RuleFormats::kExponentScale:
      return power_rule_problem(c);
    case RuleFormats::kAnyScale:
      return {};
    case RuleFormats::kFloatScale:
      if (scale.kind == FormatKind::kFloat) return {};
      return "the rule needs a float scale format";
    case RuleFormats::kFp32Scale:
      if (scale == formats::fp32) return {};
      return "the rule gives an fp32 scale";
    case RuleFormats::kNvfp4:
      return nvfp4_problem(c);
    case RuleFormats::kHifx4:
      return hif4_problem(c);
    case RuleFormats::kIntegerElements:
      return integer_problem(c);
  }
  return {};
}

std::string_view shape_problem(const BlockFormat& f) {
  if (f.block_size < 1 || f.block_size > 1024) return "the block size lies outside 1..1024";
  if (f.tile_lines < 1 || f.tile_lines > 1024) return "the lines of a tile lie outside 1..1024";
  if (f.scale_bits() > 64) return "a scale with its sublevels needs more than 64 bits";
  const bool has_sublevels = f.sublevels[0] != 0 || f.sublevels[1] != 0;
  if (has_sublevels && facts_of(f.rule).formats != RuleFormats::kHifx4)
    return "only hif4 defines sublevels";
  if (has_sublevels && f.extent != BlockExtent::kElements)
    return "sublevels need blocks of a fixed size";
  if (f.cut_from != 0 && (f.element.kind != FormatKind::kSignMagnitude ||
                          f.cut_from <= f.element.bits || f.cut_from > 16)) {
    return "only sign-magnitude elements can be cut from wider ones";
  }
  return {};
}

/// Is it the format's own rule that does not fit?
bool lacks_rule(const QuantizerConfig& c) {
  const std::string_view reason = rule_problem(c);
  return c.block.rule == c.format.rule && !reason.empty() && reason == Quantizer::problem(c);
}

bool is_positive_fp32(std::uint32_t bits) { return bits < 0x7F800000; }

}  // namespace

Checked<Quantizer> Quantizer::make(const QuantizerConfig& config) {
  if (std::string reason = refusal(config); !reason.empty()) return Problem{std::move(reason)};
  return Quantizer(config);
}

std::string Quantizer::refusal(const QuantizerConfig& c) {
  std::string reason(problem(c));
  if (!lacks_rule(c)) return reason;
  std::string rules;
  for (const Token<ScaleRule>& token : tokens<ScaleRule>()) {
    QuantizerConfig with = c;
    with.block.rule = token.value;
    if (!problem(with).empty()) continue;
    rules.append(rules.empty() ? "" : ", ").append(token.text);
  }
  return reason + "; to quantize, name one that fits the scale: " + rules;
}

QuantizerConfig for_way_back(QuantizerConfig config) {
  if (lacks_rule(config)) config.block.rule = ScaleRule::kMaxabsFinite;
  return config;
}

std::string_view Quantizer::problem(const QuantizerConfig& c) {
  for (const ElementFormat* format : {&c.source, &c.format.element, &c.format.scale}) {
    if (const std::string_view reason = invalid_reason(*format); !reason.empty()) return reason;
  }
  if (const std::string_view reason = shape_problem(c.format); !reason.empty()) return reason;
  if (c.format.element.rule_man_bits() > 62) return "the element significand is wider than 62 bits";
  if (const std::string_view reason = problem_of(c.element); !reason.empty()) return reason;
  if (const std::string_view reason = rule_problem(c); !reason.empty()) return reason;
  if (const std::string_view reason = ratio_problem(c); !reason.empty()) return reason;
  if (uses_fp32(c) && !fits_fp32(c.source)) {
    return "binary32 arithmetic needs a binary32 or narrower source";
  }
  if (searches_elements(c) && c.element.staging != Staging::kNone) {
    return "a search takes codes by their errors and rounds nothing: staging must be none";
  }
  if (c.block.elem_scaling != ElemScaling::kExact && !fits_fp32(c.format.scale)) {
    return "binary32 arithmetic needs a scale format within binary32's range";
  }
  if (!is_positive_fp32(c.tensor.amax) || !is_positive_fp32(c.tensor.scale)) {
    return "the tensor level is not made of finite, non-negative binary32 patterns";
  }
  if (c.tensor.scale == 0 && !facts_of(c.block.rule).takes_zero_tensor_scale) {
    return "the tensor scale is zero";
  }
  return {};
}

}  // namespace mx
