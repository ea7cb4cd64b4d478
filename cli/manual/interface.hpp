// The command line as data: subcommands, their options and the values that these take, read off
// the CLI11 objects that parse it, so that manual and completions say what the program takes.
#pragma once

#include <string>
#include <vector>

#include "cli/line/command.hpp"

namespace mx::cli {

struct OptionFacts {
  std::vector<std::string> names;  ///< "-o", "--output"; empty for a positional argument
  std::string argument;            ///< "OUT"; "" for a flag
  std::string default_text;        ///< "" for none
  std::string help;
  std::string group;                ///< heading of the help
  std::vector<std::string> values;  ///< those that it is known to take; "" for any
  bool takes_file = false;
};

struct CommandFacts {
  std::string name;
  std::string summary;
  std::string examples;  ///< the lines behind "Examples:"
  std::vector<OptionFacts> options;
};

/// Every subcommand that the help shows, in its order.
[[nodiscard]] std::vector<CommandFacts> interface_of(const Command& root);

}  // namespace mx::cli
