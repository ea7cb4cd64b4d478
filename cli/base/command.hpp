// How a subcommand registers itself: void add_NAME(const Command& root, Exit& exit), in namespace
// mx::cli and listed in cli/program/commands.cpp.
//
// add_NAME(root, exit) makes the subcommand NAME with its options and examples. Its callback
// does the work; it either sets `exit`, or throws Error (cli/base/error.hpp), which main prints
// on stderr as "mxgold NAME: message". Results and verdicts go to stdout, diagnostics to stderr.
// The option values live in a std::shared_ptr captured by the callback, since `root` outlives
// add_NAME.
#pragma once

#include <string_view>

#include "cli/base/error.hpp"
#include "cli/line/command.hpp"

namespace mx::cli {

/// Registers every subcommand that this build contains.
void add_all_commands(const Command& root, Exit& exit);

/// "0.1.0", and the commit the build was configured at ("" if unknown).
[[nodiscard]] std::string_view version();
[[nodiscard]] std::string_view commit();

}  // namespace mx::cli
