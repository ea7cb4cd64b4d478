// SPDX-License-Identifier: Apache-2.0
#include "cli/settings/config_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/base/error.hpp"
#include "cli/text/command_text.hpp"
#include "cli/trust/trust.hpp"
#include "golden/names/config_file.hpp"

namespace mx::cli {
namespace {

constexpr const char* kHelp =
    "Take options that are not given here from this file (mxgold help configuration)";

std::optional<Option> option_of(const Command& command, std::string_view key) {
  return command.find_option("--" + std::string(key));
}

/// Does the command have an option that a file may give?
bool takes_keys(const Command& command) {
  constexpr std::string_view kNotHere[] = {"init", "new"};
  if (std::ranges::find(kNotHere, command.get_name()) != std::end(kNotHere)) return false;
  return std::ranges::any_of(golden::config_keys(), [&](const golden::ConfigKey& key) {
    return option_of(command, key.name).has_value();
  });
}

golden::ConfigFile read(const std::string& path) {
  try {
    return golden::ConfigFile::read_config(path);
  } catch (const golden::Refusal& refusal) {
    throw Error(Exit::kBadInput, refusal.what());
  }
}

/// A device that executes something is the file's, not the user's: asked for as a replay's is.
void require_trusted(const Command& command, const golden::ConfigFile& file,
                     const std::string& device) {
  const std::string what = executed_by(device);
  if (what.empty()) return;
  const std::optional<Option> trust = command.find_option("--trust");
  const bool is_given = trust && trust->count() != 0;
  require_trust(file.path(), {what}, is_given ? Trust::kGiven : Trust::kAsked,
                fmt::format("{} {} -c {} --trust", program_word(), command.get_name(),
                            shell_quoted(file.path())));
}

void give(const Command& command, const golden::ConfigFile& file,
          const golden::ConfigEntry& entry) {
  const std::optional<Option> option = option_of(command, entry.key);
  // Another subcommand's; or the command line says it.
  if (!option || option->count() != 0) return;
  if (!option->takes_list() && entry.values.size() > 1) {
    fail(Exit::kUsage, "{}: has {} values; mxgold {} takes one", file.place(entry),
         entry.values.size(), command.get_name());
  }
  if (entry.key == "dut") require_trusted(command, file, entry.values.front());
  for (const std::string& value : entry.values) option->give(value);
}

}  // namespace

void add_config_option(Root& root) {
  std::vector<Command> commands = root.command().get_subcommands();
  std::erase_if(commands, [](const Command& each) { return !takes_keys(each); });
  root.on_config(kHelp, commands, [](const Command& command, const std::string& path) {
    if (path.empty()) return;
    const golden::ConfigFile file = read(path);
    for (const golden::ConfigEntry& each : file.entries()) give(command, file, each);
  });
}

}  // namespace mx::cli
