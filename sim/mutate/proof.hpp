// Is a mutant equivalent? Asked of Yosys' SAT solver, for the logic that the mutant reaches.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/mutate/build.hpp"

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

/// One after the other. Throws ToolError.
[[nodiscard]] std::vector<Proof> prove_equivalence(const NetlistFiles& netlist,
                                                   const std::vector<Mutation>& mutants,
                                                   const std::filesystem::path& work,
                                                   int seconds_each);

}  // namespace mx::sim
