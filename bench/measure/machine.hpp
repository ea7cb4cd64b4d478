// What a figure is worth nothing without: the machine, its load, the compilers.
#pragma once

#include <string>

namespace mx::goals {

/// Lines: processor and its flags, governor, load averages, our compiler and vector instructions.
[[nodiscard]] std::string machine_words();

}  // namespace mx::goals
