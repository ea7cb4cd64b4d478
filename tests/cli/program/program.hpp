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

/// Runs `mxgold ARGUMENTS...`; `input` becomes its standard input.
[[nodiscard]] ProgramEnd run_program(const std::vector<std::string>& arguments,
                                     const std::string& input = "");

}  // namespace mx::cli::test
