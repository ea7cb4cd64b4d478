// Commands that people are told to type.
#pragma once

#include <string>
#include <string_view>

namespace mx::cli {

/// A word as a shell reads it back.
[[nodiscard]] std::string shell_quoted(std::string_view text);

/// The program's name, for messages: "mxgold".
[[nodiscard]] std::string_view program_name();
/// The first word of a command: "mxgold", or how the program was started.
[[nodiscard]] std::string_view program_word();
/// For a program that is not mxgold itself: how it was started. Before its command line is read.
void set_program(std::string_view path);

}  // namespace mx::cli
