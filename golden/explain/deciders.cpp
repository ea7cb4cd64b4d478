#include "golden/explain/deciders.hpp"

#include <algorithm>
#include <string_view>

#include "golden/text/filled.hpp"
#include "reference/policy/fields.hpp"

namespace mx::golden {
namespace {

/// The names of policies, each with its token.
class Deciders {
 public:
  explicit Deciders(const QuantizerConfig& c) : policies_{c.element, c.block} {}

  void add(std::string_view field) {
    for (const PolicyField& each : policy_fields()) {
      if (each.name == field) list_.push_back(filled("{} {}", field, each.read(policies_)));
    }
  }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  Policies policies_;
  std::vector<std::string> list_;
};

bool has_number(const QuantizerConfig& c, std::span<const std::uint64_t> source) {
  return std::ranges::any_of(source, [&](std::uint64_t code) {
    return decode_flushed(c.source, c.element, code).cls == ValueClass::kFinite;
  });
}

/// Does the rounded maximum of an even rule leave the exponents of binary32?
bool carries_out(const QuantizerConfig& c, const ScaleTrace& trace) {
  const int e_max = c.format.rule_emax.value_or(c.format.element.emax());
  return facts_of(c.block.rule).reads_even_carry &&
         trace.unclamped - c.format.scale.bias + e_max > 127;
}

void add_of_rule(const QuantizerConfig& c, const ScaleTrace& trace, const BlockResult& result,
                 Deciders& deciders) {
  const ScaleRuleFacts& facts = facts_of(c.block.rule);
  const bool clamped = (result.flags & kBlockScaleClamped) != 0;
  if (facts.reads_ratio_op) deciders.add("ratio_op");
  if (facts.reads_ratio_op && c.element.e8m0_quirk != E8m0Quirk::kNone) deciders.add("e8m0_quirk");
  if (facts.reads_four_over_six) deciders.add("four_over_six");
  if (facts.takes_every_block) {
    deciders.add("scale_rounding");
    if (clamped) deciders.add("scale_overflow");
  } else if (is_power_rule(c.block.rule)) {
    const bool carried = carries_out(c, trace);
    if (carried) deciders.add("even_carry");
    const bool to_nan = carried && c.block.even_carry == EvenCarry::kToNan;
    if (clamped && !to_nan && trace.unclamped > 0) deciders.add("scale_sat");
  } else if (clamped && c.block.scale_floor != ScaleFloor::kNone) {
    deciders.add("scale_floor");
  }
}

}  // namespace

std::vector<std::string> scale_deciders(const QuantizerConfig& c, const ScaleTrace& trace,
                                        const BlockResult& result,
                                        std::span<const std::uint64_t> source) {
  Deciders deciders(c);
  const bool has_nan = (result.flags & kBlockHasNan) != 0;
  const bool has_inf = (result.flags & kBlockHasInf) != 0;
  const bool is_zero = (result.flags & kBlockZero) != 0;
  if (!facts_of(c.block.rule).takes_every_block) {
    if (is_zero && !has_nan && !has_inf && has_number(c, source)) deciders.add("src_daz_block");
    if (has_nan || (has_inf && c.block.amax_over == AmaxOver::kFiniteOnly)) {
      deciders.add("amax_over");
    }
    if (has_nan && c.block.amax_over == AmaxOver::kAll) {
      deciders.add("nan_block");
    } else if (trace.amax.cls == ValueClass::kInf) {
      deciders.add("inf_block");
    } else if (is_zero) {
      deciders.add("zero_block_scale");
    }
  }
  if (trace.rule_applied) add_of_rule(c, trace, result, deciders);
  return deciders.take();
}

std::string special_block_text(const QuantizerConfig& c, const ScaleTrace& trace,
                               const BlockResult& result) {
  if (facts_of(c.block.rule).takes_every_block) return "no number in the block: the scale is NaN";
  if ((result.flags & kBlockHasNan) != 0 && c.block.amax_over == AmaxOver::kAll) {
    return filled("a NaN in the block: nan_block {}, the scale is NaN",
                  token_of(c.block.nan_block));
  }
  if (trace.amax.cls == ValueClass::kInf) {
    return filled("an infinite maximum: inf_block {}", token_of(c.block.inf_block));
  }
  return filled("a block of zeros: zero_block_scale {}", token_of(c.block.zero_block_scale));
}

}  // namespace mx::golden
