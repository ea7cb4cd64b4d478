// What is proved of the RTL for all inputs: one statement, and the modules that say it to a solver.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mx::sim {

/// A property as certificates have it, or with one constant changed.
enum class Property : std::uint8_t { kRight, kBroken };

/// How a statement is decided.
enum class FormalEngine : std::uint8_t {
  /// Yosys' SAT solver. Registers are wires: what a pipeline answers whose inputs hold still.
  kSat,
  /// ABC's property-directed reachability, from the state that registers begin in, over any number
  /// of cycles.
  kReachability,
  /// Yosys' temporal induction: what is asserted follows from itself in the cycle before. Registers
  /// of the RTL begin with anything, a reset is there in the first cycle. Where it does not follow,
  /// so many cycles are looked at for a counterexample. Its control is decided by kBounded.
  kInduction,
  /// ABC's bounded model checking: so many cycles from that state.
  kBounded,
  /// ABC's check of two circuits without registers, once those of RTL and netlist are paired
  /// (sim/gates): for every input and every state.
  kEquivalence,
  /// The same check of the RTL in a stream against the RTL held still, in every place of a block
  /// (sim/gates/own_block.hpp).
  kOwnBlock
};

/// Yosys' commands from the files of the RTL to both sides of a comparison.
struct NetlistMaking {
  std::string rtl;       ///< to the hierarchy that the netlist is compared with
  std::string netlist;   ///< to the netlist
  bool is_wide = false;  ///< there is lane_sweep.v too, sim/lanes' netlist of 64 lanes
  std::string one{};     ///< of kOwnBlock: an input that is 1 in each beat that is offered
};

/// The engine of a control: induction would look for one longer than bounded model checking does.
[[nodiscard]] constexpr FormalEngine control_engine(FormalEngine engine) {
  return engine == FormalEngine::kInduction ? FormalEngine::kBounded : engine;
}

/// What is asked about RTL whose files are read before it.
struct Obligation {
  std::string name;       ///< "P1.e4m3fn"
  std::string statement;  ///< in words
  FormalEngine engine = FormalEngine::kSat;
  /// Verilog whose top module mx_proof assumes what is allowed, and asserts; of kEquivalence what
  /// Yosys does to the netlist before it is compared: nothing; of kOwnBlock the port that is
  /// withheld: none.
  std::string text{};
  std::string broken{};    ///< the same with one constant or one gate changed: it must be refuted
  int cycles = 0;          ///< of kBounded and kInduction
  NetlistMaking making{};  ///< of kEquivalence; of kOwnBlock its RTL
  /// The configuration word is the example's input `settings` in these bits, and this in the
  /// others.
  std::uint32_t free_settings = 0x7FFFFFF;
  std::uint32_t settings = 0;
  std::string unit = "mx_quantizer";  ///< which the sources are of
};

/// Every one, in the order in which docs/proofs.md has them.
[[nodiscard]] std::vector<Obligation> obligations();

}  // namespace mx::sim
