// SPDX-License-Identifier: Apache-2.0
#include "reference/catalog/definitions.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "reference/catalog/block_fields.hpp"
#include "reference/catalog/fields.hpp"

namespace mx {
namespace {

using Fields = std::vector<std::pair<std::string_view, std::string>>;
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// Sets the fields of a draft and finishes it; the first problem.
template <typename Draft, typename Format>
std::optional<FormatProblem> finish(Draft& draft, const Pairs& pairs, Format& format) {
  for (const auto& [field, value] : pairs) {
    if (field == "name") {
      return FormatProblem{field, value, "a format that is given by its fields has no other name",
                           "leave it out"};
    }
    if (auto problem = draft.set(field, value)) return problem;
  }
  return draft.finish(format);
}

template <typename Draft, typename Format>
Checked<Format> read(Draft draft, std::string_view definition) {
  Pairs pairs;
  Format format;
  auto problem = split_pairs(without_parentheses(definition), pairs);
  if (!problem) problem = finish(draft, pairs, format);
  if (problem) return Problem{problem->text()};
  return format;
}

/// Fields as a definition.
std::string joined(const Fields& fields) {
  std::string text;
  for (const auto& [field, value] : fields) {
    if (!text.empty()) text += ',';
    text.append(field) += '=';
    text += is_definition(value) ? '(' + value + ')' : value;
  }
  return text;
}

/// The fields that have to be said: one after the other is left out where the rest says the same.
template <typename Says>
Fields fewest(Fields fields, const Says& says) {
  for (std::size_t i = 0; i < fields.size();) {
    Fields fewer = fields;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (says(fewer)) {
      fields = std::move(fewer);
    } else {
      ++i;
    }
  }
  return fields;
}

bool says(const Fields& fields, const ElementFormat& format) {
  FormatDraft draft;
  for (const auto& [field, value] : fields) {
    if (draft.set(field, value)) return false;
  }
  ElementFormat read;
  return !draft.fill(read) && read == format;
}

bool says(const Fields& fields, const BlockFormat& format) {
  FormatCatalog catalog;
  BlockDraft draft(catalog);
  for (const auto& [field, value] : fields) {
    if (draft.set(field, value)) return false;
  }
  BlockFormat read;
  return !draft.finish(read) && read == format;
}

/// A block of a whole axis or tensor has no size: that of the default stands there.
BlockFormat sized(const BlockFormat& format) {
  BlockFormat result = format;
  if (format.extent != BlockExtent::kElements) result.block_size = BlockFormat{}.block_size;
  return result;
}

}  // namespace

bool defines_blocks(std::string_view definition) {
  Pairs pairs;
  if (split_pairs(without_parentheses(definition), pairs)) return false;
  return std::ranges::any_of(pairs, [](const auto& pair) { return pair.first == "element"; });
}

Checked<ElementFormat> read_format(std::string_view definition) {
  return read<FormatDraft, ElementFormat>({}, definition);
}

Checked<BlockFormat> read_block(FormatCatalog& catalog, std::string_view definition) {
  return read<BlockDraft, BlockFormat>(BlockDraft(catalog), definition);
}

std::string definition_problem(std::string_view definition) {
  FormatCatalog catalog;
  return std::string(defines_blocks(definition) ? read_block(catalog, definition).problem()
                                                : read_format(definition).problem());
}

std::string canonical_name(const ElementFormat& format) {
  const auto rows = all_formats();
  const auto row = std::ranges::find(rows, format);
  if (row != rows.end()) return std::string(row->name);
  if (std::string name = family_name(format); !name.empty()) return name;
  return joined(
      fewest(describe_format(format), [&](const Fields& fields) { return says(fields, format); }));
}

std::string canonical_name(const BlockFormat& given) {
  const BlockFormat format = sized(given);
  const auto rows = all_block_formats();
  const auto row = std::ranges::find(rows, format, sized);
  if (row != rows.end()) return std::string(row->name);
  const std::string element = canonical_name(format.element), scale = canonical_name(format.scale);
  BlockFormat named = format;
  named.element.name = element;
  named.scale.name = scale;
  return joined(
      fewest(describe_block(named), [&](const Fields& fields) { return says(fields, format); }));
}

}  // namespace mx
