#include "golden/answers/observed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace mx::golden {
namespace {

/// The fields that a device gives: results, then what passes through it.
std::vector<Field> given_fields(const RecordShape& shape) {
  std::vector<Field> fields;
  for (const FieldShape& each : shape.fields) {
    if (is_result(each.field)) fields.push_back(each.field);
  }
  for (const FieldShape& each : shape.fields) {
    if (is_passed_through(each.field)) fields.push_back(each.field);
  }
  return fields;
}

std::vector<std::string_view> names_of(std::span<const Field> fields) {
  std::vector<std::string_view> names;
  for (const Field field : fields) names.push_back(token_of(field));
  return names;
}

}  // namespace

Checked<Observed> Observed::make(std::span<const std::string> names, const RecordShape& shape) {
  const std::vector<Field> fields = given_fields(shape);
  Observed observed;
  if (names.size() == 1 && names.front() == "all") return observed;
  for (const Field field : fields) observed.hidden_[static_cast<std::size_t>(field)] = true;
  for (const std::string& name : names) {
    const auto field = std::ranges::find(fields, std::string_view(name), token_of<Field>);
    if (field == fields.end()) {
      return Problem{fmt::format("'{}' is no result field of these records; theirs are {}", name,
                                 fmt::join(names_of(fields), ", "))};
    }
    observed.hidden_[static_cast<std::size_t>(*field)] = false;
  }
  std::vector<Field> results = fields;
  std::erase_if(results, [](Field field) { return !is_result(field); });
  if (std::ranges::none_of(results, [&](Field field) { return observed.has(field); })) {
    return Problem{fmt::format("nothing is observed; the result fields of these records are {}",
                               fmt::join(names_of(results), ", "))};
  }
  return observed;
}

Observed Observed::all_but(std::span<const Field> hidden) {
  Observed observed;
  for (const Field field : hidden) observed.hidden_[static_cast<std::size_t>(field)] = true;
  return observed;
}

std::string Observed::text(const RecordShape& shape) const {
  std::vector<Field> seen = given_fields(shape);
  std::erase_if(seen, [this](Field field) { return !has(field); });
  return fmt::format("{}", fmt::join(names_of(seen), ","));
}

Observed Observed::operator&(const Observed& other) const {
  Observed both = *this;
  for (std::size_t f = 0; f < kFields; ++f) both.hidden_[f] = hidden_[f] || other.hidden_[f];
  return both;
}

}  // namespace mx::golden
