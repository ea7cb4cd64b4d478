// The program behind main(): parses the command line, runs one subcommand, turns its end into an
// exit code.
#pragma once

namespace mx::cli {

[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace mx::cli
