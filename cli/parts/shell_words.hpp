// SPDX-License-Identifier: Apache-2.0
// The words of a text for a shell, without running any of it.
#pragma once

#include <string>
#include <vector>

namespace mx::cli {

/// The simple commands of the text, each as its words: quotes taken away, variables, ~ and patterns
/// of names expanded as the shell does in this folder. What is not known before it runs, as the
/// output of a command, is split at its blanks.
[[nodiscard]] std::vector<std::vector<std::string>> shell_commands(const std::string& text);

}  // namespace mx::cli
