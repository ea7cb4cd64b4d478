#include "cli/manual/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/manual/interface.hpp"
#include "cli/manual/layers.hpp"
#include "cli/manual/topics.hpp"
#include "cli/manual/wrapped.hpp"
#include "cli/text/command_text.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kSentence =
    "computes MX and other narrow number formats bit for bit, and checks hardware against them.";

/// "-o,--output OUT"
std::string left_of(const OptionFacts& option) {
  std::string text = "  ";
  for (const std::string& name : option.names) text += (text.size() > 2 ? "," : "") + name;
  if (option.argument.empty()) return text;
  text += (option.names.empty() ? "" : " ") + option.argument;
  const bool has_type = option.type == "FILE" && option.argument != "FILE";
  return has_type ? text + " FILE" : text;
}

/// What it means, what it may be, and what it is where nobody says.
std::string right_of(const OptionFacts& option) {
  std::string text = option.help;
  if (!option.range.empty()) text += fmt::format(" ({})", option.range);
  if (option.is_required) text += " (required)";
  if (!option.default_text.empty()) text += fmt::format(" [{}]", option.default_text);
  return text;
}

std::string with_options(const std::vector<OptionFacts>& options, std::size_t most) {
  constexpr std::size_t kColumn = 26;
  std::string text;
  for (const OptionFacts& each : options) {
    text += in_columns(left_of(each), right_of(each), kColumn, most);
  }
  return text;
}

bool has_name(const OptionFacts& option, std::string_view name) {
  return std::ranges::any_of(option.names, [&](const std::string& each) {
    return each.starts_with("--") && std::string_view(each).substr(2) == name;
  });
}

/// Examples that fit a few lines.
std::string first_examples(const CommandFacts& command) {
  constexpr std::size_t kMost = 5;
  std::string text;
  std::size_t count = 0;
  std::string_view rest = command.examples;
  while (rest.starts_with("  ") && count < kMost) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const bool goes_on = line.ends_with('\\');
    if (goes_on && count + 1 == kMost) break;
    text += std::string(line) + '\n';
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    ++count;
  }
  return text;
}

const CommandFacts& facts_in(const std::vector<CommandFacts>& commands, std::string_view name) {
  return *std::ranges::find(commands, name, &CommandFacts::name);
}

std::string commands_of(const std::vector<CommandFacts>& commands, Role role, bool are_first) {
  std::string text;
  for (const Layer& layer : layers()) {
    if (layer.role != role || (are_first && !layer.is_first)) continue;
    const auto facts = std::ranges::find(commands, layer.command, &CommandFacts::name);
    if (facts == commands.end()) continue;
    text += in_columns("  " + facts->name, facts->summary, 18, 1);
  }
  return text;
}

std::string by_role(const Command& root, bool are_first) {
  const std::vector<CommandFacts> commands = interface_of(root);
  std::string text;
  for (const Role role : {Role::kVerify, Role::kAsk, Role::kConvert, Role::kSimulate,
                          Role::kRegress, Role::kProgram}) {
    const std::string rows = commands_of(commands, role, are_first);
    if (!rows.empty()) text += fmt::format("{}:\n{}", title_of(role), rows);
  }
  return text;
}

}  // namespace

std::vector<OptionFacts> first_options(const CommandFacts& command) {
  std::vector<OptionFacts> options;
  std::vector<std::string_view> names;
  const Layer* const layer = layer_of(command.name);
  std::string_view rest = layer == nullptr ? std::string_view() : layer->options;
  while (!rest.empty()) {
    names.push_back(rest.substr(0, rest.find(' ')));
    rest.remove_prefix(std::min(names.back().size() + 1, rest.size()));
  }
  const auto is_of_layer = [&](const OptionFacts& option) {
    return std::ranges::any_of(names,
                               [&](std::string_view name) { return has_name(option, name); });
  };
  for (const OptionFacts& each : command.options) {
    const bool is_needed = each.names.empty() || each.is_required;
    if (is_needed && !is_of_layer(each)) options.push_back(each);
  }
  for (const std::string_view name : names) {
    for (const OptionFacts& each : command.options) {
      if (has_name(each, name)) options.push_back(each);
    }
  }
  return options;
}

std::string usage_of(const CommandFacts& command) {
  std::string text = fmt::format("Usage: {} {}", program_word(), command.name);
  bool has_more = false;
  for (const OptionFacts& each : command.options) {
    if (each.names.empty()) {
      text += each.is_required ? " " + each.argument : fmt::format(" [{}]", each.argument);
    } else if (each.is_required) {
      text += fmt::format(" {} {}", each.names.front(), each.argument);
    } else {
      has_more = true;
    }
  }
  return text + (has_more ? " [OPTIONS]\n" : "\n");
}

std::string overview(const Command& root) {
  const std::string_view name = program_word();
  return fmt::format(
      "{0} {1}\n\n{2}\n"
      "Try:\n"
      "  {0} explain --format e4m3fn 1.1\n"
      "  {0} run --dut reference --format mxfp4\n\n"
      "{0} help            shows every command and the topics.\n"
      "{0} help COMMAND    shows the most used options of one.\n",
      name, kSentence, by_role(root, true));
}

std::string program_help(const Command& root) {
  std::string topics;
  for (const Topic& each : all_topics())
    topics += (topics.empty() ? "" : ", ") + std::string(each.name);
  return fitted(fmt::format(
      "{0} {1}\n{2}"
      "{0} help COMMAND shows the most used options; {0} COMMAND --help-all shows all.\n"
      "{0} help TOPIC explains: {3}.\n",
      program_word(), kSentence, by_role(root, false), topics));
}

std::string program_help_all(const Command& root) {
  std::string text =
      fmt::format("{0} {1}\nUsage: {0} COMMAND [OPTIONS]\n\nOptions:\n", program_word(), kSentence);
  text += with_options(options_of(root), 1000);
  text += "\nSubcommands:\n";
  for (const CommandFacts& each : interface_of(root)) {
    text += in_columns("  " + each.name, each.summary, 18);
  }
  return text;
}

std::string command_help(const Command& root, std::string_view command) {
  const std::vector<CommandFacts> commands = interface_of(root);
  const CommandFacts& facts = facts_in(commands, command);
  std::string text = fitted(fmt::format("{}.\n", facts.summary)) + usage_of(facts);
  const std::vector<OptionFacts> options = first_options(facts);
  if (!options.empty()) text += "\n" + with_options(options, 2);
  const std::string examples = first_examples(facts);
  if (!examples.empty()) text += "\nExamples:\n" + fitted(examples);
  text += fmt::format("\n{0} {1} --help-all shows every option and more examples.\n",
                      program_word(), command);
  return text;
}

std::string command_help_all(const Command& root, std::string_view command) {
  const std::vector<CommandFacts> commands = interface_of(root);
  const CommandFacts& facts = facts_in(commands, command);
  std::string text = fitted(fmt::format("{}.\n", facts.summary)) + usage_of(facts);
  std::vector<std::string> groups;
  for (const OptionFacts& each : facts.options) {
    if (std::ranges::find(groups, each.group) == groups.end()) groups.push_back(each.group);
  }
  for (const std::string& group : groups) {
    std::vector<OptionFacts> options;
    std::ranges::copy_if(facts.options, std::back_inserter(options),
                         [&](const OptionFacts& each) { return each.group == group; });
    text += fmt::format("\n{}:\n{}", group, with_options(options, 1000));
  }
  return text + fitted(facts.footer);
}

}  // namespace mx::cli
