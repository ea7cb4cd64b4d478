// SPDX-License-Identifier: Apache-2.0
// What a farmed command reads: the files and programs that its words lead to, and those that the
// command itself says that it reads.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace mx::cli {

/// Files by the name that messages give them, and the SHA-256 of each; "" of what is no file.
using InputDigests = std::map<std::string, std::string>;

/// Every file that a command in `folder` reads, as it is now. A word leads to the files that it, or
/// a piece of it, names; the words of a shell's text (process:COMMAND) also to programs that PATH
/// has; a word of a folder to the Verilog in it, or of verify-goldens to all files in it. `reads`:
/// what the command says of itself, files or folders.
[[nodiscard]] InputDigests inputs_of(const std::vector<std::string>& command,
                                     const std::vector<std::string>& reads,
                                     const std::string& folder);

}  // namespace mx::cli
