// SPDX-License-Identifier: Apache-2.0
#include "cli/verdict/again.hpp"

#include <fmt/format.h>

#include "cli/text/command_text.hpp"

namespace mx::cli {

std::string typed_again(const Command& command) {
  std::string text = fmt::format("{} {}", program_word(), command.get_name());
  for (const Option option : command.get_options()) {
    const std::string given = option.get_name();
    if (option.count() == 0 || given == "--log" || given == "--config") continue;
    const bool is_positional = option.get_lnames().empty() && option.get_snames().empty();
    const std::string name =
        is_positional ? ""
                      : " " + (option.get_lnames().empty() ? option.get_name()
                                                           : "--" + option.get_lnames().front());
    if (option.is_flag()) {
      text += name;
      continue;
    }
    for (const std::string& value : option.values()) text += name + " " + shell_quoted(value);
  }
  return text;
}

}  // namespace mx::cli
