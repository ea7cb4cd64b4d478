// One small working command line of every kind for every subcommand, for laws that hold for all of
// them.
#pragma once

#include <string>
#include <vector>

#include "tests/cli/files/byte_builder.hpp"

namespace mx::cli::test {

/// The files that the command lines below read: x.npy, x.mx.safetensors, x.tv, log.txt.
void write_inputs(const Scratch& scratch);

/// A command line; @NAME stands for a file of the scratch folder, @OUT for the output under test.
using CommandLine = std::vector<std::string>;

/// Command lines that print on standard output, a refusal or a failure not among them.
[[nodiscard]] std::vector<CommandLine> printing_commands();

/// Command lines with an output file (-o, --junit): for every option of that kind at least one.
[[nodiscard]] std::vector<CommandLine> writing_commands();

/// The arguments with the @names in place; `output` replaces @OUT.
[[nodiscard]] std::vector<std::string> in_place(const CommandLine& line, const Scratch& scratch,
                                                const std::string& output = "");

/// The subcommands, as `mxgold --help-all` lists them.
[[nodiscard]] std::vector<std::string> subcommands();

/// The lines of `mxgold SUBCOMMAND --help-all`.
[[nodiscard]] std::vector<std::string> help_lines(const std::string& subcommand);

}  // namespace mx::cli::test
