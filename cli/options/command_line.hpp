// What holds for the options of every subcommand, whoever added them: which are files, and what a
// file or a number may be.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/line/command.hpp"

namespace mx::cli {

/// Says that the option names files to read: an output is never one of them. "-" is standard input.
Option as_input(Option option);

/// Says that the option names a file to write, of a format with these suffixes: see refuse_suffix.
/// Other names of standard output become "-".
Option as_output(Option option, std::span<const std::string_view> suffixes);

/// For CLI11's check(): "" unless the suffix of `path` belongs to another format that this program,
/// or a program that it feeds, knows. Folders have none.
[[nodiscard]] std::string refuse_suffix(const std::string& path,
                                        std::span<const std::string_view> suffixes);

/// Makes every number option of the program's subcommands refuse what its type cannot hold: CLI11
/// lets -1 and 2^64 wrap around, and knows times of `nan` seconds.
void check_numbers(const Command& root);

/// What can be said only when all options are read. Error kUsage where an output is the same file
/// as an input (also through links), two outputs have one name, or --json and an output both want
/// standard output, or a list has a value twice (formats aside: two may be those of two
/// operands).
void check_outputs(const Command& command);

/// The same of a file that no option names, `what`, which is written beside an output.
void check_beside(const Command& command, std::string_view what, const std::string& path);

}  // namespace mx::cli
