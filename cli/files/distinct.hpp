// SPDX-License-Identifier: Apache-2.0
// Files that a command is given, each once, however often and by whatever name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mx::cli {

/// The paths without those that lead to the file of an earlier one, also through links; each that
/// is left out is said on standard error after `who`. "-" is standard input.
[[nodiscard]] std::vector<std::string> distinct_files(const std::vector<std::string>& paths,
                                                      std::string_view who);

}  // namespace mx::cli
