// Every format that a command line can name: the table, the families of
// reference/catalog/catalog.hpp, and what the user defines in files and options.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/error.hpp"
#include "cli/line/command.hpp"
#include "cli/text/names.hpp"
#include "reference/catalog/catalog.hpp"

namespace mx::cli {

/// Formats by name. Choices and formats it gave out stay valid as long as it lives; it does not
/// move.
class FormatBook {
 public:
  FormatBook() = default;
  FormatBook(const FormatBook&) = delete;
  FormatBook& operator=(const FormatBook&) = delete;

  /// Takes up the definitions of a JSON file: one object, an array of objects, or
  /// {"formats": [...], "blocks": [...]}; docs/format-tables.md describes the fields. An object
  /// with "element" is a block format. Throws Error kBadInput naming file, definition, field and
  /// remedy.
  void load(const std::filesystem::path& path);

  /// Takes up JSON text, or pairs "name=tiny, exp_bits=3, man_bits=1". Throws Error with `exit`;
  /// `where` stands in front of messages.
  void define(std::string_view where, std::string_view text, Exit exit);

  /// The format of a name, or Error kUsage: with the nearest name if it is unknown, with the reason
  /// if it is known by name only.
  [[nodiscard]] FormatChoice require(std::string_view name);
  [[nodiscard]] const ElementFormat& require_element(std::string_view kind, std::string_view name);

  /// JSON text of the definitions that a choice rests on, "" if there are none: define() takes it.
  [[nodiscard]] std::string definitions_of(const FormatChoice& choice) const;

  [[nodiscard]] FormatCatalog& catalog() { return catalog_; }

  /// Says on stderr, once, that OCP's format has another name, where `name` is IEEE 754's.
  void note_namesake(std::string_view name);

 private:
  FormatCatalog catalog_;
  std::set<std::string> noted_;  ///< said once each
};

/// The options --format-file and --define. Must stay in place once added, since CLI11 keeps
/// references.
class FormatOptions {
 public:
  FormatOptions() = default;
  FormatOptions(const FormatOptions&) = delete;
  FormatOptions& operator=(const FormatOptions&) = delete;

  void add_to(const Command& command);
  /// The book with everything the options define. Throws Error: kBadInput for a file, kUsage for
  /// --define.
  [[nodiscard]] std::shared_ptr<FormatBook> book() const;
  /// As they have to be typed again: " --define '...'", "" if there are none.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::string> files_;
  std::vector<std::string> texts_;
};

}  // namespace mx::cli
