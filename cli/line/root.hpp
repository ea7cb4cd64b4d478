// The whole command line: the program, its subcommands, and how arguments are read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/line/command.hpp"

namespace mx::cli {

class Root {
 public:
  /// Of an option that is given several times the last counts, but where the option takes all.
  Root(const std::string& name, const std::string& help, const std::string& version);
  ~Root();
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  [[nodiscard]] Command command() const;
  /// The subcommand that the command line chose, if one is.
  [[nodiscard]] std::optional<Command> chosen() const;
  /// Called between reading and doing.
  void parse_complete_callback(const std::function<void()>& look) const;

  /// How much help a command line asks for.
  enum class Help { kFirst, kAll };
  /// What prints the help of the program, or of the subcommand that was chosen.
  using PrintHelp = std::function<void(const std::optional<Command>&, Help)>;
  void on_help(PrintHelp print);

  /// Reads the arguments, the last first, and has the work done; or prints the help or the version.
  /// Gives what was not understood, if so; errors of the work go through.
  [[nodiscard]] std::optional<std::string> parse(std::vector<std::string> arguments) const;
  /// The arguments that nothing takes.
  [[nodiscard]] std::vector<std::string> remaining() const;

 private:
  std::unique_ptr<CLI::App> app_;
  PrintHelp print_help_;
};

}  // namespace mx::cli
