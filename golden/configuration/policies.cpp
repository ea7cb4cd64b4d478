#include "golden/configuration/policies.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "golden/text/filled.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/element/default_policy.hpp"

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

Policies default_policies(const Configuration& configuration) {
  Policies policies;
  if (const auto* const c = std::get_if<ConversionConfig>(&configuration.what)) {
    policies.element = default_policy(c->destination);
  } else if (const auto* const q = std::get_if<QuantizerConfig>(&configuration.what)) {
    policies.block.rule = q->format.rule;
  } else if (const auto* const a = std::get_if<ArithmeticCase>(&configuration.what)) {
    policies.element = Arithmetic::ieee(a->arithmetic.format).policy;
  }
  return policies;
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

std::string chosen_problem(Operation operation, std::string_view chosen) {
  if (chosen == kEveryPolicyDrawn && operation == Operation::kBlock) return {};
  std::set<std::string_view> names;
  while (!chosen.empty()) {
    const std::size_t comma = chosen.find(',');
    const std::string_view name = chosen.substr(0, comma);
    const PolicyField* const field = find_policy_field(name);
    const bool is_of_dot =
        operation == Operation::kDot && (name == "rounding" || name == "overflow");
    if (field == nullptr || !(is_of_dot || is_policy_of(operation, *field))) {
      return filled("chosen has \"{}\", which is no policy of op {}", name, token_of(operation));
    }
    if (!names.insert(name).second) return filled("chosen has {} twice", name);
    if (comma + 1 == chosen.size()) return "chosen ends with a comma";
    chosen = comma == std::string_view::npos ? std::string_view{} : chosen.substr(comma + 1);
  }
  return {};
}

}  // namespace mx::golden
