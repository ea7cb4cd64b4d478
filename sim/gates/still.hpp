// SPDX-License-Identifier: Apache-2.0
// The RTL held still: a block stays at its inputs, and nothing waits, so that every register holds
// what is made of that block. And the inputs of circuits in which such a block is one of many.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/gates/circuit.hpp"
#include "sim/gates/handshake.hpp"
#include "sim/gates/strashed.hpp"

namespace mx::sim {

/// Circuits without registers have two inputs for each register and each input of the RTL: the own
/// one is of the block held still, the other is anything.
class Still {
 public:
  /// Both outlive it.
  Still(const Circuit& rtl, const Handshake& handshake);

  /// How many inputs those circuits have, and their names, no two alike.
  [[nodiscard]] std::size_t inputs() const { return 2 * (rtl_.next.size() + rtl_.inputs.size()); }
  [[nodiscard]] std::vector<std::string> names() const;

  /// What a register holds: where the RTL is held still, many are what stands in front of them.
  [[nodiscard]] Literal own_register(std::size_t r) const { return own_[r]; }
  /// Is it what a register holds, whose number is half of it less one?
  [[nodiscard]] bool is_register(Literal literal) const {
    return literal % 2 == 0 && literal != 0 && literal / 2 <= rtl_.next.size();
  }
  [[nodiscard]] Literal own_input(std::size_t i) const {
    return Strashed::input(rtl_.next.size() + i);
  }
  [[nodiscard]] Literal other_register(std::size_t r) const { return other(Strashed::input(r)); }
  [[nodiscard]] Literal other_input(std::size_t i) const { return other(own_input(i)); }
  /// Of an input by its number, from 1 on: is it another one, and of which of the RTL?
  [[nodiscard]] bool is_other(std::size_t wire) const { return wire > inputs() / 2; }
  [[nodiscard]] std::string name_of(std::size_t wire) const;

  /// One of the names that the sources have for a register.
  [[nodiscard]] std::string name_of_register(std::size_t r) const;
  /// Is it taken with the random word? Is an output part of an answer?
  [[nodiscard]] bool is_random(std::size_t input) const;
  [[nodiscard]] bool is_answer(std::size_t output) const;

  /// What data and answers see of a handshake: its registers, valid, ready; 0 where they see none.
  [[nodiscard]] std::vector<Literal> seen(HandshakeState state, Offers offers) const;
  /// Puts that in its places, and the clock and no reset.
  void set_handshake(const std::vector<Literal>& seen, std::vector<Literal>& inputs,
                     std::vector<Literal>& registers) const;

  /// The wires of the RTL held still.
  [[nodiscard]] std::vector<Literal> wires(Strashed& gates) const;
  /// Those of the RTL in any state; `is_other`: all but the handshake is other.
  [[nodiscard]] std::vector<Literal> wires_of_any(Strashed& gates, bool is_other) const;
  /// Registers of data that, held still, would look at themselves: they are no function of a block.
  [[nodiscard]] std::vector<std::size_t> rings() const;

 private:
  [[nodiscard]] Literal other(Literal own) const { return static_cast<Literal>(own + inputs()); }
  void find_own();
  void find_seen();

  const Circuit& rtl_;
  const Handshake& handshake_;
  std::vector<std::string> names_;  ///< of registers
  std::vector<bool> is_control_;    ///< registers of the handshake
  std::vector<bool> is_seen_;       ///< wires of the RTL, by data
  std::vector<Literal> own_;
};

}  // namespace mx::sim
