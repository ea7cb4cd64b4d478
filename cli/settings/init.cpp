// SPDX-License-Identifier: Apache-2.0
// mxgold init: a commented configuration file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/base/asked.hpp"
#include "cli/base/command.hpp"
#include "cli/manual/interface.hpp"
#include "cli/manual/wrapped.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/policies.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/new_file.hpp"
#include "golden/names/config_file.hpp"
#include "golden/text/flat_toml.hpp"

namespace mx::cli {
namespace {

constexpr std::array<std::string_view, 1> kTomlOutput = {".toml"};

constexpr const char* kExamples = R"(
An option of this command becomes a line of the file. The names are those of mxgold run and of other
commands. A file that is there is not replaced.

Examples:
  mxgold init my_accel.toml --format mxfp4 --rounding RNE
  mxgold run -c my_accel.toml --dut process:./my_model
  mxgold init my_accel.toml --profile te --dut device:my_module.json --stall heavy)";

struct InitOptions {
  std::string output = "mxgold.toml";
  std::map<std::string_view, Names> values;  ///< of each key
  FormatBook book;
};

/// What an option means, by run where that has it, else by the first command that does.
std::string help_of(const std::vector<CommandFacts>& commands, std::string_view key) {
  const std::string name = "--" + std::string(key);
  std::string help;
  for (const CommandFacts& command : commands) {
    if (command.name == "init" || (!help.empty() && command.name != "run")) continue;
    for (const OptionFacts& option : command.options) {
      if (std::ranges::find(option.names, name) != option.names.end()) help = option.help;
    }
  }
  return help;
}

/// The policy that a key may name.
std::string field_of(std::string_view key) {
  std::string field(key);
  std::ranges::replace(field, '-', '_');
  return field;
}

/// A value as this library spells it; Error kUsage for a name that there is not.
std::string spelled_here(InitOptions& options, std::string_view key, const std::string& value) {
  const std::string option = "--" + std::string(key);
  if (value == "all") return value;
  if (key == "format") return std::string(options.book.require(value).name);
  if (key == "source" || key == "result" || key == "addend") {
    return std::string(options.book.require_element("value of " + option, value).name);
  }
  if (key == "profile") return require_profile(value).name();
  const PolicyOption* const policy = find_policy_option(field_of(key));
  if (policy == nullptr) return value;
  const std::vector<std::string_view> known = policy->values();
  const std::string_view meant =
      asked([&] { return golden::known_as("value of " + option, value, known); });
  if (meant.empty()) throw Error(Exit::kUsage, unknown_name("value of " + option, value, known));
  return std::string(meant);
}

/// A number stands alone, a text in quotes.
std::string toml_value(const std::string& value) {
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const bool is_number = error == std::errc{} && stop == end && std::to_string(number) == value;
  return is_number ? value : golden::toml_quoted(value);
}

std::string line_of(std::string_view key, const Names& values) {
  std::vector<std::string> texts;
  for (const std::string& each : values) texts.push_back(toml_value(each));
  if (texts.size() == 1) return fmt::format("{} = {}\n", key, texts.front());
  return fmt::format("{} = [{}]\n", key, fmt::join(texts, ", "));
}

std::string comment_of(std::string_view text) {
  std::string out;
  for (const std::string& line : wrapped(text, kHelpWidth - 2)) out += "# " + line + '\n';
  return out;
}

/// What was given, each with what it means; below it what is given most, to be filled in.
std::string text_of(InitOptions& options, const std::vector<CommandFacts>& commands) {
  constexpr std::pair<std::string_view, std::string_view> kOffered[] = {
      {"format", "mxfp4"},
      {"source", "fp32"},
      {"profile", "mxgold-default"},
      {"rounding", "ties_to_even"},
      {"rule", "floor"},
      {"overflow", "sat_finite"},
      {"dut", "process:./my_model"},
      {"suite", "smoke"},
      {"stall", "mix"},
      {"reset", "mix"}};
  for (const std::string& each : options.values["format-file"]) options.book.load(each);
  for (const std::string& each : options.values["define"]) {
    options.book.define("--define", each, Exit::kUsage);
  }
  std::string text =
      "# What this accelerator computes and how it is tested: mxgold run -c FILE.\n"
      "# A key is the name of an option. An option on the command line goes before this file;\n"
      "# this file goes before profile, device and defaults (mxgold help configuration).\n";
  for (const golden::ConfigKey& key : golden::config_keys()) {
    Names values = options.values[key.name];
    if (values.empty()) continue;
    for (std::string& each : values) each = spelled_here(options, key.name, each);
    text += "\n" + comment_of(help_of(commands, key.name)) + line_of(key.name, values);
  }
  text += "\n# Take away a # to say more:\n";
  for (const auto& [key, value] : kOffered) {
    if (options.values[key].empty()) text += "# " + line_of(key, {std::string(value)});
  }
  return text;
}

void add_key(const Command& app, std::string_view key, Names& values) {
  if (key == "format") {
    format_option(app, values);
  } else if (key == "source") {
    source_option(app, values);
  } else if (const PolicyOption* const policy = find_policy_option(field_of(key))) {
    policy_option(app, *policy, values).default_str("");
  } else {
    as_list(app.add_option("--" + std::string(key), values,
                           fmt::format("As --{} of the commands that have it", key)))
        .type_name("VALUE");
  }
}

void write_file(const std::string& path, const std::string& text) {
  std::error_code ignored;
  if (!golden::is_standard_output(path) && std::filesystem::exists(path, ignored)) {
    fail(Exit::kUsage, "{}: is there already; name another file, or remove it", path);
  }
  golden::NewFile file(path);
  file.write(text);
  file.commit();
  if (!golden::is_standard_output(path)) {
    fmt::print("{} written; mxgold run -c {} takes it\n", path, path);
  }
}

}  // namespace

void add_init(const Command& root, Exit& exit) {
  const Command app = root.add_subcommand("init", "Write a configuration file for -c");
  app.footer(kExamples);
  const auto options = std::make_shared<InitOptions>();
  as_output(app.add_option("FILE", options->output, "The file to write, or -"), kTomlOutput)
      .capture_default_str();
  for (const golden::ConfigKey& key : golden::config_keys()) {
    add_key(app, key.name, options->values[key.name]);
  }
  app.callback([root, options, &exit] {
    write_file(options->output, text_of(*options, interface_of(root)));
    exit = Exit::kPass;
  });
}

}  // namespace mx::cli
