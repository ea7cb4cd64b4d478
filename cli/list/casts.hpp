// Listing the casts of the emulated systems, and one of them whole.
#pragma once

#include <string>

#include "cli/options/format_book.hpp"
#include "golden/text/table.hpp"
#include "golden/text/tree.hpp"

namespace mx::cli {

/// Casts by their texts: how each writes itself and what it must be given.
[[nodiscard]] golden::ListTable casts_table(FormatBook& book);
[[nodiscard]] golden::Tree casts_json(FormatBook& book);

/// One cast whole: canonical text, operands, whether it draws random words, and the properties that
/// its system tells. Exit 2 where either mode refuses the text.
[[nodiscard]] golden::Tree one_cast_json(const std::string& text);

}  // namespace mx::cli
