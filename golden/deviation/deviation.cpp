// SPDX-License-Identifier: Apache-2.0
#include "golden/deviation/deviation.hpp"

namespace mx::golden {

std::vector<Deviation> deviations_from(const PolicyField& field, const std::string& from) {
  std::vector<std::string> values;
  for (const std::string_view value : field.values()) values.emplace_back(value);
  if (values.empty()) {  // random_bits
    for (int n = 1; n <= 32; ++n) values.push_back(std::to_string(n));
  }
  std::vector<Deviation> found;
  for (const std::string& to : values) {
    if (to != from) found.push_back({std::string(field.name), from, to});
  }
  return found;
}

bool apply(const Deviation& deviation, Policies& policies) {
  const PolicyField* const field = find_policy_field(deviation.field);
  if (field == nullptr) return false;
  const std::string now = field->read(policies);
  if (now == deviation.to || (!deviation.from.empty() && now != deviation.from)) return false;
  return field->write(policies, deviation.to);
}

}  // namespace mx::golden
