#include "cli/line/root.hpp"

#include <CLI/CLI.hpp>
#include <utility>

namespace mx::cli {
namespace {

constexpr const char* kConfig = "-c,--config";
/// What CLI11 opens where no file is given, so that it asks in any case.
constexpr const char* kNothing = "/dev/null";

/// CLI11 has a file of its own read behind the last argument. This reads nothing, and calls.
class AtConfig : public CLI::Config {
 public:
  explicit AtConfig(std::function<void()> take) : take_(std::move(take)) {}
  std::string to_config(const CLI::App*, bool, bool, std::string) const override { return {}; }
  std::vector<CLI::ConfigItem> from_config(std::istream&) const override {
    take_();
    return {};
  }

 private:
  std::function<void()> take_;
};

/// The file that an option names, "" for none.
std::string path_of(const CLI::Option* option) {
  return option == nullptr || option->empty() ? std::string() : option->results().back();
}

}  // namespace

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

void Root::on_config(const std::string& help, std::span<const Command> commands,
                     std::function<void(const Command&, const std::string& path)> take) {
  for (const Command& each : commands) {
    each.app_->add_option(kConfig, help)->type_name("FILE")->expected(1);
  }
  CLI::Option* const own = app_->set_config(kConfig, kNothing, help)->type_name("FILE");
  app_->config_formatter(std::make_shared<AtConfig>([this, own, take = std::move(take)] {
    const std::optional<Command> command = chosen();
    if (!command) return;
    CLI::Option* const of_command = command->app_->get_option_no_throw("--config");
    if (of_command == nullptr) return;
    // `mxgold -c FILE run` says the same as `mxgold run -c FILE`.
    if (of_command->empty() && !own->empty()) of_command->add_result(path_of(own));
    take(*command, path_of(of_command));
  }));
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
