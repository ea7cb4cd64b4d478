// A subcommand, or the program itself: how options come to it, and what it was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/line/option.hpp"

namespace CLI {
class App;
}

namespace mx::cli {

/// A handle, copied as a pointer is. Functions do what CLI11's of the same name do.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  /// The value that is there is the default; that of the command line replaces it.
  Option add_option(const std::string& name, std::string& value, const std::string& help) const;
  Option add_option(const std::string& name, std::vector<std::string>& values,
                    const std::string& help) const;
  Option add_option(const std::string& name, int& value, const std::string& help) const;
  Option add_option(const std::string& name, std::int64_t& value, const std::string& help) const;
  Option add_option(const std::string& name, std::uint64_t& value, const std::string& help) const;
  Option add_option(const std::string& name, double& value, const std::string& help) const;
  Option add_option(const std::string& name, std::optional<double>& value,
                    const std::string& help) const;
  Option add_option(const std::string& name, std::vector<std::uint64_t>& values,
                    const std::string& help) const;
  Option add_option_function(const std::string& name,
                             const std::function<void(const std::string&)>& take,
                             const std::string& help) const;
  Option add_flag(const std::string& name, bool& is_given, const std::string& help) const;
  Command add_subcommand(const std::string& name, const std::string& help) const;
  void footer(const std::string& text) const;
  /// What does its work, once its options have their values.
  void callback(const std::function<void()>& work) const;

  /// The option of a long name, "--rounding"; nothing where there is none.
  [[nodiscard]] std::optional<Option> find_option(const std::string& name) const;
  /// How often the option was given.
  [[nodiscard]] std::size_t count(const std::string& option) const;
  [[nodiscard]] std::vector<Option> get_options() const;
  /// The options of the command line, and each positional value, in the order in which they stood.
  [[nodiscard]] std::vector<Option> parse_order() const;
  /// All that were added.
  [[nodiscard]] std::vector<Command> get_subcommands() const;
  [[nodiscard]] const std::string& get_name() const;
  [[nodiscard]] const std::string& get_group() const;
  [[nodiscard]] std::string get_description() const;
  [[nodiscard]] std::string get_footer() const;

 private:
  friend class Root;
  CLI::App* app_;
};

}  // namespace mx::cli
