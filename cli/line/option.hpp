// An option of a subcommand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// CLI11 is costly to include: the sources of this module do, and no other.
namespace CLI {
class Option;
}

namespace mx::cli {

/// A handle, copied as a pointer is. Functions do what CLI11's of the same name do.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  // What it takes, and what the help says of it. Each gives the option back.
  Option required() const;
  Option needs(const Option& other) const;
  /// Every value that is given, not the last alone.
  Option take_all() const;
  Option expected(int values) const;
  Option expected(int least, int most) const;
  Option allow_extra_args(bool are_allowed) const;
  Option delimiter(char between) const;
  Option type_name(const std::string& name) const;
  Option group(const std::string& name) const;
  Option default_str(const std::string& text) const;
  Option capture_default_str() const;

  /// What of a value is refused: gives the reason, or "".
  Option check(const std::function<std::string(const std::string&)>& refusal) const;
  Option transform(const std::function<std::string(std::string)>& change) const;
  Option range(int least, int most) const;
  Option range(std::int64_t least, std::int64_t most) const;
  Option range(std::uint64_t least, std::uint64_t most) const;
  Option range(double least, double most) const;
  Option is_member(const std::vector<std::string>& values) const;

  /// As if the command line gave it this value.
  void give(const std::string& value) const;

  // What was given.
  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] const std::vector<std::string>& results() const;
  /// The values as they may be given again, an option each: a list whose values a delimiter parts
  /// is one, and of others all are or the last, as the option takes them.
  [[nodiscard]] std::vector<std::string> values() const;

  // What is known of it.
  [[nodiscard]] std::string get_name() const;
  /// That of a positional one.
  [[nodiscard]] std::string get_positional_name() const;
  /// "-o,--output"
  [[nodiscard]] std::string get_all_names() const;
  [[nodiscard]] const std::vector<std::string>& get_snames() const;
  [[nodiscard]] const std::vector<std::string>& get_lnames() const;
  [[nodiscard]] std::string get_type_name() const;
  [[nodiscard]] const std::string& get_group() const;
  [[nodiscard]] const std::string& get_description() const;
  [[nodiscard]] std::string get_default_str() const;
  [[nodiscard]] bool is_flag() const;
  /// Does it take several values?
  [[nodiscard]] bool takes_list() const;
  [[nodiscard]] bool is_required() const;

 private:
  CLI::Option* option_;
};

}  // namespace mx::cli
