// mxgold identify over dequantized blocks: which rounding, flush, overflow and rule gave the
// values.
#pragma once

#include <string>

#include "cli/base/error.hpp"

namespace mx::cli {

/// Prints every policy set that gives all values of the file, or how near the nearest come. kPass
/// where one explains everything, kBadInput where nothing was compared.
[[nodiscard]] Exit identify_values(const std::string& path, bool is_json);

}  // namespace mx::cli
