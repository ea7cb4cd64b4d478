#include "cli/line/root.hpp"

#include <CLI/CLI.hpp>
#include <utility>

namespace mx::cli {

Root::Root(const std::string& name, const std::string& help, const std::string& version)
    : app_(std::make_unique<CLI::App>(help)) {
  app_->name(name);
  app_->set_help_flag("-h,--help", "Show the most used options");
  app_->set_help_all_flag("--help-all", "Show every option");
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
  app_->option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

Root::~Root() = default;

Command Root::command() const { return Command(*app_); }

std::optional<Command> Root::chosen() const {
  const auto subcommands = app_->get_subcommands();
  if (subcommands.empty()) return std::nullopt;
  return Command(*subcommands.front());
}

void Root::parse_complete_callback(const std::function<void()>& look) const {
  app_->parse_complete_callback(look);
}

void Root::on_help(PrintHelp print) { print_help_ = std::move(print); }

std::optional<std::string> Root::parse(std::vector<std::string> arguments) const {
  try {
    app_->parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    print_help_(chosen(), Help::kFirst);
  } catch (const CLI::CallForAllHelp&) {
    print_help_(chosen(), Help::kAll);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) return error.what();
    app_->exit(error);  // --version
  }
  return std::nullopt;
}

std::vector<std::string> Root::remaining() const { return app_->remaining(true); }

}  // namespace mx::cli
