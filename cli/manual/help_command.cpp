// mxgold help: every command, one command, or a topic.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/base/command.hpp"
#include "cli/manual/help.hpp"
#include "cli/manual/references.hpp"
#include "cli/manual/topics.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

/// Where a section of the specification is.
std::string section_text(const std::string& section) {
  std::string text = reference_text(section);
  if (!text.empty()) return text + "\n";
  fail(Exit::kUsage, "{}: no section of the specification; they are called F15, F8.1, R6, ...",
       printable(section));
}

std::string help_on(const Command& root, const std::string& what, const std::string& section) {
  if (!section.empty() && what != "spec") {
    fail(Exit::kUsage, "unexpected argument {}; see mxgold help --help", printable(section));
  }
  if (!section.empty()) return section_text(section);
  if (what.empty()) return program_help(root);
  std::vector<std::string> commands;
  for (const Command each : root.get_subcommands()) commands.push_back(each.get_name());
  if (std::ranges::find(commands, what) != commands.end()) return command_help(root, what);
  std::vector<std::string_view> known(commands.begin(), commands.end());
  for (const Topic& each : all_topics()) {
    if (each.name == what) return each.text();
    known.push_back(each.name);
  }
  throw Error(Exit::kUsage, unknown_name("command or topic", what, known));
}

}  // namespace

void add_help(const Command& root, Exit& exit) {
  const Command app = root.add_subcommand("help", "Explain a command or a topic");
  app.footer(
      "\nExamples:\n  mxgold help\n  mxgold help run\n  mxgold help rounding\n"
      "  mxgold help spec F15");
  const auto what = std::make_shared<std::string>();
  app.add_option("what", *what, "A command or a topic (mxgold help lists them)").type_name("NAME");
  const auto section = std::make_shared<std::string>();
  app.add_option("section", *section, "With spec: a section that a message cites, F15")
      .type_name("NAME");
  app.callback([root, &exit, what, section] {
    fmt::print("{}", help_on(root, *what, *section));
    exit = Exit::kPass;
  });
}

}  // namespace mx::cli
