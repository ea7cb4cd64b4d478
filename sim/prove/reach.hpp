// What a mutant may change: the nets behind it, through registers and memories too.
#pragma once

#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sim/netlist/mutation.hpp"
#include "sim/prove/facts.hpp"

namespace mx::sim {

class Reach {
 public:
  /// `forward`: registers that a difference passes at most. Throws ToolError if the netlist has no
  /// such cell or bit.
  Reach(const NetFacts& facts, const Mutation& mutation, int forward);

  [[nodiscard]] int cell() const { return cell_; }
  [[nodiscard]] const NetPort& port() const { return *port_; }
  /// The mutated net, if it is an output of its cell.
  [[nodiscard]] bool is_output(NetBit bit) const { return port_->is_output && bit == place_; }
  /// Is it this pin of an input port that is mutated?
  [[nodiscard]] bool is_input(int cell, const NetPort& port, std::size_t bit) const;

  [[nodiscard]] bool is_affected(NetBit bit) const { return affected_.contains(bit.number); }
  [[nodiscard]] const std::vector<NetBit>& outputs() const { return outputs_; }
  /// Pins that say when something is loaded, or where: they have to agree.
  [[nodiscard]] const std::set<std::pair<int, std::string>>& controls() const { return controls_; }
  /// State in loops and behind the last register, as cell and bit: it has to agree.
  [[nodiscard]] const std::set<std::pair<int, std::size_t>>& loops() const { return loops_; }
  /// Are registers of the group (group_of()) among what is passed?
  [[nodiscard]] bool passes(const std::string& group) const { return groups_.contains(group); }
  /// It reaches a memory whose reads cannot be followed.
  [[nodiscard]] bool loses_time() const { return loses_time_; }

  /// State in a loop, and what an asynchronous reset may have set.
  [[nodiscard]] bool must_agree(int cell, NetBit bit) const;

 private:
  [[nodiscard]] const NetCell& at(int cell) const {
    return facts_.graph().cells()[static_cast<std::size_t>(cell)];
  }
  void add(NetBit bit, int distance);
  void follow(int cell, const NetPin& pin, const std::string& port);
  void drain();
  std::vector<NetBit> reached_by(int cell, const NetPin& pin, const std::string& port);
  std::vector<NetBit> state(int cell, std::size_t bit);
  std::vector<NetBit> written(int writer, std::size_t bit);

  const NetFacts& facts_;
  int forward_;
  int cell_ = -1;
  const NetPort* port_ = nullptr;
  NetBit place_{};
  int input_bit_ = -1;                     // where it is an input
  std::vector<std::vector<NetBit>> todo_;  // by distance
  int distance_ = 0;
  std::unordered_set<int> affected_;
  std::vector<NetBit> outputs_;
  std::set<std::pair<int, std::string>> controls_;
  std::set<std::pair<int, std::size_t>> loops_;
  std::set<std::string> groups_;
  bool loses_time_ = false;
};

}  // namespace mx::sim
