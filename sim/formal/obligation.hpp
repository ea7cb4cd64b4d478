// What is proved of the RTL for all inputs: one statement, and the modules that say it to a solver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mx::sim {

/// A law as certificates have it, or with one constant changed.
enum class Law : std::uint8_t { kRight, kBroken };

/// How a statement is decided.
enum class FormalEngine : std::uint8_t {
  /// Yosys' SAT solver. Registers are wires: what a pipeline answers whose inputs hold still.
  kSat,
  /// ABC's property-directed reachability, from the state that registers begin in, over any number
  /// of cycles.
  kReachability,
  /// ABC's bounded model checking: so many cycles from that state.
  kBounded
};

/// Verilog whose top module mx_proof assumes what is allowed, and asserts. Files of the RTL are
/// read before it.
struct Obligation {
  std::string name;       ///< "P1.e4m3fn"
  std::string statement;  ///< in words
  FormalEngine engine = FormalEngine::kSat;
  std::string verilog;
  std::string broken;  ///< the same with one constant of the law changed: it must be refuted
  int cycles = 0;      ///< of kBounded
};

/// Every one, in the order in which docs/proofs.md has them.
[[nodiscard]] std::vector<Obligation> obligations();

}  // namespace mx::sim
