// mxgold identify over dot products of matrix units: which units give the answers.
#pragma once

#include <string>

#include "cli/base/error.hpp"

namespace mx::cli {

/// Prints how many answers of the file each unit gives that takes its operands. kPass where one
/// gives all of them, kMismatch where none does.
[[nodiscard]] Exit identify_units(const std::string& path, bool is_json);

}  // namespace mx::cli
