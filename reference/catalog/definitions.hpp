// SPDX-License-Identifier: Apache-2.0
// Formats whose name is their definition: "exp_bits=3,man_bits=4,bias=5". The fields are those of
// --define (fields.hpp, block_fields.hpp) but for a name; a block format has a field `element`, and
// a definition within one stands in parentheses:
//
//   element=(exp_bits=2,man_bits=2),scale=e8m0,block_size=16
//
// Every format has one canonical name: a row's of the table where its facts are a row's, else a
// family's, else the fewest fields that say it, in their order.
#pragma once

#include <string>
#include <string_view>

#include "reference/catalog/catalog.hpp"
#include "reference/policy/checked.hpp"

namespace mx {

/// Is a name made of fields? No other name has an '='.
[[nodiscard]] constexpr bool is_definition(std::string_view name) {
  return name.find('=') != std::string_view::npos;
}

/// Of which kind a definition is, well formed or not.
[[nodiscard]] bool defines_blocks(std::string_view definition);

/// The format of a definition, its name left empty. The problem names the field, its value, what is
/// wrong and what to do.
[[nodiscard]] Checked<ElementFormat> read_format(std::string_view definition);
/// The same of blocks; `catalog` keeps the names of element and scale.
[[nodiscard]] Checked<BlockFormat> read_block(FormatCatalog& catalog, std::string_view definition);

/// Why a definition is none; "" where it is one.
[[nodiscard]] std::string definition_problem(std::string_view definition);

/// The canonical name of a format.
[[nodiscard]] std::string canonical_name(const ElementFormat& format);
/// The same of a block format that fields can say (describe_block).
[[nodiscard]] std::string canonical_name(const BlockFormat& format);

}  // namespace mx
