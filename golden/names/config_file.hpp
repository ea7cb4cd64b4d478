// SPDX-License-Identifier: Apache-2.0
// A configuration file: what options of the program say, in a file, "rounding = 'RNE'". The
// program, lines of models, device files and Python take the same file, and all read it here.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "golden/names/settings.hpp"

namespace mx::golden {

/// A key that such a file may have: the name of an option.
struct ConfigKey {
  std::string_view name;  ///< "block-size"
  bool is_path = false;   ///< its values are files, looked for from the folder of the file
};
/// In the order in which a new file shows them; policies are among them.
[[nodiscard]] std::span<const ConfigKey> config_keys();

struct ConfigEntry {
  std::string key;  ///< as config_keys() spells it
  std::vector<std::string> values;
  std::size_t line = 1;
};

/// What a file says. Keys may be written with _ for -, and in capitals.
class ConfigFile {
 public:
  /// `path` is what messages call the text, and where its paths start from. Refusal with path, line
  /// and key: for what is no TOML, for a key that there is not, with the nearest one, for one that
  /// stands twice, and for no value.
  [[nodiscard]] static ConfigFile parse_config(std::string_view text, const std::string& path);
  /// Refusal also where there is no such file.
  [[nodiscard]] static ConfigFile read_config(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::vector<ConfigEntry>& entries() const { return entries_; }
  /// nullptr where the file does not say it.
  [[nodiscard]] const ConfigEntry* find(std::string_view key) const;
  /// "my_accel.toml:3: rounding", for messages.
  [[nodiscard]] std::string place(const ConfigEntry& entry) const;
  /// Its one value; Refusal where it has several: `who` takes one.
  [[nodiscard]] const std::string& one(const ConfigEntry& entry, std::string_view who) const;

 private:
  std::string path_;
  std::vector<ConfigEntry> entries_;
};

/// What the file says of a model, by the names that lines of models and the C library use:
/// "block_size", "rounding"; formats, profile and policies, the names of values as this library
/// spells them. The other keys are of programs. Refusal for a list.
[[nodiscard]] Settings model_settings(const ConfigFile& file);

/// What the file says as data, and as a line of a model.
[[nodiscard]] Answer config_answer(const ConfigFile& file);

}  // namespace mx::golden
