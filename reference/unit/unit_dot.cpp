#include "reference/unit/unit_dot.hpp"

#include <algorithm>

#include "reference/unit/terms.hpp"

namespace mx {
namespace {

bool takes(std::span<const ElementFormat> inputs, const ElementFormat& format) {
  return std::ranges::find(inputs, format) != inputs.end();
}

std::string_view scale_problem(const MatrixUnit& unit, const UnitSide& side) {
  if (unit.scales.empty()) {
    return side.scale ? "this unit takes no scales" : std::string_view{};
  }
  if (!side.scale) return "this unit takes scales with its operands";
  const bool is_known = std::ranges::any_of(unit.scales, [&](const UnitScale& each) {
    return each.format == side.scale->format && each.block_size == side.scale->block_size;
  });
  return is_known ? std::string_view{} : "this unit takes no scales of such blocks";
}

bool same_scales(const UnitSide& a, const UnitSide& b) {
  if (!a.scale || !b.scale) return true;
  return a.scale->format == b.scale->format && a.scale->block_size == b.scale->block_size;
}

}  // namespace

std::string_view UnitDot::problem(const UnitConfig& config) {
  const MatrixUnit& unit = config.unit;
  if (!takes(unit.inputs, config.a.element) || !takes(unit.inputs, config.b.element)) {
    return "this unit does not multiply operands of these formats";
  }
  if (!unit.takes_mixed && config.a.element != config.b.element) {
    return "this unit multiplies operands of one format";
  }
  for (const UnitSide* side : {&config.a, &config.b}) {
    if (const std::string_view why = scale_problem(unit, *side); !why.empty()) return why;
  }
  if (!same_scales(config.a, config.b)) return "both sides need scales of the same blocks";
  if (config.result == formats::fp32) return {};
  const bool is_wide = config.a.element == formats::bf16 || config.a.element == formats::tf32;
  if (config.result == formats::fp16 && unit.has_fp16 && !is_wide) return {};
  return "this unit gives no results of this format for these operands";
}

std::string_view UnitDot::size_problem(const UnitConfig& config, std::size_t elements) {
  if (elements == 0) return "a dot product has at least one element";
  if (elements % whole_group(config.unit) != 0) {
    return "this unit's tree of sums takes whole groups of products";
  }
  return {};
}

std::size_t UnitDot::whole_group(const MatrixUnit& unit) {
  return unit.sum == UnitSum::kTree ? static_cast<std::size_t>(unit.group) : 1;
}

Checked<UnitDot> UnitDot::make(const UnitConfig& config) {
  if (const std::string_view why = problem(config); !why.empty()) {
    return Problem{std::string(why)};
  }
  return UnitDot(config);
}

std::uint64_t UnitDot::operator()(const DotOperand& a, const DotOperand& b, std::uint64_t c) const {
  switch (config_.unit.sum) {
    case UnitSum::kAligned:
      return unit::sum_aligned(config_, a, b, c);
    case UnitSum::kPairsThenC:
      return unit::sum_pairs_then_c(config_, a, b, c);
    case UnitSum::kScaledGroups:
      return unit::sum_scaled_groups(config_, a, b, c);
    case UnitSum::kExact:
      return unit::sum_exactly(config_, a, b, c);
    case UnitSum::kTree:
      return unit::sum_tree(config_, a, b, c);
    case UnitSum::kTwoStages:
    case UnitSum::kTwoStagesApart:
      break;
  }
  return unit::sum_in_two_stages(config_, a, b, c);
}

UnitMatch match(const MatrixUnit& unit, const ElementFormat& result, std::uint64_t want,
                std::uint64_t got) {
  const ValueClass one = decode(result, want).cls;
  // Open whatever the bits: that they are those of the reference says nothing about the unit.
  if (unit.open == UnitOpen::kNanAndZero && (one == ValueClass::kNan || one == ValueClass::kZero)) {
    return decode(result, got).cls == one ? UnitMatch::kOpen : UnitMatch::kDifferent;
  }
  return want == got ? UnitMatch::kEqual : UnitMatch::kDifferent;
}

namespace unit {

std::uint64_t nan_code(const UnitConfig& config) {
  return config.unit.nan == UnitNan::kAllOnes ? ones(config.result) : config.result.canonical_nan;
}

std::uint64_t special_code(const UnitConfig& config, const Terms& terms) {
  if (terms.is_nan()) return nan_code(config);
  return config.result.inf_code() | (terms.has_negative_inf ? config.result.sign_bit() : 0);
}

void add_product(const UnitConfig& config, const DotOperand& a, const DotOperand& b, std::size_t i,
                 std::optional<int> emin, Terms& terms) {
  const Unpacked x = decode(config.a.element, a.codes[i]);
  const Unpacked y = decode(config.b.element, b.codes[i]);
  const Unpacked product = multiply(x, y);
  switch (product.cls) {
    case ValueClass::kNan:
      terms.has_nan = true;
      return;
    case ValueClass::kInf:
      return terms.add_infinity(product.negative);
    case ValueClass::kZero:
      terms.has_zero = true;
      return;
    case ValueClass::kFinite:
      break;
  }
  const Term one = term_of(x, emin.value_or(config.a.element.emin()));
  const Term other = term_of(y, emin.value_or(config.b.element.emin()));
  terms.numbers.push_back({.negative = product.negative,
                           .magnitude = one.magnitude * other.magnitude,
                           .last = one.last + other.last,
                           .exponent = one.exponent + other.exponent});
}

void add_code(const ElementFormat& format, std::uint64_t code, Terms& terms) {
  const Unpacked x = decode(format, code);
  switch (x.cls) {
    case ValueClass::kNan:
      terms.has_nan = true;
      return;
    case ValueClass::kInf:
      return terms.add_infinity(x.negative);
    case ValueClass::kZero:
      terms.has_zero = true;
      return;
    case ValueClass::kFinite:
      terms.numbers.push_back(term_of(x, format.emin()));
      return;
  }
}

}  // namespace unit
}  // namespace mx
