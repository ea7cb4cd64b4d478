// SPDX-License-Identifier: Apache-2.0
// The part of TOML 1.0 that a file without tables uses: KEY = VALUE in lines, and comments. What is
// read here means the same to every reader of TOML. The C library is built without others' readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/policy/checked.hpp"

namespace mx::golden {

enum class TomlKind : std::uint8_t { kText, kInteger, kFloat, kBoolean };

/// A text without its quotes, a whole number in decimal digits, another number as it is written,
/// or "true" and "false".
struct TomlValue {
  std::string text;
  TomlKind kind = TomlKind::kText;
};

/// A key with its values: one, or those of an array.
struct TomlEntry {
  std::string key;
  std::vector<TomlValue> values;
  bool is_array = false;
  std::size_t line = 1;  ///< where the key stands
};

/// The entries of a text, in order; each key stands once. The problem begins with "line 3: ".
/// Tables, dotted keys, dates, texts of several lines, and arrays within arrays are refused by
/// name.
[[nodiscard]] Checked<std::vector<TomlEntry>> parse_flat_toml(std::string_view text);

/// A text as a value: in quotes.
[[nodiscard]] std::string toml_quoted(std::string_view text);

}  // namespace mx::golden
