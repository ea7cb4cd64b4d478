// Listings of formats: elements, scales, families, blocks, and one format whole.
#pragma once

#include <string_view>

#include "cli/options/format_book.hpp"
#include "golden/text/table.hpp"
#include "golden/text/tree.hpp"

namespace mx::cli {

/// Element formats of the table and what the book defines, every derived quantity beside them.
[[nodiscard]] golden::ListTable formats_table(FormatBook& book);
[[nodiscard]] golden::Tree formats_json(FormatBook& book);

/// The grammar of reference/catalog/catalog.hpp with examples.
struct FormatFamily {
  std::string_view pattern;
  std::string_view meaning;
  std::string_view ranges;
  std::string_view examples;  ///< names separated by spaces
};
[[nodiscard]] std::span<const FormatFamily> format_families();
[[nodiscard]] golden::ListTable families_table(FormatBook& book);
[[nodiscard]] golden::Tree families_json(FormatBook& book);

/// The formats that blocks use as scales.
[[nodiscard]] golden::ListTable scales_table(FormatBook& book);
[[nodiscard]] golden::Tree scales_json(FormatBook& book);

/// Block formats with a procedure, definitions among them, then those known by name only.
[[nodiscard]] golden::ListTable blocks_table(FormatBook& book);
[[nodiscard]] golden::Tree blocks_json(FormatBook& book);

}  // namespace mx::cli
