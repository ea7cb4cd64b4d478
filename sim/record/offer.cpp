#include "sim/record/offer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "golden/configuration/text.hpp"
#include "golden/names/names.hpp"
#include "reference/casts/cast.hpp"
#include "reference/dot/model.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/fields.hpp"
#include "reference/policy/integer.hpp"
#include "reference/policy/operation.hpp"
#include "reference/unit/unit.hpp"

namespace mx::sim {

std::vector<std::string> Offer::values(const std::string& field) const {
  const auto found = configuration.find(field);
  return found == configuration.end() ? std::vector<std::string>() : found->second;
}

std::string operation_names() {
  std::string names;
  for (const Token<VectorOperation>& each : tokens<VectorOperation>()) {
    names += names.empty() ? "" : ", ";
    names += each.text;
  }
  return names;
}

namespace {

template <typename E>
std::vector<std::string_view> words() {
  std::vector<std::string_view> list;
  for (const Token<E>& each : tokens<E>()) list.push_back(each.text);
  return list;
}

/// What a field may be; none where it is no word of a list.
std::vector<std::string_view> words_of(golden::Operation operation, std::string_view field) {
  if (const PolicyField* const policy = find_policy_field(field)) return policy->values();
  const bool is_cast = operation == golden::Operation::kCast;
  if (field == "mode") return is_cast ? words<SystemMode>() : words<DotMode>();
  if (field == "platform") return words<Platform>();
  if (field == "operation") return words<ArithmeticOperation>();
  if (field == "integer") return words<IntegerType>();
  if (field == "out_of_range") return words<OutOfRange>();
  if (field != "unit") return {};
  std::vector<std::string_view> units;
  for (const MatrixUnit& unit : matrix_units()) units.push_back(unit.name);
  return units;
}

/// Names of formats that a field may have; none where it is no field of formats.
std::vector<std::string_view> formats_of(golden::Operation operation, std::string_view field) {
  constexpr std::string_view kOfBlocks[] = {"format", "a_format", "b_format"};
  constexpr std::string_view kOfElements[] = {"source",     "destination",  "format",
                                              "a_element",  "b_element",    "result",
                                              "acc_format", "addend_format"};
  std::vector<std::string_view> names;
  // What a cast calls a format is a text of its system.
  if (operation == golden::Operation::kCast) return names;
  if (std::ranges::find(kOfBlocks, field) != std::end(kOfBlocks)) {
    for (const BlockFormat& each : all_block_formats()) names.push_back(each.name);
  }
  if (std::ranges::find(kOfElements, field) != std::end(kOfElements)) {
    for (const ElementFormat& each : all_formats()) names.push_back(each.name);
  }
  return names;
}

}  // namespace

std::string known_word(golden::Operation operation, std::string_view field,
                       const std::string& value) {
  for (const std::vector<std::string_view>& known :
       {words_of(operation, field), formats_of(operation, field)}) {
    const std::string_view meant = golden::known_as(field, value, known);
    if (!meant.empty()) return std::string(meant);
  }
  return value;
}

std::string wrong_word(golden::Operation operation, std::string_view field,
                       std::string_view value) {
  const std::vector<std::string_view> known = words_of(operation, field);
  if (known.empty() || std::ranges::find(known, value) != known.end()) return {};
  return fmt::format("one of {}", fmt::join(known, ", "));
}

std::string refusal_of(const Offer& offer, const golden::Configuration& configuration) {
  const golden::ConfigurationFields fields = golden::fields_of(configuration);
  for (const auto& [name, values] : offer.configuration) {
    const auto found =
        std::ranges::find(fields, name, &golden::ConfigurationFields::value_type::first);
    if (found == fields.end()) {
      std::vector<std::string_view> known;
      for (const auto& each : fields) known.push_back(each.first);
      return fmt::format("configuration.{} is no field of {} records; theirs are {}", name,
                         token_of(offer.operation), fmt::join(known, ", "));
    }
    if (std::ranges::find(values, found->second) != values.end()) continue;
    return fmt::format("{} {}: the device does {} (configuration.{})", name, found->second,
                       fmt::join(values, ", "), name);
  }
  return {};
}

std::string refusal_of(const Offer& offer, const golden::VectorHeader& header) {
  if (header.op != offer.operation) {
    return fmt::format("records are of {}, the device does {}", token_of(header.op),
                       token_of(offer.operation));
  }
  if (offer.lanes != 0 && header.lanes != static_cast<int>(offer.lanes)) {
    return fmt::format("records have {} lanes, the device {} (lanes)", header.lanes, offer.lanes);
  }
  for (const golden::Configuration& each : header.configs) {
    const std::string why = refusal_of(offer, each);
    if (!why.empty()) return why;
  }
  return {};
}

std::string left_out(const Offer& offer, const golden::VectorHeader& header) {
  std::vector<std::string> parts;
  std::map<std::string, std::set<std::string>> asked;
  for (const golden::Configuration& each : header.configs) {
    for (const auto& [name, value] : golden::fields_of(each)) asked[name].insert(value);
  }
  for (const auto& [name, values] : offer.configuration) {
    std::vector<std::string> missing = values;
    const std::set<std::string>& present = asked[name];
    std::erase_if(missing, [&](const std::string& value) { return present.contains(value); });
    if (!missing.empty()) parts.push_back(fmt::format("{} {}", name, fmt::join(missing, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace mx::sim
