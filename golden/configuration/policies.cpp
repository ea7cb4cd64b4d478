#include "golden/configuration/policies.hpp"

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
  }
  return configuration;
}

bool is_policy_of(Operation operation, const PolicyField& field) {
  if (operation == Operation::kBlock) return true;
  const bool has_elements = operation == Operation::kCvt || operation == Operation::kArith;
  return has_elements && field.scope == FieldScope::kElement;
}

}  // namespace mx::golden
