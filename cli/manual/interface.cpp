#include "cli/manual/interface.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "reference/format/table.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::cli {
namespace {

/// The parts of a text between separators, blanks around them gone.
std::vector<std::string> split_text(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    std::string_view part = text.substr(0, at);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.emplace_back(part);
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

/// The last word of "Arith: add" and the first of "stdio, or fifo": values among words.
std::string last_word(const std::string& text) { return text.substr(text.rfind(' ') + 1); }
std::string first_word(const std::string& text) {
  return text.substr(0, text.find_first_of(" ,;"));
}

/// "a | b | c" in a help text: its values; empty where it lists none.
std::vector<std::string> listed_values(const std::string& help) {
  std::vector<std::string> values = split_text(help, " | ");
  if (values.size() < 2) return {};
  values.front() = last_word(values.front());
  for (std::string& each : values) each = first_word(each);
  return values;
}

template <typename Range>
std::vector<std::string> names_of(const Range& range) {
  std::vector<std::string> names;
  for (const auto& each : range) names.emplace_back(each.name);
  return names;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names = names_of(all_block_formats());
  for (const std::string& each : names_of(all_formats())) names.push_back(each);
  return names;
}

std::vector<std::string> values_of(const Option& option, const std::string& help) {
  const std::string type = option.get_type_name();
  const std::size_t brace = type.find(":{");
  if (brace != std::string::npos && type.ends_with('}')) {
    return split_text(type.substr(brace + 2, type.size() - brace - 3), ",");
  }
  const std::string name = option.get_all_names();
  if (name.find("--format") != std::string::npos) return format_names();
  if (name.find("--source") != std::string::npos) return names_of(all_formats());
  const bool names_profile = name.find("--profile") != std::string::npos || name == "--blocks-as";
  if (names_profile) return names_of(all_profiles());
  return option.is_flag() ? std::vector<std::string>{} : listed_values(help);
}

bool takes_file(std::string_view argument) {
  constexpr std::array<std::string_view, 7> kFiles = {"FILE", "OUT",  "IN",    "DIR",
                                                      "LOG",  "PATH", "FOLDER"};
  const std::string_view word = argument.substr(0, argument.find_first_of("[. "));
  return std::ranges::find(kFiles, word) != kFiles.end();
}

/// "UINT:INT in [1 - 32]" as "1 to 32".
std::string range_of(const std::string& type) {
  const std::size_t open = type.find(" in [");
  if (open == std::string::npos || !type.ends_with(']')) return "";
  std::string text = type.substr(open + 5, type.size() - open - 6);
  const std::size_t dash = text.find(" - ");
  return dash == std::string::npos ? "" : text.replace(dash, 3, " to ");
}

OptionFacts facts_of(const Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  facts.help = option.get_description();
  facts.group = option.get_group();
  facts.default_text = option.get_default_str();
  facts.values = values_of(option, facts.help);
  if (!option.is_flag()) {
    const std::string type = option.get_type_name();
    facts.argument = type.substr(0, type.find(':'));
    facts.range = range_of(type);
  }
  if (facts.names.empty()) {
    facts.type = facts.argument;
    facts.argument = option.get_positional_name();
  }
  facts.is_required = option.is_required();
  facts.takes_file = facts.values.empty() && takes_file(facts.argument);
  return facts;
}

}  // namespace

std::vector<OptionFacts> options_of(const Command& command) {
  std::vector<OptionFacts> options;
  for (const Option option : command.get_options()) {
    if (!option.get_group().empty()) options.push_back(facts_of(option));
  }
  return options;
}

std::vector<CommandFacts> interface_of(const Command& root) {
  std::vector<CommandFacts> commands;
  for (const Command app : root.get_subcommands()) {
    if (app.get_group().empty()) continue;
    CommandFacts facts{
        app.get_name(), app.get_description(), app.get_footer(), {}, options_of(app)};
    const std::size_t examples = facts.footer.find("Examples:\n");
    if (examples != std::string::npos) facts.examples = facts.footer.substr(examples + 10);
    commands.push_back(std::move(facts));
  }
  return commands;
}

}  // namespace mx::cli
