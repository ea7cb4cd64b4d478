// Names that users type: unknown ones are answered with the nearest known one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/asked.hpp"
#include "golden/bytes/number_text.hpp"
#include "golden/names/names.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/policy.hpp"

namespace mx::cli {

using golden::edit_distance;
using golden::FormatChoice;
using golden::nearest_name;
using golden::printable;
using golden::unknown_name;

/// The one of these names that is meant, in any spelling and by what other systems call it; or
/// Error kUsage with the nearest one.
[[nodiscard]] std::string_view require_known(std::string_view kind, std::string_view given,
                                             std::span<const std::string_view> known);

/// The value of a token, or Error kUsage with the nearest one.
template <typename E>
[[nodiscard]] E require_token(std::string_view kind, std::string_view text) {
  std::vector<std::string_view> known;
  for (const Token<E>& token : tokens<E>()) known.push_back(token.text);
  return *parse_token<E>(require_known(kind, text, known));
}

/// For CLI11's check(): "" if the text is a whole number of 0 to 2^64 - 1, else what is wrong.
/// CLI11 itself lets -1 and numbers beyond 64 bits wrap around.
[[nodiscard]] std::string check_unsigned(const std::string& text);

/// What --shard says, or Error kUsage.
[[nodiscard]] golden::Shard require_shard(std::string_view text);

/// Error kUsage for a format that is known by name only; returns for every other name.
void refuse_named_only(std::string_view name);

/// The format of a name of the table, or Error kUsage with the nearest one; FormatBook knows the
/// families and definitions too. Scale formats are not a choice.
[[nodiscard]] FormatChoice require_format(std::string_view name);

/// An element or source format of a token, or Error kUsage with the nearest one.
[[nodiscard]] const ElementFormat& require_element_format(std::string_view kind,
                                                          std::string_view name);

}  // namespace mx::cli
