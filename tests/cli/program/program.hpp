// Runs the mxgold executable and keeps what it says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace mx::cli::test {

struct ProgramEnd {
  int status = -1;  ///< exit status; 128 + signal if one ended it
  std::string out;
  std::string err;
  std::int64_t peak_kib = 0;  ///< largest resident set
};

/// What the program's standard output is.
enum class Stdout {
  kFile,        ///< kept as ProgramEnd::out
  kFullDisk,    ///< /dev/full
  kClosedPipe,  ///< a pipe that nobody reads
  kClosed       ///< no open file
};

/// Runs `mxgold ARGUMENTS...`; `input` becomes its standard input.
[[nodiscard]] ProgramEnd run_program(const std::vector<std::string>& arguments,
                                     const std::string& input = "", Stdout to = Stdout::kFile);

}  // namespace mx::cli::test
