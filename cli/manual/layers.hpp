// The command line in layers: what a first look shows of it, and what only --help-all does.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace mx::cli {

/// What a command is for: a heading of the help.
enum class Role : std::uint8_t { kVerify, kAsk, kConvert, kSimulate, kRegress, kProgram };
[[nodiscard]] std::string_view title_of(Role role);

struct Layer {
  std::string_view command;
  Role role;
  bool is_first;             ///< one of the verbs that `mxgold` alone shows
  std::string_view options;  ///< those that --help shows: long names, in its order
};

/// A row for each command, in the order of the help.
[[nodiscard]] std::span<const Layer> layers();
/// nullptr for a command of no row.
[[nodiscard]] const Layer* layer_of(std::string_view command);

}  // namespace mx::cli
