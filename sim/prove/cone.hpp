// The logic that a mutant reaches, twice: as it was and mutated, and one bit that says whether the
// two differ.
#pragma once

#include <optional>
#include <string>

#include "sim/netlist/graph.hpp"
#include "sim/netlist/mutation.hpp"

namespace mx::sim {

/// A module in the language of Yosys (RTLIL) with the output `differ`. Its inputs are the inputs
/// and the state of the netlist, the same for both copies. `differ` is 1 where the next state of a
/// register, a write into a memory, the address of a read or an output is another one. If it is
/// never 1, the two netlists, started in the same state, give the same outputs for ever: the mutant
/// is equivalent, in whatever states the netlist ever is.
///
/// Nothing where the mutant reaches no register, memory or output: then it is equivalent as well.
/// Throws ToolError if the netlist has no such cell or bit.
[[nodiscard]] std::optional<std::string> proof_module(const NetGraph& graph,
                                                      const Mutation& mutation,
                                                      const std::string& name);

}  // namespace mx::sim
