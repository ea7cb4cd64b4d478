#include "golden/identify/deviation.hpp"

#include <string_view>

#include "reference/policy/fields.hpp"

namespace mx::golden {
namespace {

Policies policies_of(const Surface& surface, const Subject& subject) {
  if (surface.is_block) return {subject.block.config.element, subject.block.config.block};
  return {.element = subject.element.conversion.policy, .block = {}};
}

void put_policies(const Surface& surface, const Policies& policies, Subject& subject) {
  if (surface.is_block) {
    subject.block.config.element = policies.element;
    subject.block.config.block = policies.block;
  } else {
    subject.element.conversion.policy = policies.element;
  }
}

bool is_legal(const Surface& surface, const Subject& subject) {
  return !surface.is_block || Quantizer::problem(subject.block.config).empty();
}

std::vector<std::string> values_of(const PolicyField& field) {
  std::vector<std::string> values;
  for (const std::string_view value : field.values()) values.emplace_back(value);
  if (values.empty()) {  // random_bits
    for (int n = 1; n <= 32; ++n) values.push_back(std::to_string(n));
  }
  return values;
}

}  // namespace

bool draws_random(const Surface& surface, const Subject& subject) {
  const Policies p = policies_of(surface, subject);
  return is_stochastic(p.element.rounding) || (surface.is_block && facts_of(p.block.rule).draws);
}

std::vector<Deviation> deviations(const Surface& surface, const Subject& subject) {
  std::vector<Deviation> found;
  const Policies original = policies_of(surface, subject);
  for (const PolicyField& field : policy_fields()) {
    if (!surface.is_block && field.scope != FieldScope::kElement) continue;
    const std::string from = field.read(original);
    for (const std::string& to : values_of(field)) {
      if (to == from) continue;
      Policies changed = original;
      (void)field.write(changed, to);
      Subject other = subject;
      put_policies(surface, changed, other);
      if (!is_legal(surface, other) || same_by_definition(surface, subject, other)) continue;
      found.push_back({{std::string(field.name), from, to}, other});
    }
  }
  return found;
}

}  // namespace mx::golden
