// Colours for people: on a terminal, unless they do not want any.
#pragma once

#include <cstdio>
#include <string>

namespace mx::cli {

/// A verdict with its first words in green (PASS) or red (anything else), if `stream` is a
/// terminal, the environment has no NO_COLOR, and TERM is not `dumb`.
[[nodiscard]] std::string with_colour(std::string verdict, std::FILE* stream);

}  // namespace mx::cli
