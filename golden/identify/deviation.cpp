#include "golden/identify/deviation.hpp"

#include <array>
#include <optional>
#include <span>
#include <utility>

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

/// Every field of the surface with every other value, legal or not.
std::vector<Deviation> all_deviations(const Surface& surface, const Policies& policies) {
  std::vector<Deviation> all;
  for (const PolicyField& field : policy_fields()) {
    if (!surface.is_block && field.scope != FieldScope::kElement) continue;
    for (Deviation& each : deviations_from(field, field.read(policies))) {
      all.push_back(std::move(each));
    }
  }
  return all;
}

/// The subject with policies changed.
Subject with(const Surface& surface, Subject subject, std::span<const Deviation> deviations) {
  Policies policies = policies_of(surface, subject);
  for (const Deviation& each : deviations) apply(each, policies);
  put_policies(surface, policies, subject);
  return subject;
}

}  // namespace

bool draws_random(const Surface& surface, const Subject& subject) {
  const Policies p = policies_of(surface, subject);
  return is_stochastic(p.element.rounding) || (surface.is_block && facts_of(p.block.rule).draws);
}

std::vector<DeviatingSubject> deviations(const Surface& surface, const Subject& subject) {
  std::vector<DeviatingSubject> found;
  const Subject base = normalized(surface, subject);
  for (const Deviation& each : all_deviations(surface, policies_of(surface, subject))) {
    Subject other = with(surface, subject, {&each, 1});
    if (!is_legal(surface, other)) continue;
    if (same_normalized(surface, base, normalized(surface, other))) continue;
    found.push_back({{each}, std::move(other)});
  }
  return found;
}

std::vector<DeviatingSubject> deviation_pairs(const Surface& surface, const Subject& subject) {
  const std::vector<Deviation> all = all_deviations(surface, policies_of(surface, subject));
  // What each does alone, where it is legal.
  std::vector<std::optional<Subject>> alone;
  for (const Deviation& each : all) {
    const Subject other = with(surface, subject, {&each, 1});
    alone.emplace_back();
    if (is_legal(surface, other)) alone.back() = normalized(surface, other);
  }
  const auto is_alone = [&](std::size_t i, const Subject& both) {
    return alone[i] && same_normalized(surface, *alone[i], both);
  };
  std::vector<DeviatingSubject> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (all[j].field <= all[i].field) continue;  // each two once
      const std::array both = {all[i], all[j]};
      Subject other = with(surface, subject, both);
      if (!is_legal(surface, other)) continue;
      const Subject wanted = normalized(surface, other);
      if (is_alone(i, wanted) || is_alone(j, wanted)) continue;
      found.push_back({{both[0], both[1]}, std::move(other)});
    }
  }
  return found;
}

}  // namespace mx::golden
