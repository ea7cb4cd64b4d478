// Another program, run to its end, and the CPU time it took.
#pragma once

#include <string>
#include <vector>

namespace mx::goals {

/// Runs `arguments[0]` with standard input and output from and to files. CPU seconds of the
/// process; throws std::runtime_error where it cannot be run or ends with another status than 0.
[[nodiscard]] double run_child(const std::vector<std::string>& arguments, const std::string& input,
                               const std::string& output);

}  // namespace mx::goals
