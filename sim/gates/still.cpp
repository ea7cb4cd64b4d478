// SPDX-License-Identifier: Apache-2.0
#include "sim/gates/still.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace mx::sim {
namespace {

/// More than any pipeline of ours has stages.
constexpr int kMostStages = 64;

bool is_handshake(const std::string& input) {
  return input == port::kReset || input == port::kValid || input == port::kReady;
}

/// Of two names of a register: the sources' own before those of ports that it drives.
bool is_better(const std::string& name, const std::string& known) {
  const auto rank = [](const std::string& each) {
    const bool is_of_ours = each.find("_q[") != std::string::npos;
    const bool is_port = each.starts_with("m_axis_") || each.find("_o[") != std::string::npos ||
                         each.find("_i[") != std::string::npos;
    return is_of_ours ? 0 : is_port ? 2 : 1;
  };
  return std::pair(rank(name), std::string_view(name)) <
         std::pair(rank(known), std::string_view(known));
}

}  // namespace

Still::Still(const Circuit& rtl, const Handshake& handshake)
    : rtl_(rtl), handshake_(handshake), names_(rtl.next.size()), is_control_(rtl.next.size()) {
  for (const std::size_t each : handshake.registers()) is_control_[each] = true;
  for (const auto& [name, wire] : rtl.wires) {
    const std::size_t number = wire / 2;
    if (wire % 2 != 0 || number < rtl.first_register() || number >= rtl.first_gate()) continue;
    std::string& known = names_[number - rtl.first_register()];
    if (known.empty() || is_better(name, known)) known = name;
  }
  find_seen();
  find_own();
}

std::vector<std::string> Still::names() const {
  std::vector<std::string> all;
  for (const char* const side : {"own", "other"}) {
    for (std::size_t i = 0; i < inputs() / 2; ++i) all.push_back(fmt::format("{} {}", side, i));
  }
  return all;
}

std::string Still::name_of_register(std::size_t r) const {
  return names_[r].empty() ? fmt::format("register {}", r) : names_[r];
}

std::string Still::name_of(std::size_t wire) const {
  const std::size_t at = (wire - 1) % (inputs() / 2);
  return at < rtl_.next.size() ? name_of_register(at) : rtl_.inputs[at - rtl_.next.size()];
}

bool Still::is_random(std::size_t input) const { return port::is_random(rtl_.inputs[input]); }

bool Still::is_answer(std::size_t output) const {
  return rtl_.outputs[output].starts_with("m_axis_") && rtl_.outputs[output] != port::kLeaving;
}

void Still::find_seen() {
  is_seen_.resize(rtl_.size());
  for (std::size_t r = 0; r < rtl_.next.size(); ++r) {
    if (!is_control_[r]) is_seen_[rtl_.next[r] / 2] = true;
  }
  for (std::size_t i = 0; i < rtl_.outputs.size(); ++i) {
    if (is_answer(i)) is_seen_[rtl_.driven[i] / 2] = true;
  }
  for (std::size_t wire = rtl_.size(); wire-- > rtl_.first_gate();) {
    if (!is_seen_[wire]) continue;
    for (const Literal each : rtl_.gates[wire - rtl_.first_gate()]) is_seen_[each / 2] = true;
  }
}

/// A register that is a wire behind another one or an input, held still, is that one.
void Still::find_own() {
  for (std::size_t r = 0; r < rtl_.next.size(); ++r) own_.push_back(Strashed::input(r));
  bool is_changed = true;
  for (int stage = 0; is_changed && stage < kMostStages; ++stage) {
    is_changed = false;
    Strashed gates(inputs());
    const std::vector<Literal> held = wires(gates);
    for (std::size_t r = 0; r < own_.size(); ++r) {
      const Literal next = literal_of(held, rtl_.next[r]);
      const bool is_wire = next / 2 <= gates.inputs();
      if (!is_wire || is_control_[r] || next == own_[r]) continue;
      own_[r] = next;
      is_changed = true;
    }
  }
}

std::vector<Literal> Still::seen(HandshakeState state, Offers offers) const {
  std::vector<Literal> all;
  const auto& control = handshake_.registers();
  for (std::size_t i = 0; i < control.size(); ++i) {
    const bool is_seen = is_seen_[rtl_.first_register() + control[i]];
    all.push_back(is_seen ? state >> i & 1U : 0);
  }
  for (std::size_t i = 0; i < rtl_.inputs.size(); ++i) {
    const bool is_seen = is_seen_[1 + i];
    if (rtl_.inputs[i] == port::kValid) all.push_back(is_seen && offers.is_valid ? 1 : 0);
    if (rtl_.inputs[i] == port::kReady) all.push_back(is_seen && offers.is_ready ? 1 : 0);
  }
  return all;
}

void Still::set_handshake(const std::vector<Literal>& seen, std::vector<Literal>& inputs,
                          std::vector<Literal>& registers) const {
  const auto& control = handshake_.registers();
  std::size_t at = 0;
  for (const std::size_t each : control) registers[each] = seen[at++];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = rtl_.inputs[i];
    if (name == port::kValid || name == port::kReady) inputs[i] = seen[at++];
    if (name == port::kReset || name == port::kClock) inputs[i] = name == port::kReset ? 1 : 0;
  }
}

std::vector<Literal> Still::wires(Strashed& gates) const {
  std::vector<Literal> inputs;
  std::vector<Literal> registers = own_;
  for (std::size_t i = 0; i < rtl_.inputs.size(); ++i) inputs.push_back(own_input(i));
  std::vector<Literal> flowing;
  const HandshakeState state = handshake_.flowing();
  for (std::size_t i = 0; i < handshake_.registers().size(); ++i) {
    flowing.push_back(state >> i & 1U);
  }
  flowing.insert(flowing.end(), {1, 1});
  set_handshake(flowing, inputs, registers);
  return gates.added(rtl_, inputs, registers);
}

std::vector<Literal> Still::wires_of_any(Strashed& gates, bool is_other) const {
  std::vector<Literal> inputs, registers;
  for (std::size_t i = 0; i < rtl_.inputs.size(); ++i) {
    const bool is_shared = !is_other || is_handshake(rtl_.inputs[i]);
    inputs.push_back(is_shared ? own_input(i) : other_input(i));
  }
  for (std::size_t r = 0; r < rtl_.next.size(); ++r) {
    const bool is_shared = !is_other || is_control_[r];
    registers.push_back(is_shared ? Strashed::input(r) : other_register(r));
  }
  return gates.added(rtl_, inputs, registers);
}

std::vector<std::size_t> Still::rings() const {
  Strashed gates(inputs());
  const std::vector<Literal> held = wires(gates);
  std::vector<bool> is_known(gates.size());
  for (std::size_t i = 0; i <= inputs(); ++i) is_known[i] = true;
  std::vector<std::size_t> open;
  for (std::size_t r = 0; r < rtl_.next.size(); ++r) {
    if (is_control_[r]) continue;
    is_known[Strashed::input(r) / 2] = false;
    open.push_back(r);
  }
  for (std::size_t before = open.size() + 1; before != open.size();) {
    before = open.size();
    for (std::size_t wire = inputs() + 1; wire < gates.size(); ++wire) {
      const auto& [left, right] = *gates.gate_of(static_cast<Literal>(2 * wire));
      is_known[wire] = is_known[left / 2] && is_known[right / 2];
    }
    std::erase_if(open, [&](std::size_t r) {
      const bool is_function = is_known[literal_of(held, rtl_.next[r]) / 2];
      if (is_function) is_known[Strashed::input(r) / 2] = true;
      return is_function;
    });
  }
  return open;
}

}  // namespace mx::sim
