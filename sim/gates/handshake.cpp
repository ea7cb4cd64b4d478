// SPDX-License-Identifier: Apache-2.0
#include "sim/gates/handshake.hpp"

namespace mx::sim {
namespace {

/// More cycles than any pipeline of ours has stages.
constexpr int kLongEnough = 64;
constexpr std::size_t kSaid = 3;
constexpr std::uint64_t kAll = ~std::uint64_t{0};
/// Cases are the offers {valid, ready}, in these places: 0 neither, 1 ready, 2 valid, 3 both.
constexpr Bits kValidCases{0b0011, 0b1100}, kReadyCases{0b0101, 0b1010};

bool has(std::uint64_t bits, std::size_t place) { return (bits >> place & 1U) != 0; }

Bits of_literal(const std::vector<Bits>& wires, Literal literal) {
  const Bits& cases = wires[literal / 2];
  return literal % 2 == 0 ? cases : Bits{cases.ones, cases.zeros};
}

/// The value of a wire in a case, at a place of others.
void put(Bits& bits, std::size_t place, const Bits& cases, std::size_t at) {
  bits.zeros |= (cases.zeros >> at & 1U) << place;
  bits.ones |= (cases.ones >> at & 1U) << place;
}

}  // namespace

Handshake::Handshake(const Control& control)
    : control_(control), driven_(control.driven_of_gates()), idle_by_(control.registers().size()) {
  const Bits in_reset = next_of(wires_of({}, {}, {}, {kAll, 0}), 0);
  find_idle();
  for (std::size_t r = 0; r < idle_by_.size(); ++r) {
    if (has(in_reset.zeros | in_reset.ones, r)) idle_by_[r] = 0;
  }
  number_of(in_reset);
}

/// With each register at 0 in its turn: which others does nothing but they themselves look at?
void Handshake::find_idle() {
  const std::size_t count = idle_by_.size();
  const Strashed& gates = control_.gates();
  for (std::size_t zero = 0; zero < count; ++zero) {
    Strashed less(gates.inputs());
    std::vector<Literal> wires = {0};
    for (std::size_t i = 0; i < gates.inputs(); ++i) {
      wires.push_back(i == zero ? 0 : Strashed::input(i));
    }
    for (std::size_t wire = wires.size(); wire < gates.size(); ++wire) {
      const auto& [left, right] = *gates.gate_of(static_cast<Literal>(2 * wire));
      wires.push_back(less.conjunction(literal_of(wires, left), literal_of(wires, right)));
    }
    std::vector<std::uint64_t> looks(less.size());
    for (std::size_t i = 0; i < count; ++i) looks[1 + i] = std::uint64_t{1} << i;
    for (std::size_t wire = 1 + less.inputs(); wire < less.size(); ++wire) {
      const auto& [left, right] = *less.gate_of(static_cast<Literal>(2 * wire));
      looks[wire] = looks[left / 2] | looks[right / 2];
    }
    for (std::size_t r = 0; r < count; ++r) {
      std::uint64_t by_others = 0;
      for (std::size_t i = 0; i < driven_.size(); ++i) {
        if (i != kSaid + r) by_others |= looks[literal_of(wires, driven_[i]) / 2];
      }
      if (r != zero && !has(by_others, r)) idle_by_[r] |= std::uint64_t{1} << zero;
    }
  }
}

std::vector<Bits> Handshake::wires_of(const Bits& registers, const Cases& valid, const Cases& ready,
                                      const Cases& reset) const {
  const Strashed& gates = control_.gates();
  std::vector<Cases> wires(gates.size());
  wires[0] = {kAll, 0};
  const std::size_t count = control_.registers().size();
  for (std::size_t i = 0; i < count; ++i) {
    wires[1 + i] = {has(registers.zeros, i) ? kAll : 0, has(registers.ones, i) ? kAll : 0};
  }
  wires[1 + count] = valid;
  wires[2 + count] = ready;
  wires[3 + count] = reset;
  for (std::size_t wire = 1 + gates.inputs(); wire < gates.size(); ++wire) {
    const auto& [left, right] = *gates.gate_of(static_cast<Literal>(2 * wire));
    const Cases one = of_literal(wires, left), other = of_literal(wires, right);
    wires[wire] = {one.zeros | other.zeros, one.ones & other.ones};
  }
  return wires;
}

Bits Handshake::next_of(const std::vector<Cases>& wires, int place) const {
  Bits next;
  for (std::size_t r = 0; r + kSaid < driven_.size(); ++r) {
    put(next, r, of_literal(wires, driven_[kSaid + r]), static_cast<std::size_t>(place));
  }
  return next;
}

HandshakeState Handshake::number_of(Bits registers) {
  for (std::size_t r = 0; r < idle_by_.size(); ++r) {
    if ((idle_by_[r] & registers.zeros) == 0) continue;
    registers.zeros &= ~(std::uint64_t{1} << r);
    registers.ones &= ~(std::uint64_t{1} << r);
  }
  const auto [at, is_new] =
      numbers_.emplace(registers, static_cast<HandshakeState>(states_.size()));
  if (is_new) {
    states_.push_back(registers);
    steps_.emplace_back();
  }
  return at->second;
}

Handshake::Steps Handshake::steps_of(const Bits& registers) {
  const std::vector<Cases> wires = wires_of(registers, kValidCases, kReadyCases, {0, kAll});
  Steps steps;
  for (std::size_t place = 0; place < steps.size(); ++place) {
    HandshakeStep& step = steps.at(place);
    Bits said;
    for (std::size_t i = 0; i < kSaid; ++i) put(said, i, of_literal(wires, driven_[i]), place);
    step.is_taking = has(said.ones, 0);
    step.is_leaving = has(said.ones, 1);
    step.is_drawing = has(said.ones, 2);
    step.is_due = control_.has_random();
    step.is_open = (said.ones | said.zeros) != (1U << kSaid) - 1;
    for (std::size_t i = 0; i < std::min(control_.seen().size(), kMostSeen); ++i) {
      put(step.seen, i, of_literal(wires, control_.seen()[i]), place);
    }
    step.next = number_of(next_of(wires, static_cast<int>(place)));
  }
  return steps;
}

HandshakeStep Handshake::step(HandshakeState state, Offers offers) {
  if (!steps_[state]) {
    const Steps made = steps_of(Bits(states_[state]));
    steps_[state] = made;
  }
  return steps_[state]->at((offers.is_valid ? 2U : 0U) + (offers.is_ready ? 1U : 0U));
}

HandshakeState Handshake::flowing() {
  HandshakeState state = 0;
  for (int i = 0; i < kLongEnough; ++i) {
    state = step(state, {.is_valid = true, .is_ready = true}).next;
  }
  return state;
}

}  // namespace mx::sim
