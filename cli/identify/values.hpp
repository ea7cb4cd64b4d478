// mxgold identify over dequantized blocks: which rounding, flush, overflow and rule gave the
// values.
#pragma once

#include <string>

#include "cli/base/error.hpp"

namespace mx::cli {

/// Prints which policies give all values of the file, or the nearest, in five lines. kPass where
/// some explain everything, kBadInput where nothing was compared.
[[nodiscard]] Exit identify_values(const std::string& path, bool is_verbose, bool is_json);

}  // namespace mx::cli
