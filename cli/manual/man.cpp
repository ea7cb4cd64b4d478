// mxgold man: the manual page, in roff.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "cli/base/command.hpp"
#include "cli/manual/interface.hpp"
#include "cli/manual/interface_json.hpp"
#include "cli/manual/topics.hpp"
#include "cli/options/common.hpp"

namespace mx::cli {
namespace {

/// A text as roff prints it.
std::string for_roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) {
      out += std::string("\\&") + c;
    } else {
      out += c;
    }
  }
  return out;
}

void print_option(const OptionFacts& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", for_roff(name));
  }
  const std::string argument =
      option.argument.empty() ? "" : fmt::format("\\fI{}\\fR", for_roff(option.argument));
  fmt::print(
      ".TP\n{}{}{}\n{}{}\n", names, names.empty() || argument.empty() ? "" : " ", argument,
      for_roff(option.help),
      option.default_text.empty() ? "" : fmt::format(" [{}]", for_roff(option.default_text)));
}

void print_command(const CommandFacts& command) {
  fmt::print(".SH MXGOLD {}\n{}\n", for_roff(command.name), for_roff(command.summary));
  std::string group;
  for (const OptionFacts& option : command.options) {
    if (option.group != group && option.group != "Options" && option.group != "Positionals") {
      fmt::print(".SS {}\n", for_roff(option.group));
    }
    group = option.group;
    print_option(option);
  }
  if (!command.examples.empty()) {
    fmt::print(".PP\nExamples:\n.PP\n.nf\n{}\n.fi\n", for_roff(command.examples));
  }
}

void print_manual(const Command& root) {
  fmt::print(
      ".TH MXGOLD 1 \"\" \"mxgold {}\"\n.SH NAME\nmxgold \\- {}\n.SH SYNOPSIS\n"
      ".B mxgold\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n"
      "Formats and behaviours are named by the tokens that \\fBmxgold list\\fR prints. Results "
      "and verdicts go to standard output, what people are told to standard error.\n",
      version(), for_roff(root.get_description()));
  for (const CommandFacts& command : interface_of(root)) print_command(command);
  fmt::print(".SH EXIT STATUS\n");
  int code = 0;
  for (const std::string_view meaning : exit_codes()) {
    fmt::print(".TP\n.B {}\n{}\n", code++, for_roff(meaning));
  }
}

}  // namespace

void add_man(const Command& root, Exit& exit) {
  const Command app = root.add_subcommand("man", "Print the manual page");
  const auto is_json = std::make_shared<bool>(false);
  json_option(app, *is_json);
  app.footer(
      "\nExamples:\n  mxgold man | man -l -\n  mxgold man > mxgold.1\n"
      "  mxgold man --json > commands.json");
  app.callback([root, is_json, &exit] {
    if (*is_json) {
      fmt::print("{}\n", interface_json(root).indented_json());
    } else {
      print_manual(root);
    }
    exit = Exit::kPass;
  });
}

}  // namespace mx::cli
