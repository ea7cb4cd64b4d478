// Is a mutant equivalent? Asked of Yosys' SAT solver, for the logic that the mutant reaches.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/netlist/build.hpp"

namespace mx::sim {

enum class ProofResult : std::uint8_t {
  kEquivalent,
  kDiffers,   ///< in some state, which may be none that is ever reached
  kUndecided  ///< the time was over
};

struct Proof {
  ProofResult result = ProofResult::kUndecided;
  std::string text;  ///< what was proved, or where they differ
};

/// How far a difference is followed. kLocal: it passes no register, a matter of a moment; kNear:
/// two registers at most; kWide: the whole way to the outputs, which takes minutes where a mutant
/// reaches every lane.
enum class ProofRange : std::uint8_t { kLocal, kNear, kWide };

struct ProofOptions {
  ProofRange range = ProofRange::kLocal;
  std::filesystem::path work;
  int seconds_each = 60;  ///< for each question about a mutant
  unsigned threads = 1;
};

/// Throws ToolError.
[[nodiscard]] std::vector<Proof> prove_equivalence(const NetlistFiles& netlist,
                                                   const std::vector<Mutation>& mutants,
                                                   const ProofOptions& options);

}  // namespace mx::sim
