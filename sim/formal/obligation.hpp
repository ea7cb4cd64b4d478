// What is proved of the RTL for all inputs: one statement, and the modules that say it to a solver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mx::sim {

/// Verilog whose top module mx_proof assumes what is allowed, and asserts. Files of the RTL are
/// read before it. Registers hold what stands before them: a proof is of what a pipeline answers
/// when its inputs hold still.
struct Obligation {
  std::string name;       ///< "P1.e4m3fn"
  std::string statement;  ///< in words
  std::string verilog;
  std::string broken;  ///< the same with one constant of the law changed: it must be refuted
};

/// Every one, in the order of their names.
[[nodiscard]] std::vector<Obligation> obligations();

}  // namespace mx::sim
