#include "golden/configuration/judged_by.hpp"

#include <algorithm>

#include "golden/configuration/policies.hpp"

namespace mx::golden {
namespace {

bool has_profiles(Operation operation) {
  return operation == Operation::kCvt || operation == Operation::kBlock ||
         operation == Operation::kDequantize;
}

/// Texts in the order in which they come, each once.
class Distinct {
 public:
  void add(const std::string& text) {
    if (std::ranges::find(texts_, text) == texts_.end()) texts_.push_back(text);
  }
  [[nodiscard]] std::string joined(std::string_view between) const {
    std::string text;
    for (const std::string& each : texts_) {
      if (!text.empty()) text += between;
      text += each;
    }
    return text;
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace

std::string JudgedBy::policies_text() const {
  std::string text;
  for (const auto& [name, value] : policies) {
    if (!text.empty()) text += ", ";
    text.append(name).append(" ").append(value);
  }
  return text;
}

std::string JudgedBy::text() const {
  const std::string others = policies_text();
  if (profile.empty()) return others.empty() ? others : "policies " + others;
  return "profile " + profile + (others.empty() ? others : " with " + others);
}

JudgedBy judged_by(std::span<const Configuration> configs) {
  JudgedBy judged;
  Distinct profiles;
  for (const Configuration& each : configs) {
    const bool is_named = has_profiles(each.operation()) || each.origin.profile != Origin().profile;
    if (is_named) profiles.add(each.origin.profile);
  }
  judged.profile = profiles.joined(", ");
  for (const PolicyField& field : policy_fields()) {
    if (field.name == "rounding" || field.name == "rule" || field.name == "random_bits") continue;
    Distinct values;
    bool is_usual = true;
    for (const Configuration& each : configs) {
      const std::optional<Policies> policies = policies_of(each);
      if (!policies || !is_policy_of(each.operation(), field)) continue;
      const std::string value = field.read(*policies);
      is_usual = is_usual && value == field.read(default_policies(each));
      values.add(value);
    }
    if (!is_usual) judged.policies.emplace_back(field.name, values.joined("|"));
  }
  return judged;
}

}  // namespace mx::golden
