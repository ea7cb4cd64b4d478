#include "golden/answers/observed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace mx::golden {
namespace {

std::vector<Field> results_of(const RecordShape& shape) {
  std::vector<Field> fields;
  for (const FieldShape& each : shape.fields) {
    if (is_result(each.field)) fields.push_back(each.field);
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
  const std::vector<Field> results = results_of(shape);
  Observed observed;
  if (names.size() == 1 && names.front() == "all") return observed;
  for (const Field field : results) observed.hidden_[static_cast<std::size_t>(field)] = true;
  for (const std::string& name : names) {
    const auto field = std::ranges::find(results, std::string_view(name), token_of<Field>);
    if (field == results.end()) {
      return Problem{fmt::format("'{}' is no result field of these records; theirs are {}", name,
                                 fmt::join(names_of(results), ", "))};
    }
    observed.hidden_[static_cast<std::size_t>(*field)] = false;
  }
  if (observed.text(shape).empty()) {
    return Problem{fmt::format("nothing is observed; the result fields of these records are {}",
                               fmt::join(names_of(results), ", "))};
  }
  return observed;
}

std::string Observed::text(const RecordShape& shape) const {
  std::vector<Field> seen = results_of(shape);
  std::erase_if(seen, [this](Field field) { return !has(field); });
  return fmt::format("{}", fmt::join(names_of(seen), ","));
}

}  // namespace mx::golden
