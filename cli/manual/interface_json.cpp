#include "cli/manual/interface_json.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/base/command.hpp"
#include "cli/manual/help.hpp"
#include "cli/manual/interface.hpp"
#include "cli/manual/layers.hpp"
#include "cli/manual/topics.hpp"
#include "reference/catalog/aliases.hpp"

namespace mx::cli {
namespace {

using golden::Tree;

/// What tells an option from the others of its command.
std::string key_of(const OptionFacts& option) {
  return option.names.empty() ? option.argument : option.names.back();
}

Tree option_json(const OptionFacts& option, bool is_first) {
  return {{"names", option.names},   {"argument", option.argument},    {"meaning", option.help},
          {"group", option.group},   {"default", option.default_text}, {"range", option.range},
          {"values", option.values}, {"required", option.is_required}, {"first", is_first}};
}

Tree command_json(const CommandFacts& command) {
  std::vector<std::string> first;
  for (const OptionFacts& each : first_options(command)) first.push_back(key_of(each));
  Tree options = Tree::list();
  for (const OptionFacts& each : command.options) {
    options.push_back(option_json(each, std::ranges::find(first, key_of(each)) != first.end()));
  }
  const Layer* const layer = layer_of(command.name);
  return {{"name", command.name},
          {"role", layer == nullptr ? title_of(Role::kProgram) : title_of(layer->role)},
          {"summary", command.summary},
          {"usage", usage_of(command)},
          {"more", command.footer},
          {"options", options}};
}

}  // namespace

Tree interface_json(const Command& root) {
  Tree commands = Tree::list();
  for (const CommandFacts& each : interface_of(root)) commands.push_back(command_json(each));
  Tree topics = Tree::list();
  for (const Topic& each : all_topics()) {
    topics.push_back({{"name", each.name}, {"summary", each.summary}, {"text", each.text()}});
  }
  Tree codes = Tree::list();
  for (const std::string_view meaning : exit_codes()) codes.push_back(Tree(meaning));
  Tree names = Tree::list();
  for (const Alias& each : aliases()) {
    names.push_back({{"elsewhere", each.elsewhere}, {"here", each.here}});
  }
  return {{"version", version()},
          {"commands", commands},
          {"topics", topics},
          {"exit_codes", codes},
          {"names", names}};
}

}  // namespace mx::cli
