// docs/format-tables.md: the tables of formats, scales, blocks and policies, from the descriptor
// data.
#pragma once

#include <string>

namespace mx::cli {

/// The whole page.
[[nodiscard]] std::string formats_page();

}  // namespace mx::cli
