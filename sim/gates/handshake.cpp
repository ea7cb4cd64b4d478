// SPDX-License-Identifier: Apache-2.0
#include "sim/gates/handshake.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sim/netlist/tools.hpp"

namespace mx::sim {
namespace {

constexpr std::size_t kMostOfHandshake = 20;
/// More cycles than any pipeline of ours has stages.
constexpr int kLongEnough = 64;

/// The place of a name in a list of ports.
std::size_t port_of(const std::vector<std::string>& ports, std::string_view name) {
  const auto at = std::ranges::find(ports, name);
  if (at == ports.end()) {
    throw ToolError(fmt::format("the RTL has no port {}", name));
  }
  return static_cast<std::size_t>(at - ports.begin());
}

}  // namespace

Handshake::Handshake(const Circuit& circuit)
    : circuit_(circuit),
      reset_(1 + port_of(circuit.inputs, port::kReset)),
      valid_(1 + port_of(circuit.inputs, port::kValid)),
      ready_(1 + port_of(circuit.inputs, port::kReady)) {
  has_random_ = std::ranges::find(circuit.outputs, port::kDrawing) != circuit.outputs.end() ||
                std::ranges::any_of(circuit.inputs, port::is_random);
  said_[0] = circuit.driven[port_of(circuit.outputs, port::kTaking)];
  said_[1] = circuit.driven[port_of(circuit.outputs, port::kLeaving)];
  if (has_random_) said_[2] = circuit.driven[port_of(circuit.outputs, port::kDrawing)];
  std::vector<Literal> open(said_.begin(), said_.end());
  std::vector<bool> is_seen(circuit.size());
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::size_t wire = open[i] / 2;
    if (is_seen[wire]) continue;
    is_seen[wire] = true;
    if (wire >= circuit.first_gate()) {
      gates_.push_back(wire);
      for (const Literal each : circuit.gates[wire - circuit.first_gate()]) open.push_back(each);
    } else if (wire >= circuit.first_register() && registers_.size() < kMostOfHandshake) {
      registers_.push_back(wire - circuit.first_register());
      open.push_back(circuit.next[registers_.back()]);
    }
  }
  std::ranges::sort(registers_);
  std::ranges::sort(gates_);
}

std::vector<Literal> Handshake::driven() const {
  std::vector<Literal> all(said_.begin(), said_.end());
  for (const std::size_t each : registers_) all.push_back(circuit_.next[each]);
  return all;
}

Handshake::Bit Handshake::value_of(const std::vector<Bit>& values, Literal literal) {
  const Bit bit = values[literal / 2];
  if (bit == Bit::kAny || literal % 2 == 0) return bit;
  return bit == Bit::kZero ? Bit::kOne : Bit::kZero;
}

std::vector<Handshake::Bit> Handshake::values(const std::vector<Bit>& sources) const {
  std::vector<Bit> all = sources;
  all.resize(circuit_.size());
  for (const std::size_t gate : gates_) {
    const auto& [left, right] = circuit_.gates[gate - circuit_.first_gate()];
    const Bit one = value_of(all, left);
    const Bit other = value_of(all, right);
    if (one == Bit::kZero || other == Bit::kZero) {
      all[gate] = Bit::kZero;
    } else {
      all[gate] = one == Bit::kOne && other == Bit::kOne ? Bit::kOne : Bit::kAny;
    }
  }
  return all;
}

HandshakeStep Handshake::step(HandshakeState state, Offers offers) const {
  std::vector<Bit> sources(circuit_.first_gate());
  sources[reset_] = Bit::kOne;
  sources[valid_] = offers.is_valid ? Bit::kOne : Bit::kZero;
  sources[ready_] = offers.is_ready ? Bit::kOne : Bit::kZero;
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    const bool is_set = (state >> i & 1U) != 0;
    sources[circuit_.first_register() + registers_[i]] = is_set ? Bit::kOne : Bit::kZero;
  }
  const std::vector<Bit> all = values(sources);
  const auto is_one = [&](Literal literal) { return value_of(all, literal) == Bit::kOne; };
  HandshakeStep step{0, is_one(said_[0]), is_one(said_[1]), is_one(said_[2]), has_random_};
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    if (is_one(circuit_.next[registers_[i]])) step.next |= HandshakeState{1} << i;
  }
  return step;
}

std::vector<HandshakeState> Handshake::after_reset() const {
  std::vector<Bit> sources(circuit_.first_gate(), Bit::kAny);
  sources[0] = Bit::kZero;
  sources[reset_] = Bit::kZero;
  const std::vector<Bit> all = values(sources);
  std::vector<HandshakeState> states = {0};
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    const Bit bit = value_of(all, circuit_.next[registers_[i]]);
    const std::size_t count = states.size();
    for (std::size_t k = 0; k < count; ++k) {
      const HandshakeState with = states[k] | HandshakeState{1} << i;
      if (bit == Bit::kOne) states[k] = with;
      if (bit == Bit::kAny) states.push_back(with);
    }
  }
  return states;
}

HandshakeState Handshake::flowing() const {
  HandshakeState state = after_reset().front();
  for (int i = 0; i < kLongEnough; ++i) {
    state = step(state, {.is_valid = true, .is_ready = true}).next;
  }
  return state;
}

}  // namespace mx::sim
