// SPDX-License-Identifier: Apache-2.0
#include "golden/names/names.hpp"

#include <algorithm>
#include <optional>

#include "golden/text/filled.hpp"
#include "reference/catalog/aliases.hpp"
#include "reference/catalog/definitions.hpp"

namespace mx::golden {

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<int> before_last(columns);
  std::vector<int> last(columns);
  std::vector<int> row(columns);
  for (std::size_t j = 0; j < columns; ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j < columns; ++j) {
      const int change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string_view nearest_name(std::string_view given,
                              std::span<const std::string_view> candidates) {
  for (const std::string_view candidate : candidates) {
    if (folded(candidate) == folded(given)) return candidate;
  }
  const std::string_view here = name_here(given);
  if (std::ranges::find(candidates, here) != candidates.end()) return here;
  std::string_view best;
  // Half of the text may differ; beyond that a suggestion says nothing.
  int limit = std::max(2, static_cast<int>(std::min<std::size_t>(given.size(), 128)) / 2) + 1;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(given.substr(0, 256), candidate.substr(0, 256));
    if (distance < limit) {
      limit = distance;
      best = candidate;
    }
  }
  return best;
}

std::string_view known_as(std::string_view kind, std::string_view given,
                          std::span<const std::string_view> candidates) {
  if (const auto same = std::ranges::find(candidates, given); same != candidates.end()) {
    return *same;
  }
  const std::string spelt = folded(given);
  for (const std::string_view candidate : candidates) {
    if (folded(candidate) == spelt) return candidate;
  }
  std::vector<std::string_view> found;
  for (std::size_t i = 0;; ++i) {
    const std::string_view here = name_here(given, i);
    if (here.empty()) break;
    if (std::ranges::find(candidates, here) != candidates.end()) found.push_back(here);
  }
  if (found.size() < 2) return found.empty() ? std::string_view() : found.front();
  const std::string_view last = found.back();
  found.pop_back();
  throw Refusal(
      filled("{} {} may be {} or {}; say which", kind, printable(given), joined(found, ", "), last),
      Refusal::Kind::kName);
}

std::string unknown_name(std::string_view kind, std::string_view given,
                         std::span<const std::string_view> candidates) {
  const std::string_view nearest = nearest_name(given, candidates);
  std::string text = filled("unknown {} {}", kind, printable(given));
  if (!nearest.empty()) text += filled("; did you mean {}?", printable(nearest));
  // A long list helps only who got no suggestion.
  const std::size_t listed = nearest.empty() ? 128 : 24;
  if (candidates.size() <= listed) {
    text += filled("{}known: {}", nearest.empty() ? "; " : " ", joined(candidates, ", "));
  }
  return text;
}

std::string printable(std::string_view name) {
  std::string text = "'";
  for (const char c : name.substr(0, 200)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7E) {
      text += filled("\\x{:02X}", byte);
    } else {
      text += c;
    }
  }
  return text + (name.size() > 200 ? "...'" : "'");
}

void refuse_named_only(std::string_view name, Spelling spelling) {
  for (const NamedOnlyFormat& format : named_only_formats()) {
    if (format.name != name) continue;
    throw Refusal(filled("format '{}' is known by name only ({}; from {}): no text defines its "
                         "bits, so nothing here computes it{}",
                         name, format.what, format.source,
                         hint(spelling, "; mxgold list blocks shows those that are defined")),
                  Refusal::Kind::kFormat);
  }
}

namespace {

/// Of a name that is a definition and says no format.
void refuse_definition(std::string_view kind, std::string_view name, Spelling spelling) {
  if (!is_definition(name)) return;
  const std::string problem = definition_problem(name);
  const std::string shown = printable(problem);  // bytes of the user's made harmless, in quotes
  const bool is_plain = shown.size() == problem.size() + 2;
  throw Refusal(filled("{} {}: {}{}", kind, printable(name), is_plain ? problem : shown,
                       hint(spelling,
                            ". A list is split at its commas: there, name a format by "
                            "--define")),
                Refusal::Kind::kFormat);
}

/// The format that is called exactly so.
std::optional<FormatChoice> found_format(FormatCatalog& catalog, std::string_view name) {
  if (const BlockFormat* block = catalog.find_block(name)) {
    return FormatChoice{block->name, block, &block->element};
  }
  if (const ElementFormat* element = catalog.find(name)) {
    return FormatChoice{element->name, nullptr, element};
  }
  return std::nullopt;
}

}  // namespace

FormatChoice choose_format(FormatCatalog& catalog, std::string_view name, Spelling spelling) {
  if (const auto choice = found_format(catalog, name)) return *choice;
  refuse_definition("format", name, spelling);
  refuse_named_only(name, spelling);
  std::vector<std::string_view> known;
  for (const BlockFormat* format : catalog.defined_blocks()) known.push_back(format->name);
  for (const ElementFormat* format : catalog.defined()) known.push_back(format->name);
  for (const BlockFormat& format : all_block_formats()) known.push_back(format.name);
  for (const ElementFormat& format : all_formats()) known.push_back(format.name);
  if (const auto choice = found_format(catalog, known_as("format", name, known))) return *choice;
  throw Refusal(
      filled("{}{}", unknown_name("format", name, known),
             hint(spelling, "; mxgold list formats, families and blocks show what there is")),
      Refusal::Kind::kFormat);
}

const ElementFormat& choose_element(FormatCatalog& catalog, std::string_view kind,
                                    std::string_view name, Spelling spelling) {
  if (const ElementFormat* element = catalog.find(name)) return *element;
  if (catalog.find_block(name) != nullptr) {
    throw Refusal(
        filled("{} {}: a block format; an element format is needed here", kind, printable(name)),
        Refusal::Kind::kFormat);
  }
  refuse_definition(kind, name, spelling);
  refuse_named_only(name, spelling);
  std::vector<std::string_view> known;
  for (const ElementFormat* format : catalog.defined()) known.push_back(format->name);
  for (const ElementFormat& format : all_formats()) known.push_back(format.name);
  if (const ElementFormat* element = catalog.find(known_as(kind, name, known))) return *element;
  throw Refusal(filled("{}{}", unknown_name(kind, name, known),
                       hint(spelling, "; mxgold list formats and families show what there is")),
                Refusal::Kind::kFormat);
}

}  // namespace mx::golden
