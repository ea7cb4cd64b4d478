// mxgold identify over dot products of matrix units: which units give the answers.
#pragma once

#include <string>

#include "cli/base/error.hpp"

namespace mx::cli {

/// Prints which units give all answers of the file, or the nearest, in five lines. kPass where one
/// does, kMismatch where none does, kBadInput where nothing could be compared.
[[nodiscard]] Exit identify_units(const std::string& path, bool is_verbose, bool is_json);

}  // namespace mx::cli
