// SPDX-License-Identifier: Apache-2.0
// The RTL held still: a block stays at its inputs, and nothing waits, so that every register holds
// what is made of that block. And the inputs of circuits in which such a block is one of many.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/gates/circuit.hpp"
#include "sim/gates/control.hpp"
#include "sim/gates/handshake.hpp"
#include "sim/gates/strashed.hpp"

namespace mx::sim {

/// Circuits without registers have two inputs for each register and each input of the data
/// (Control::data()): the own one is of the block held still, the other is anything.
class Still {
 public:
  /// `flowing` is what data see where every block is offered and taken, for long. The circuit and
  /// its control outlive this.
  Still(const Circuit& rtl, const Control& control, const Bits& flowing);

  /// How many inputs those circuits have, and their names, no two alike.
  [[nodiscard]] std::size_t inputs() const { return 2 * (registers() + data_.inputs.size()); }
  [[nodiscard]] std::vector<std::string> names() const;

  /// What a register holds: where the RTL is held still, many are what stands in front of them.
  [[nodiscard]] Literal own_register(std::size_t r) const { return own_[r]; }
  /// Is it what a register holds, whose number is half of it less one?
  [[nodiscard]] bool is_register(Literal literal) const {
    return literal % 2 == 0 && literal != 0 && literal / 2 <= registers();
  }
  [[nodiscard]] Literal own_input(std::size_t i) const { return Strashed::input(registers() + i); }
  [[nodiscard]] Literal other_register(std::size_t r) const { return other(Strashed::input(r)); }
  [[nodiscard]] Literal other_input(std::size_t i) const { return other(own_input(i)); }
  /// Of an input by its number, from 1 on: is it another one, and of which of the RTL?
  [[nodiscard]] bool is_other(std::size_t wire) const { return wire > inputs() / 2; }
  [[nodiscard]] std::string name_of(std::size_t wire) const;
  /// One of the names that the sources have for a register.
  [[nodiscard]] std::string name_of_register(std::size_t r) const;

  /// Is an input the block's own in a cycle in which it is taken, or its random word is?
  [[nodiscard]] bool is_own(std::size_t input, bool enters, bool draws) const {
    return port::is_random(data_.inputs[input]) ? draws : enters;
  }
  /// Which of Control::seen() decide what becomes of such inputs and of registers that hold what is
  /// the block's own; which decide answers. A bit each.
  [[nodiscard]] std::uint64_t decides(const std::vector<bool>& registers, bool enters,
                                      bool draws) const;
  [[nodiscard]] std::uint64_t decides_answers() const;
  /// Does a register of data hold what it held?
  [[nodiscard]] bool waits(std::size_t r, const Bits& seen) const;
  /// The registers that one looks at.
  [[nodiscard]] const std::vector<std::size_t>& looks(std::size_t r) const { return looks_[r]; }

  /// What data see of the handshake, as inputs of theirs: what is not known may be anything.
  void set_seen(const Bits& seen, std::vector<Literal>& inputs) const;

  /// The wires of the data held still.
  [[nodiscard]] std::vector<Literal> wires(Strashed& gates) const;
  /// Those of the whole RTL in any state; `is_other`: all but the handshake is other.
  [[nodiscard]] std::vector<Literal> wires_of_any(Strashed& gates, bool is_other) const;
  /// Registers of data that, held still, would look at themselves: they are no function of a block.
  [[nodiscard]] std::vector<std::size_t> rings() const;

 private:
  [[nodiscard]] std::size_t registers() const { return data_.next.size(); }
  [[nodiscard]] Literal other(Literal own) const { return static_cast<Literal>(own + inputs()); }
  void find_own();
  void find_seen_by();
  void find_looks();
  void find_holds();
  [[nodiscard]] const std::array<Literal, 2>* gate_of(Literal literal) const;

  const Circuit& rtl_;
  const Control& control_;
  const Circuit& data_;
  Bits flowing_;
  std::vector<std::string> names_;  ///< of registers
  std::vector<Literal> own_;
  std::vector<std::vector<std::size_t>> looks_;
  std::vector<Literal> holds_;  ///< of registers: of the data, where it is 1; 0 for none
  std::vector<std::uint64_t>
      seen_by_;  ///< of wires of the data: what they look at of the handshake
};

/// Which wires of circuits with those inputs look at the block's own, at anything else, at both.
class Sides {
 public:
  /// It outlives this.
  explicit Sides(const Still& held) : held_(held) {}
  /// Gates that have come since.
  void note(const Strashed& gates);
  [[nodiscard]] bool is_both(Literal literal) const { return sides_[literal / 2] == kBoth; }
  /// The first name of anything else that a wire looks at.
  [[nodiscard]] std::string other_of(const Strashed& gates, Literal literal) const;

 private:
  static constexpr std::uint8_t kOwn = 1, kOther = 2, kBoth = 3;
  const Still& held_;
  std::vector<std::uint8_t> sides_;
};

}  // namespace mx::sim
