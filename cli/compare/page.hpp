// docs/known-differences.md: where systems differ, from the comparison of their profiles.
#pragma once

#include <string>

#include "reference/catalog/catalog.hpp"

namespace mx::cli {

/// The page as Markdown: the same inputs under several systems, a table of who agrees with whom,
/// and for each system the smallest input for every setting that parts it from mxgold-default.
/// Compared are the conversions and blocks from fp32 to the formats of the table.
[[nodiscard]] std::string known_differences_page(FormatCatalog& catalog, int threads);

/// The first of its tables alone.
[[nodiscard]] std::string systems_table(FormatCatalog& catalog);

}  // namespace mx::cli
