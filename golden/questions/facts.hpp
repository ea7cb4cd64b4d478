// SPDX-License-Identifier: Apache-2.0
// One format whole: what codes mean, and everything that follows from its descriptor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "golden/names/asking.hpp"
#include "golden/text/tree.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {

/// Fields and derived quantities: bits, bias, special codes, largest and smallest values.
[[nodiscard]] Tree facts_of(const ElementFormat& format);
/// The same of blocks.
[[nodiscard]] Tree facts_of(const BlockFormat& format);
/// The facts and, of up to 8 bits, the value of every code.
[[nodiscard]] Tree facts_with_codes(const ElementFormat& format);

/// "32", "1x16", "the axis".
[[nodiscard]] std::string shape_text(const BlockFormat& format);
/// Bits an element takes with its part of the block's scale as stored, exactly.
[[nodiscard]] std::string bits_per_element(const BlockFormat& format);

enum class Codes : std::uint8_t { kNone, kEach };

/// The facts of a format by name; of a block format also those of its element and its scale.
[[nodiscard]] Answer facts(std::string_view name, Codes codes, FormatCatalog& catalog,
                           Spelling spelling);

}  // namespace mx::golden
