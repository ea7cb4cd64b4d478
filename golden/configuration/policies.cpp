#include "golden/configuration/policies.hpp"

#include <algorithm>
#include <array>

namespace mx::golden {

std::optional<Policies> policies_of(const Configuration& configuration) {
  if (const auto* const c = std::get_if<ConversionConfig>(&configuration.what)) {
    return Policies{c->policy, {}};
  }
  if (const auto* const c = std::get_if<QuantizerConfig>(&configuration.what)) {
    return Policies{c->element, c->block};
  }
  if (const auto* const c = std::get_if<ArithmeticCase>(&configuration.what)) {
    return Policies{c->arithmetic.policy, {}};
  }
  if (const auto* const c = std::get_if<DequantizeCase>(&configuration.what)) {
    Policies policies;
    policies.element.rounding = c->how.rounding;
    policies.element.dst_ftz = c->how.dst_ftz;
    policies.block.dequant_overflow = c->overflow;
    policies.block.rule = c->rule;
    return policies;
  }
  return {};
}

Configuration with_policies(Configuration configuration, const Policies& policies) {
  if (auto* const c = std::get_if<ConversionConfig>(&configuration.what)) {
    c->policy = policies.element;
  } else if (auto* const q = std::get_if<QuantizerConfig>(&configuration.what)) {
    q->element = policies.element;
    q->block = policies.block;
  } else if (auto* const a = std::get_if<ArithmeticCase>(&configuration.what)) {
    a->arithmetic.policy = policies.element;
  } else if (auto* const d = std::get_if<DequantizeCase>(&configuration.what)) {
    d->how = {policies.element.rounding, policies.element.dst_ftz};
    d->overflow = policies.block.dequant_overflow;
    d->rule = policies.block.rule;
  }
  return configuration;
}

bool is_policy_of(Operation operation, const PolicyField& field) {
  if (operation == Operation::kBlock) return true;
  if (operation == Operation::kDequantize) {
    constexpr std::array<std::string_view, 4> kHas = {"rounding", "dst_ftz", "dequant_overflow",
                                                      "rule"};
    return std::ranges::find(kHas, field.name) != kHas.end();
  }
  const bool has_elements = operation == Operation::kCvt || operation == Operation::kArith;
  return has_elements && field.scope == FieldScope::kElement;
}

}  // namespace mx::golden
