// SPDX-License-Identifier: Apache-2.0
#include "golden/configuration/idle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "golden/configuration/overloaded.hpp"
#include "reference/policy/scale_rule.hpp"

namespace mx::golden {
namespace {

bool has_level(const BlockFormat& format, ScaleRule rule) {
  return format.tensor_scale != TensorScale::kNone || facts_of(rule).tensor != RuleTensor::kNone;
}

std::string no_level(const BlockFormat& format) {
  return fmt::format("{} has no scale of the tensor", format.name);
}

std::string reason_of(const DotCase& c, std::string_view field) {
  for (const auto& [name, format] : {std::pair{"a_stored_tensor_scale", &c.dot.a},
                                     std::pair{"b_stored_tensor_scale", &c.dot.b}}) {
    if (field == name && format->tensor_scale == TensorScale::kNone) return no_level(*format);
  }
  if (field.starts_with("acc_") && c.dot.mode != DotMode::kAccumulator) {
    return fmt::format("mode={} has no accumulator", token_of(c.dot.mode));
  }
  const bool is_of_addend = field == "addend_format" || field == "addend_format_definition";
  return is_of_addend && c.addend == Addend::kAbsent ? "there is no addend" : "";
}

/// The same operation as it is before anything is said of it.
Configuration plain_of(const Configuration& configuration) {
  return {std::visit([](const auto& what) -> Computation { return std::decay_t<decltype(what)>{}; },
                     configuration.what),
          {}};
}

}  // namespace

std::string idle_reason(const Configuration& configuration, std::string_view field) {
  const auto of_level = [&](const BlockFormat& format, ScaleRule rule) {
    const bool is_level = field == "tensor_amax" || field == "stored_tensor_scale";
    return is_level && !has_level(format, rule) ? no_level(format) : "";
  };
  return std::visit(
      Overloaded{[&](const QuantizerConfig& c) { return of_level(c.format, c.block.rule); },
                 [&](const DequantizeCase& c) { return of_level(c.format, c.rule); },
                 [&](const DotCase& c) { return reason_of(c, field); },
                 [](const auto&) { return std::string(); }},
      configuration.what);
}

std::optional<FieldProblem> idle_field(const Configuration& configuration) {
  std::optional<ConfigurationFields> usual;  // made where something is idle
  for (const auto& [field, value] : fields_of(configuration)) {
    const std::string reason = idle_reason(configuration, field);
    if (reason.empty()) continue;
    if (!usual) usual = fields_of(plain_of(configuration));
    const auto found = std::ranges::find(*usual, field, &ConfigurationFields::value_type::first);
    if (found == usual->end() || found->second == value) continue;
    return FieldProblem{field, fmt::format("is \"{}\", expected {}, since nothing reads it: {}",
                                           value, found->second, reason)};
  }
  return std::nullopt;
}

}  // namespace mx::golden
