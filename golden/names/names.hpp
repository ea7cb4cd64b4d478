// SPDX-License-Identifier: Apache-2.0
// Names that users type: unknown ones are answered with the nearest known one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/names/asking.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {

/// Insertions, deletions, substitutions and swaps of neighbours that turn one text into the other.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

/// The candidate that `given` spells otherwise or names as other systems do, else the nearest to
/// it, the first of equals; "" if none shares enough with it.
[[nodiscard]] std::string_view nearest_name(std::string_view given,
                                            std::span<const std::string_view> candidates);

/// The candidate that is meant: by its name in any spelling (case, dashes, underscores), or by what
/// other systems call it; "" for none. Refusal where others call several so: "fp8".
[[nodiscard]] std::string_view known_as(std::string_view kind, std::string_view given,
                                        std::span<const std::string_view> candidates);

/// "unknown KIND 'given'; did you mean 'x'? known: a, b, c".
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view given,
                                       std::span<const std::string_view> candidates);

/// A name as it can be printed: control characters and non-ASCII bytes as \xHH, in single quotes.
[[nodiscard]] std::string printable(std::string_view name);

/// What a name of a format means: a block format, or an element format alone.
struct FormatChoice {
  std::string_view name;
  const BlockFormat* block = nullptr;      ///< nullptr for an element format
  const ElementFormat* element = nullptr;  ///< always set
};

/// The format of a name, which lives as long as the catalog. Refusal with the nearest name if it is
/// unknown, with the reason if it is known by name only.
[[nodiscard]] FormatChoice choose_format(FormatCatalog& catalog, std::string_view name,
                                         Spelling spelling);
/// The same of single values; `kind` says what for: "source".
[[nodiscard]] const ElementFormat& choose_element(FormatCatalog& catalog, std::string_view kind,
                                                  std::string_view name, Spelling spelling);

/// Refusal for a format that is known by name only; returns for every other name.
void refuse_named_only(std::string_view name, Spelling spelling);

}  // namespace mx::golden
