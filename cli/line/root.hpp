// The whole command line: the program, its subcommands, and how arguments are read.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
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
  /// Adds -c,--config FILE to the program and to these subcommands, and calls `take` with the
  /// chosen one and what was given, "" for nothing: behind the last argument, before options get
  /// their values. What it gives to options counts as given on the command line.
  void on_config(const std::string& help, std::span<const Command> commands,
                 std::function<void(const Command&, const std::string& path)> take);
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
