// `mxgold list units`: the matrix units that `mxgold mma` knows.
#pragma once

#include "cli/options/format_book.hpp"
#include "golden/text/table.hpp"
#include "golden/text/tree.hpp"

namespace mx::cli {

/// A list of {name, devices, instructions, inputs, scales, results, sum, group, source, open}.
[[nodiscard]] golden::Tree units_json(FormatBook& book);
[[nodiscard]] golden::ListTable units_table(FormatBook& book);

}  // namespace mx::cli
