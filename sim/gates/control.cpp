// SPDX-License-Identifier: Apache-2.0
#include "sim/gates/control.hpp"

#include <fmt/format.h>

#include <set>
#include <string_view>

#include "sim/netlist/tools.hpp"

namespace mx::sim {
namespace {

constexpr std::size_t kMostRegisters = 60;

/// The place of a name in a list of ports.
std::size_t port_of(const std::vector<std::string>& ports, std::string_view name) {
  const auto at = std::ranges::find(ports, name);
  if (at == ports.end()) {
    throw ToolError(fmt::format("the RTL has no port {}", name));
  }
  return static_cast<std::size_t>(at - ports.begin());
}

}  // namespace

Control::Control(const Circuit& rtl)
    : rtl_(rtl),
      has_random_(std::ranges::any_of(rtl.inputs, port::is_random)),
      reset_(1 + port_of(rtl.inputs, port::kReset)),
      valid_(1 + port_of(rtl.inputs, port::kValid)),
      ready_(1 + port_of(rtl.inputs, port::kReady)),
      is_looked_at_(rtl.size()),
      is_control_(rtl.size()),
      in_gates_(rtl.size()),
      in_data_(rtl.size()) {
  said_[0] = rtl.driven[port_of(rtl.outputs, port::kTaking)];
  said_[1] = rtl.driven[port_of(rtl.outputs, port::kLeaving)];
  if (has_random_) said_[2] = rtl.driven[port_of(rtl.outputs, port::kDrawing)];
  find_registers();
  add_gates();
  add_data();
}

void Control::find_registers() {
  std::vector<Literal> open(said_.begin(), said_.end());
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::size_t wire = open[i] / 2;
    if (is_looked_at_[wire]) continue;
    is_looked_at_[wire] = true;
    if (wire >= rtl_.first_gate()) {
      for (const Literal each : rtl_.gates[wire - rtl_.first_gate()]) open.push_back(each);
    } else if (wire >= rtl_.first_register() && registers_.size() < kMostRegisters) {
      registers_.push_back(wire - rtl_.first_register());
      open.push_back(rtl_.next[registers_.back()]);
    }
  }
  add_registers_alone();
  std::ranges::sort(registers_);
}

/// Registers that a reset sets, and that look at the handshake and at themselves alone, are known
/// as it is: they join it.
void Control::add_registers_alone() {
  const std::vector<Literal> in_reset = wires_in_reset();
  std::vector<bool> is_known(rtl_.size());
  is_known[0] = is_known[reset_] = is_known[valid_] = is_known[ready_] = true;
  for (const std::size_t r : registers_) is_known[rtl_.first_register() + r] = true;
  for (std::size_t before = 0; before != registers_.size();) {
    before = registers_.size();
    for (std::size_t r = 0; r < rtl_.next.size() && registers_.size() < kMostRegisters; ++r) {
      const std::size_t own = rtl_.first_register() + r;
      const bool is_set = literal_of(in_reset, rtl_.next[r]) < 2;
      if (is_known[own] || !is_set || !looks_at(rtl_.next[r], own, is_known)) continue;
      is_known[own] = true;
      registers_.push_back(r);
    }
  }
}

std::vector<Literal> Control::wires_in_reset() const {
  Strashed gates(rtl_.inputs.size() + rtl_.next.size());
  std::vector<Literal> inputs, registers;
  for (std::size_t i = 0; i < rtl_.inputs.size(); ++i) inputs.push_back(Strashed::input(i));
  inputs[reset_ - 1] = 0;
  for (std::size_t r = 0; r < rtl_.next.size(); ++r) {
    registers.push_back(Strashed::input(rtl_.inputs.size() + r));
  }
  return gates.added(rtl_, inputs, registers);
}

/// Does a wire look at a register and at what is known, and at nothing else?
bool Control::looks_at(Literal literal, std::size_t own, const std::vector<bool>& is_known) const {
  std::vector<std::size_t> open = {literal / 2};
  std::set<std::size_t> found;
  while (!open.empty()) {
    const std::size_t wire = open.back();
    open.pop_back();
    if (is_known[wire] || wire == own || !found.insert(wire).second) continue;
    if (wire < rtl_.first_gate()) return false;
    for (const Literal each : rtl_.gates[wire - rtl_.first_gate()]) open.push_back(each / 2);
  }
  return true;
}

void Control::add_gates() {
  gates_ = Strashed(registers_.size() + 3);
  std::size_t input = 0;
  const auto add_input = [&](std::size_t wire) {
    is_control_[wire] = true;
    in_gates_[wire] = Strashed::input(input++);
  };
  is_control_[0] = true;
  for (const std::size_t each : registers_) add_input(rtl_.first_register() + each);
  for (const std::size_t each : {valid_, ready_, reset_}) add_input(each);
  for (std::size_t wire = rtl_.first_gate(); wire < rtl_.size(); ++wire) {
    const auto& [left, right] = rtl_.gates[wire - rtl_.first_gate()];
    is_control_[wire] = is_control(left) && is_control(right);
    if (!is_control_[wire] && !is_looked_at_[wire]) continue;
    in_gates_[wire] = gates_.conjunction(literal_of(in_gates_, left), literal_of(in_gates_, right));
  }
}

Literal Control::of_data(Literal literal) {
  if (!is_control(literal)) return literal_of(in_data_, literal);
  const Literal gate = literal_of(in_gates_, literal);
  if (gate < 2) return gate;
  const Literal plain = gate & ~Literal{1};
  const auto at = std::ranges::find(seen_, plain);
  const auto number = static_cast<std::size_t>(at - seen_.begin());
  if (at == seen_.end()) seen_.push_back(plain);
  return Strashed::input(rtl_.inputs.size() + number) ^ (gate & 1);
}

void Control::add_data() {
  // Twice: what is seen is known behind the first time, and with it the numbers of the others.
  std::vector<Literal> looks;
  for (std::size_t wire = rtl_.first_gate(); wire < rtl_.size(); ++wire) {
    if (is_control_[wire]) continue;
    for (const Literal each : rtl_.gates[wire - rtl_.first_gate()]) looks.push_back(each);
  }
  for (std::size_t r = 0; r < rtl_.next.size(); ++r) {
    if (!has(r)) looks.push_back(rtl_.next[r]);
  }
  for (std::size_t i = 0; i < rtl_.outputs.size(); ++i) {
    if (port::is_answer(rtl_.outputs[i])) looks.push_back(rtl_.driven[i]);
  }
  for (const Literal each : looks) (void)of_data(each);
  data_.inputs = rtl_.inputs;
  for (std::size_t i = 0; i < seen_.size(); ++i) data_.inputs.push_back(fmt::format("seen {}", i));
  data_.outputs = rtl_.outputs;
  // Gates that are the same are one.
  Strashed gates(data_.inputs.size() + rtl_.next.size());
  for (std::size_t i = 0; i < rtl_.inputs.size(); ++i) in_data_[1 + i] = Strashed::input(i);
  for (std::size_t r = 0; r < rtl_.next.size(); ++r) {
    in_data_[rtl_.first_register() + r] = Strashed::input(data_.inputs.size() + r);
  }
  for (std::size_t wire = rtl_.first_gate(); wire < rtl_.size(); ++wire) {
    if (is_control_[wire]) continue;
    const auto& [left, right] = rtl_.gates[wire - rtl_.first_gate()];
    in_data_[wire] = gates.conjunction(of_data(left), of_data(right));
  }
  for (std::size_t wire = 1 + gates.inputs(); wire < gates.size(); ++wire) {
    data_.gates.push_back(*gates.gate_of(static_cast<Literal>(2 * wire)));
  }
  for (std::size_t r = 0; r < rtl_.next.size(); ++r) {
    data_.next.push_back(has(r) ? 0 : of_data(rtl_.next[r]));
  }
  for (std::size_t i = 0; i < rtl_.outputs.size(); ++i) {
    data_.driven.push_back(port::is_answer(rtl_.outputs[i]) ? of_data(rtl_.driven[i]) : 0);
  }
}

std::vector<Literal> Control::driven() const {
  std::vector<Literal> all(said_.begin(), said_.end());
  for (const std::size_t each : registers_) all.push_back(rtl_.next[each]);
  return all;
}

std::vector<Literal> Control::driven_of_gates() const {
  std::vector<Literal> all = driven();
  for (Literal& each : all) each = literal_of(in_gates_, each);
  return all;
}

}  // namespace mx::sim
