// Listings of formats: elements, scales, families, blocks, and one format whole.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "cli/options/format_book.hpp"
#include "golden/text/table.hpp"

namespace mx::cli {

/// Element formats of the table and what the book defines, every derived quantity beside them.
[[nodiscard]] golden::ListTable formats_table(FormatBook& book);
[[nodiscard]] nlohmann::ordered_json formats_json(FormatBook& book);

/// The grammar of reference/catalog/catalog.hpp with examples.
struct FormatFamily {
  std::string_view pattern;
  std::string_view meaning;
  std::string_view ranges;
  std::string_view examples;  ///< names separated by spaces
};
[[nodiscard]] std::span<const FormatFamily> format_families();
[[nodiscard]] golden::ListTable families_table(FormatBook& book);
[[nodiscard]] nlohmann::ordered_json families_json(FormatBook& book);

/// The formats that blocks use as scales.
[[nodiscard]] golden::ListTable scales_table(FormatBook& book);
[[nodiscard]] nlohmann::ordered_json scales_json(FormatBook& book);

/// Block formats with a procedure, definitions among them, then those known by name only.
[[nodiscard]] golden::ListTable blocks_table(FormatBook& book);
[[nodiscard]] nlohmann::ordered_json blocks_json(FormatBook& book);

/// One format whole: fields, derived quantities and, up to 8 bits, the value of every code.
[[nodiscard]] nlohmann::ordered_json one_format_json(const ElementFormat& format);
/// One block format whole.
[[nodiscard]] nlohmann::ordered_json one_block_json(const BlockFormat& format);
/// The same as text.
[[nodiscard]] std::string one_format_text(const nlohmann::ordered_json& json);

}  // namespace mx::cli
