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
  std::string type;                ///< of a positional argument: "FILE"
  std::string default_text;        ///< "" for none
  std::string help;
  std::string group;                ///< heading of the help
  std::string range;                ///< "1 to 1024" of a number; "" for any
  std::vector<std::string> values;  ///< those that it is known to take; "" for any
  bool takes_file = false;
  bool is_required = false;
};

struct CommandFacts {
  std::string name;
  std::string summary;
  std::string footer;    ///< all that stands behind the options
  std::string examples;  ///< the lines of it behind "Examples:"
  std::vector<OptionFacts> options;
};

/// The options that the help shows of a command, or of the program itself.
[[nodiscard]] std::vector<OptionFacts> options_of(const Command& command);

/// Every subcommand that the help shows, in its order.
[[nodiscard]] std::vector<CommandFacts> interface_of(const Command& root);

}  // namespace mx::cli
