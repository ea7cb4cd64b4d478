// The whole command line of mxgold for a program with a device of its own
// (docs/howto/cpp-dut.md):
//
//   int main(int argc, char** argv) {
//     return mx::sim_main(argc, argv, "my_dut", [] { return std::make_unique<MyDut>(); });
//   }
//
// Link mxgold::sim_main.
#pragma once

#include <string>

#include "sim/dut/kind.hpp"

namespace mx {

/// Runs the program: the command line of `mxgold`, in which --dut knows one device more, which is
/// the default, and a line without a subcommand is `run`. Returns the exit code. Commands that it
/// prints begin with argv[0].
[[nodiscard]] int sim_main(int argc, char** argv, sim::DutKind device);

/// The same of a device without arguments. `make` is called once for each thread, and for
/// questions.
[[nodiscard]] int sim_main(int argc, char** argv, const std::string& name, sim::DutFactory make);

}  // namespace mx
