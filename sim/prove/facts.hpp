// What every proof about a netlist needs to know of it: loops, memories, what is loaded together.
#pragma once

#include <string>
#include <vector>

#include "sim/netlist/graph.hpp"

namespace mx::sim {

/// Cells whose output bit i depends on bit i of their inputs, and on S.
[[nodiscard]] bool is_bitwise(const std::string& type);

/// Clock, enable and resets: registers with the same ones are loaded together.
[[nodiscard]] std::string group_of(const NetCell& cell);
/// The same of what a memory shows: both addresses, and the enable of the write.
[[nodiscard]] std::string group_of_read(const NetCell& read, const NetCell& writer);

/// Facts of a netlist that every proof needs.
class NetFacts {
 public:
  explicit NetFacts(const NetGraph& graph);

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

}  // namespace mx::sim
