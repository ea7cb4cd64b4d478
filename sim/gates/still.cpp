// SPDX-License-Identifier: Apache-2.0
#include "sim/gates/still.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
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

Still::Still(const Circuit& rtl, const Control& control, const Bits& flowing)
    : rtl_(rtl),
      control_(control),
      data_(control.data()),
      flowing_(flowing),
      names_(rtl.next.size()) {
  for (const auto& [name, wire] : rtl.wires) {
    const std::size_t number = wire / 2;
    if (wire % 2 != 0 || number < rtl.first_register() || number >= rtl.first_gate()) continue;
    std::string& known = names_[number - rtl.first_register()];
    if (known.empty() || is_better(name, known)) known = name;
  }
  find_own();
  find_seen_by();
  find_looks();
  find_holds();
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
  return at < registers() ? name_of_register(at) : data_.inputs[at - registers()];
}

/// A register that is a wire behind another one or an input, held still, is that one.
void Still::find_own() {
  for (std::size_t r = 0; r < registers(); ++r) own_.push_back(Strashed::input(r));
  bool is_changed = true;
  for (int stage = 0; is_changed && stage < kMostStages; ++stage) {
    is_changed = false;
    Strashed gates(inputs());
    const std::vector<Literal> held = wires(gates);
    for (std::size_t r = 0; r < own_.size(); ++r) {
      const Literal next = literal_of(held, data_.next[r]);
      const bool is_wire = next / 2 <= gates.inputs();
      if (!is_wire || control_.has(r) || next == own_[r]) continue;
      own_[r] = next;
      is_changed = true;
    }
  }
}

void Still::set_seen(const Bits& seen, std::vector<Literal>& inputs) const {
  const std::size_t count = std::min(control_.seen().size(), kMostSeen);
  for (std::size_t i = 0; i < count; ++i) {
    Literal& input = inputs[rtl_.inputs.size() + i];
    if ((seen.ones >> i & 1U) != 0) input = 1;
    if ((seen.zeros >> i & 1U) != 0) input = 0;
  }
}

std::vector<Literal> Still::wires(Strashed& gates) const {
  std::vector<Literal> inputs;
  for (std::size_t i = 0; i < data_.inputs.size(); ++i) inputs.push_back(own_input(i));
  set_seen(flowing_, inputs);
  return gates.added(data_, inputs, own_);
}

std::vector<Literal> Still::wires_of_any(Strashed& gates, bool is_other) const {
  std::vector<Literal> inputs, registers;
  for (std::size_t i = 0; i < rtl_.inputs.size(); ++i) {
    const bool is_shared = !is_other || is_handshake(rtl_.inputs[i]);
    inputs.push_back(is_shared ? own_input(i) : other_input(i));
  }
  for (std::size_t r = 0; r < rtl_.next.size(); ++r) {
    const bool is_shared = !is_other || control_.has(r);
    registers.push_back(is_shared ? Strashed::input(r) : other_register(r));
  }
  return gates.added(rtl_, inputs, registers);
}

void Still::find_seen_by() {
  seen_by_.resize(data_.size());
  const std::size_t first = 1 + control_.first_seen();
  for (std::size_t i = 0; i < std::min(control_.seen().size(), kMostSeen); ++i) {
    seen_by_[first + i] = std::uint64_t{1} << i;
  }
  for (std::size_t wire = data_.first_gate(); wire < data_.size(); ++wire) {
    const auto& [left, right] = data_.gates[wire - data_.first_gate()];
    seen_by_[wire] = seen_by_[left / 2] | seen_by_[right / 2];
  }
}

void Still::find_looks() {
  std::vector<std::size_t> seen_for(data_.size(), registers());
  for (std::size_t r = 0; r < registers(); ++r) {
    looks_.emplace_back();
    std::vector<std::size_t> open = {data_.next[r] / 2};
    while (!open.empty()) {
      const std::size_t wire = open.back();
      open.pop_back();
      if (seen_for[wire] == r) continue;
      seen_for[wire] = r;
      if (wire >= data_.first_gate()) {
        for (const Literal each : data_.gates[wire - data_.first_gate()]) open.push_back(each / 2);
      } else if (wire >= data_.first_register() && wire != data_.first_register() + r) {
        looks_[r].push_back(wire - data_.first_register());
      }
    }
  }
}

/// A register that loads where a wire of the handshake says so: next is one of two, and the other
/// one is itself.
void Still::find_holds() {
  for (std::size_t r = 0; r < registers(); ++r) {
    const auto own = static_cast<Literal>(2 * (data_.first_register() + r));
    holds_.push_back(0);
    const auto* const either = gate_of(data_.next[r] ^ 1);
    for (std::size_t side = 0; either != nullptr && side < 2; ++side) {
      const auto* const itself = gate_of((*either)[side] ^ 1);
      const auto* const loaded = gate_of((*either)[1 - side] ^ 1);
      if (itself == nullptr || loaded == nullptr) continue;
      for (std::size_t i = 0; i < 2; ++i) {
        const Literal by = (*itself)[1 - i];
        const bool is_choice = (*loaded)[0] == (by ^ 1) || (*loaded)[1] == (by ^ 1);
        if ((*itself)[i] == own && is_choice) holds_.back() = by;
      }
    }
  }
}

const std::array<Literal, 2>* Still::gate_of(Literal literal) const {
  const bool is_gate = literal % 2 == 0 && literal / 2 >= data_.first_gate();
  return is_gate ? &data_.gates[literal / 2 - data_.first_gate()] : nullptr;
}

bool Still::waits(std::size_t r, const Bits& seen) const {
  const std::size_t input = holds_[r] / 2 - 1;
  const std::size_t place = input - control_.first_seen();
  if (holds_[r] == 0 || input < control_.first_seen() || place >= kMostSeen) return false;
  return ((holds_[r] % 2 == 0 ? seen.ones : seen.zeros) >> place & 1U) != 0;
}

std::uint64_t Still::decides(const std::vector<bool>& registers, bool enters, bool draws) const {
  std::vector<bool> is_own_wire(data_.size());
  for (std::size_t i = 0; i < rtl_.inputs.size(); ++i)
    is_own_wire[1 + i] = is_own(i, enters, draws);
  for (std::size_t r = 0; r < registers.size(); ++r) {
    is_own_wire[data_.first_register() + r] = registers[r];
  }
  for (std::size_t wire = data_.first_gate(); wire < data_.size(); ++wire) {
    const auto& [left, right] = data_.gates[wire - data_.first_gate()];
    is_own_wire[wire] = is_own_wire[left / 2] || is_own_wire[right / 2];
  }
  std::uint64_t all = 0;
  for (const Literal next : data_.next) {
    if (is_own_wire[next / 2]) all |= seen_by_[next / 2];
  }
  return all;
}

std::uint64_t Still::decides_answers() const {
  std::uint64_t all = 0;
  for (const Literal each : data_.driven) all |= seen_by_[each / 2];
  return all;
}

std::vector<std::size_t> Still::rings() const {
  Strashed gates(inputs());
  const std::vector<Literal> held = wires(gates);
  std::vector<bool> is_known(gates.size());
  for (std::size_t i = 0; i <= inputs(); ++i) is_known[i] = true;
  std::vector<std::size_t> open;
  for (std::size_t r = 0; r < registers(); ++r) {
    if (control_.has(r)) continue;
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
      const bool is_function = is_known[literal_of(held, data_.next[r]) / 2];
      if (is_function) is_known[Strashed::input(r) / 2] = true;
      return is_function;
    });
  }
  return open;
}

void Sides::note(const Strashed& gates) {
  if (sides_.empty()) {
    for (std::size_t i = 0; i <= gates.inputs(); ++i) {
      sides_.push_back(i == 0 ? 0 : held_.is_other(i) ? kOther : kOwn);
    }
  }
  for (std::size_t wire = sides_.size(); wire < gates.size(); ++wire) {
    const auto& [left, right] = *gates.gate_of(static_cast<Literal>(2 * wire));
    sides_.push_back(sides_[left / 2] | sides_[right / 2]);
  }
}

std::string Sides::other_of(const Strashed& gates, Literal literal) const {
  std::vector<std::size_t> open = {literal / 2};
  std::set<std::size_t> seen;
  std::string first;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::size_t wire = open[i];
    if ((sides_[wire] & kOther) == 0 || !seen.insert(wire).second) continue;
    if (wire <= gates.inputs()) {
      const std::string name = held_.name_of(wire);
      if (first.empty() || name < first) first = name;
    } else {
      const auto* const gate = gates.gate_of(static_cast<Literal>(2 * wire));
      for (const Literal each : *gate) open.push_back(each / 2);
    }
  }
  return first;
}

}  // namespace mx::sim
