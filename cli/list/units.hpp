// `mxgold list units`: the matrix units that `mxgold mma` knows.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/options/format_book.hpp"
#include "golden/text/table.hpp"

namespace mx::cli {

/// A list of {name, devices, instructions, inputs, scales, results, sum, group, source, open}.
[[nodiscard]] nlohmann::ordered_json units_json(FormatBook& book);
[[nodiscard]] golden::ListTable units_table(FormatBook& book);

}  // namespace mx::cli
