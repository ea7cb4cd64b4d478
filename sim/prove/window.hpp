// A mutant against the original over the whole way of a beat, from the input to the outputs.
//
// A register that is no part of a loop shows what its data input was when it was last loaded, and
// registers that share clock, enable and reset were loaded at the same time. So the state that the
// netlist can be in is known from what was at its inputs before: the two copies are written out
// from the outputs back through registers and memories, one copy of the logic for each moment at
// which a group of registers was loaded, with values of their own. Registers in loops (the running
// maximum, counters, valid bits under a stall) are free, the same in both copies, and must get the
// same next state from both.
//
// Two things are taken for granted, which a proof over all states does not need:
//   legal words   wherever a configuration travels, its fields have codes that there are: a beat
//   with
//                 another one is illegal input (spec R5.6)
//   loaded beats  a register that shows what no beat loaded into it belongs to no answer
#pragma once

#include <optional>
#include <string>

#include "sim/netlist/mutation.hpp"
#include "sim/prove/facts.hpp"

namespace mx::sim {

/// How much is written out: the less, the faster the proof, if it succeeds.
struct WindowSize {
  int forward = 0;  ///< registers that a difference may pass; those behind have to agree
  int back = 0;     ///< registers that the mutant does not reach are followed back so often
};

/// As proof_module(). Nothing where the question cannot be asked.
[[nodiscard]] std::optional<std::string> window_module(const NetFacts& facts,
                                                       const Mutation& mutation,
                                                       const WindowSize& size,
                                                       const std::string& name);

}  // namespace mx::sim
