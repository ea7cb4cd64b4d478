// mxgold completion: what a shell completes of a command line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/base/command.hpp"
#include "cli/manual/interface.hpp"
#include "cli/text/command_text.hpp"

namespace mx::cli {
namespace {

/// Words between blanks, each as the shell takes it.
std::string words(std::vector<std::string> list) {
  std::erase_if(list, [](const std::string& each) {
    return each.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
               "_.-+:") != std::string::npos;
  });
  return fmt::format("{}", fmt::join(list, " "));
}

void print_words(const CommandFacts& command) {
  std::vector<std::string> options;
  for (const OptionFacts& option : command.options) {
    options.insert(options.end(), option.names.begin(), option.names.end());
    if (option.names.empty() || option.argument.empty()) continue;
    std::string pattern;
    for (const std::string& name : option.names) {
      pattern += fmt::format("{}{}:{}", pattern.empty() ? "" : " | ", command.name, name);
    }
    if (!option.values.empty()) {
      fmt::print("    {}) words='{}' ;;\n", pattern, words(option.values));
    } else if (option.takes_file) {
      fmt::print("    {}) files=1 ;;\n", pattern);
    } else {
      fmt::print("    {}) ;;\n", pattern);
    }
  }
  fmt::print("    {}:*) words='{}' files=1 ;;\n", command.name, words(options));
}

/// For bash, and for zsh through its bashcompinit. Values of lists are completed behind a comma.
void print_completion(const Command& root) {
  std::vector<std::string> names = {"--help", "--help-all", "--version"};
  const std::vector<CommandFacts> commands = interface_of(root);
  for (const CommandFacts& each : commands) names.push_back(each.name);
  fmt::print(
      "_mxgold() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}\n"
      "  local command=${{COMP_WORDS[1]}} words='' files=''\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W '{}' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  [[ $word == -* ]] && previous=''\n"
      "  case $command:$previous in\n",
      words(names));
  for (const CommandFacts& each : commands) print_words(each);
  fmt::print(
      "  esac\n"
      "  local before=''\n"
      "  [[ $word == *,* ]] && before=${{word%,*}},\n"
      "  COMPREPLY=($(compgen -P \"$before\" -W \"$words\" -- \"${{word##*,}}\"))\n"
      "  if [[ -n $files ]]; then COMPREPLY+=($(compgen -f -- \"$word\")); fi\n"
      "}}\n"
      "complete -o filenames -F _mxgold mxgold\n");
}

}  // namespace

void add_completion(const Command& root, Exit& exit) {
  const Command app = root.add_subcommand("completion", "Print what a shell completes");
  app.footer(
      "\nExamples:\n  source <(mxgold completion bash)\n"
      "  autoload -U bashcompinit && bashcompinit && source <(mxgold completion zsh)");
  const auto shell = std::make_shared<std::string>();
  app.add_option("shell", *shell, "bash | zsh").required().is_member({"bash", "zsh"});
  app.callback([root, &exit, shell] {
    print_completion(root);
    exit = Exit::kPass;
  });
}

}  // namespace mx::cli
