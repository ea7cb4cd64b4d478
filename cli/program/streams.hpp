// The standard streams of the program: there from its start, and checked at its end.
#pragma once

#include <string>

namespace mx::cli {

/// Opens standard streams that the program was started without, so that no file of its own gets
/// their numbers. Reading standard input and printing then fail; messages are lost.
void open_missing_streams();

/// Makes writing to a pipe without a reader an error instead of the end of the program. Programs
/// that this one starts are not affected.
void survive_closed_pipes();

/// Did whoever reads standard output through a pipe leave before it was all written, as `head`
/// does?
[[nodiscard]] bool reader_left();

/// Makes children of this program wait to be collected, also where it was started with SIGCHLD
/// ignored: then nobody would know how they ended.
void collect_children();

/// Flushes standard output. "" if everything printed so far was written, else what went wrong.
[[nodiscard]] std::string stdout_problem();

}  // namespace mx::cli
