#include "cli/line/command.hpp"

#include <CLI/CLI.hpp>

namespace mx::cli {

Option Command::add_option(const std::string& name, std::string& value,
                           const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, std::vector<std::string>& values,
                           const std::string& help) const {
  return Option(*app_->add_option(name, values, help));
}

Option Command::add_option(const std::string& name, int& value, const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, std::int64_t& value,
                           const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, std::uint64_t& value,
                           const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, double& value, const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, std::optional<double>& value,
                           const std::string& help) const {
  return Option(*app_->add_option(name, value, help));
}

Option Command::add_option(const std::string& name, std::vector<std::uint64_t>& values,
                           const std::string& help) const {
  return Option(*app_->add_option(name, values, help));
}

Option Command::add_option_function(const std::string& name,
                                    const std::function<void(const std::string&)>& take,
                                    const std::string& help) const {
  return Option(*app_->add_option_function<std::string>(name, take, help));
}

Option Command::add_flag(const std::string& name, bool& is_given, const std::string& help) const {
  return Option(*app_->add_flag(name, is_given, help));
}

Command Command::add_subcommand(const std::string& name, const std::string& help) const {
  return Command(*app_->add_subcommand(name, help));
}

void Command::footer(const std::string& text) const { app_->footer(text); }
void Command::callback(const std::function<void()>& work) const { app_->callback(work); }

std::optional<Option> Command::find_option(const std::string& name) const {
  CLI::Option* const found = app_->get_option_no_throw(name);
  return found == nullptr ? std::nullopt : std::optional(Option(*found));
}

std::size_t Command::count(const std::string& option) const { return app_->count(option); }

std::vector<Option> Command::get_options() const {
  std::vector<Option> options;
  for (CLI::Option* const each : app_->get_options()) options.emplace_back(*each);
  return options;
}

std::vector<Option> Command::parse_order() const {
  std::vector<Option> options;
  for (CLI::Option* const each : app_->parse_order()) options.emplace_back(*each);
  return options;
}

std::vector<Command> Command::get_subcommands() const {
  std::vector<Command> commands;
  for (CLI::App* const each : app_->get_subcommands(nullptr)) commands.emplace_back(*each);
  return commands;
}

const std::string& Command::get_name() const { return app_->get_name(); }
const std::string& Command::get_group() const { return app_->get_group(); }
std::string Command::get_description() const { return app_->get_description(); }
std::string Command::get_footer() const { return app_->get_footer(); }

}  // namespace mx::cli
