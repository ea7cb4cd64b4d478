// A module in Yosys' own language, written gate by gate.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sim/netlist/graph.hpp"

namespace mx::sim {

/// Signals are texts: a wire of one bit, or a constant.
class RtlilModule {
 public:
  /// A wire of that name, if there is none yet.
  void declare(const std::string& wire) {
    if (declared_.insert(wire).second) wires_.push_back(wire);
  }
  [[nodiscard]] bool is_declared(const std::string& wire) const { return declared_.contains(wire); }
  /// An input of that name.
  void input(const std::string& wire) {
    if (declared_.insert(wire).second) inputs_.push_back(wire);
  }
  std::string new_wire();
  void connect(const std::string& to, const std::string& from);
  /// A gate of one or two inputs: "$not", "$and".
  std::string gate(const std::string& type, const std::vector<std::string>& in);
  std::string choose(const std::string& condition, const std::string& yes, const std::string& no);
  /// A cell of a netlist again, a signal for each bit of its ports.
  void copy(const NetCell& cell,
            const std::function<std::string(const NetPort& port, std::size_t bit)>& signal);

  /// The two must agree.
  void compare(const std::string& left, const std::string& right);
  /// Only inputs are looked at for which the number, lowest bit first, is below `limit`.
  void assume_below(const std::vector<std::string>& bits, unsigned limit);

  /// The whole, with the output `differ`: inputs are as assumed, and what must agree does not.
  [[nodiscard]] std::string text(const std::string& name);

 private:
  /// Ports as lists of signals, highest first.
  void cell(const std::string& type,
            const std::vector<std::pair<std::string, std::string>>& parameters,
            const std::vector<std::pair<std::string, std::string>>& ports);

  std::unordered_set<std::string> declared_;
  std::vector<std::string> inputs_, wires_;
  std::string body_;
  std::string left_, right_;
  int compared_ = 0;
  std::vector<std::string> assumed_;
  int cells_ = 0;
};

}  // namespace mx::sim
