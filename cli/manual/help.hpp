// What `mxgold`, `--help`, `--help-all` and `mxgold help` print.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command.hpp"
#include "cli/manual/interface.hpp"

namespace mx::cli {

/// The screen of `mxgold` alone: what it is, the first verbs by role, how to see the rest.
[[nodiscard]] std::string overview(const Command& root);
/// Every command by role, and the topics.
[[nodiscard]] std::string program_help(const Command& root);
/// Every command in a list, and the options of the program.
[[nodiscard]] std::string program_help_all(const Command& root);

/// At most 40 lines: the options of its layer, a few examples.
[[nodiscard]] std::string command_help(const Command& root, std::string_view command);
/// Every option by group, and all that is known of the command.
[[nodiscard]] std::string command_help_all(const Command& root, std::string_view command);

/// Those that --help shows: of its layer, in the layer's order; what is required first.
[[nodiscard]] std::vector<OptionFacts> first_options(const CommandFacts& command);
/// "Usage: mxgold check IN [OPTIONS]\n"
[[nodiscard]] std::string usage_of(const CommandFacts& command);

}  // namespace mx::cli
