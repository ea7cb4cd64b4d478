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
#include <vector>

#include "sim/netlist/graph.hpp"
#include "sim/netlist/mutation.hpp"

namespace mx::sim {

/// Facts of a netlist that every proof needs.
class WindowFacts {
 public:
  explicit WindowFacts(const NetGraph& graph);

  [[nodiscard]] const NetGraph& graph() const { return graph_; }
  /// Is the net state that depends on itself?
  [[nodiscard]] bool is_in_loop(NetBit bit) const;
  /// The only cell that writes the memory of a read, or -1.
  [[nodiscard]] int writer_of(int read) const;
  /// Nets that an output bit depends on, itself left out: of logic in this cycle, of registers and
  /// memories in the one that loaded them.
  [[nodiscard]] std::vector<NetBit> sources_of(NetBit bit) const;

 private:
  void find_loops();

  const NetGraph& graph_;
  std::vector<bool> in_loop_;  // by number of the net
};

/// How much is written out: the less, the faster the proof, if it succeeds.
struct WindowSize {
  int forward = 0;  ///< registers that a difference may pass; those behind have to agree
  int back = 0;     ///< registers that the mutant does not reach are followed back so often
};

/// As proof_module(). Nothing where the question cannot be asked.
[[nodiscard]] std::optional<std::string> window_module(const WindowFacts& facts,
                                                       const Mutation& mutation,
                                                       const WindowSize& size,
                                                       const std::string& name);

}  // namespace mx::sim
