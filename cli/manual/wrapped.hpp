// Text in lines that a terminal shows whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mx::cli {

inline constexpr std::size_t kHelpWidth = 100;

/// The words of a text in lines of at most `width` columns; a longer word has a line of its own.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// `left` and, from column `column` on, `text`; below `left` where that is too long. With `most`
/// lines or fewer; what is cut ends with "...".
[[nodiscard]] std::string in_columns(const std::string& left, std::string_view text,
                                     std::size_t column, std::size_t most = 1000);

/// A text whose lines that fit stay as they are; longer ones are wrapped under their indent.
[[nodiscard]] std::string fitted(std::string_view text);

}  // namespace mx::cli
