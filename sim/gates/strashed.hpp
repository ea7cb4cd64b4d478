// Gates as a table in which none stands twice and none has a constant input: the form in which two
// circuits are put side by side, and its way to AIGER.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/gates/circuit.hpp"

namespace mx::sim {

class Strashed {
 public:
  /// Of so many inputs: literals 2, 4, 6, ...
  explicit Strashed(std::size_t inputs) : inputs_(inputs) {}

  [[nodiscard]] static Literal input(std::size_t index) {
    return static_cast<Literal>(2 * (index + 1));
  }
  Literal conjunction(Literal left, Literal right);

  /// The literals of all wires of a circuit whose inputs and registers are told.
  [[nodiscard]] std::vector<Literal> added(const Circuit& circuit,
                                           const std::vector<Literal>& inputs,
                                           const std::vector<Literal>& registers);

  [[nodiscard]] std::size_t inputs() const { return inputs_; }
  [[nodiscard]] std::size_t size() const { return 1 + inputs_ + gates_.size(); }
  /// The inputs of the gate that a literal is; nullptr for inputs, constants, and what is inverted.
  [[nodiscard]] const std::array<Literal, 2>* gate_of(Literal literal) const;
  /// Whether a literal is an input without inverter.
  [[nodiscard]] bool is_input(Literal literal) const {
    return literal % 2 == 0 && literal != 0 && literal / 2 <= inputs_;
  }

  /// Binary AIGER with these outputs. `names` are those of inputs, then of outputs: no two alike.
  [[nodiscard]] std::string aiger(const std::vector<Literal>& outputs,
                                  const std::vector<std::string>& names) const;

 private:
  std::size_t inputs_;
  std::vector<std::array<Literal, 2>> gates_;
  std::unordered_map<std::uint64_t, Literal> known_;
};

/// What a literal of a circuit is, by the literals of its wires.
[[nodiscard]] inline Literal literal_of(const std::vector<Literal>& wires, Literal literal) {
  return wires[literal / 2] ^ (literal % 2);
}

}  // namespace mx::sim
