#include "sim/gates/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>

#include "sim/gates/strashed.hpp"
#include "sim/netlist/tools.hpp"

namespace mx::sim {
namespace {

constexpr Literal kNone = ~Literal{0};

std::vector<Literal> inputs_from(std::size_t first, std::size_t count) {
  std::vector<Literal> list;
  for (std::size_t i = 0; i < count; ++i) list.push_back(Strashed::input(first + i));
  return list;
}

/// A register by its number, and whether a wire shows it through the gate of its reset, to 0 or
/// to 1.
enum class ResetGate : std::uint8_t { kAbsent, kToZero, kToOne };
struct Shown {
  std::size_t number = 0;
  ResetGate reset = ResetGate::kAbsent;
  bool operator==(const Shown&) const = default;
};

/// Which wires with names show a register.
class ShownRegisters {
 public:
  ShownRegisters(const Circuit& circuit, const std::string& reset)
      : circuit_(circuit), gates_(circuit.inputs.size() + circuit.next.size()) {
    const std::size_t inputs = circuit.inputs.size();
    wires_ =
        gates_.added(circuit, inputs_from(0, inputs), inputs_from(inputs, circuit.next.size()));
    const auto at = std::ranges::find(circuit.inputs, reset);
    if (at != circuit.inputs.end()) {
      reset_ = Strashed::input(static_cast<std::size_t>(at - circuit.inputs.begin()));
    }
  }

  [[nodiscard]] std::optional<Shown> of(Literal wire) const {
    const Literal literal = literal_of(wires_, wire);
    if (is_register(literal)) return Shown{number_of(literal), ResetGate::kAbsent};
    if (const auto number = behind_reset(literal)) return Shown{*number, ResetGate::kToZero};
    // To 1: what is not "the reset, and not the register", as Yosys has it with the reset twice.
    const Literal inverted = literal % 2 == 1 ? beside_reset(literal ^ 1) : kNone;
    if (inverted == kNone) return std::nullopt;
    if (is_register(inverted ^ 1)) return Shown{number_of(inverted), ResetGate::kToOne};
    const auto number = behind_reset(inverted ^ 1);
    return number ? std::optional(Shown{*number, ResetGate::kToOne}) : std::nullopt;
  }

 private:
  /// The other input of a gate of which one is the reset; kNone for anything else.
  [[nodiscard]] Literal beside_reset(Literal literal) const {
    const auto* const gate = gates_.gate_of(literal);
    if (gate == nullptr || reset_ == kNone) return kNone;
    if ((*gate)[0] == reset_) return (*gate)[1];
    return (*gate)[1] == reset_ ? (*gate)[0] : kNone;
  }
  [[nodiscard]] std::optional<std::size_t> behind_reset(Literal literal) const {
    const Literal other = beside_reset(literal);
    if (other == kNone || !is_register(other)) return std::nullopt;
    return number_of(other);
  }
  [[nodiscard]] bool is_register(Literal literal) const {
    return gates_.is_input(literal) && literal / 2 >= circuit_.first_register();
  }
  [[nodiscard]] std::size_t number_of(Literal literal) const {
    return literal / 2 - circuit_.first_register();
  }

  const Circuit& circuit_;
  Strashed gates_;
  std::vector<Literal> wires_;
  Literal reset_ = kNone;
};

/// What a wire of the RTL may be called in a netlist of copies.
std::vector<std::string> names_in_netlist(const std::string& name) {
  constexpr std::string_view kCopies = "copies[", kInstance = "].u.";
  const std::size_t end = name.find(kInstance);
  if (!name.starts_with(kCopies) || end == std::string::npos) return {name};
  const std::string copy = name.substr(kCopies.size(), end - kCopies.size());
  const std::string rest = name.substr(end + kInstance.size());
  std::vector<std::string> names = {fmt::format("{}[{}]", rest, copy)};
  if (rest.ends_with("[0]")) {  // one bit, which is a wire without brackets there
    names.push_back(fmt::format("{}[{}]", rest.substr(0, rest.size() - 3), copy));
  }
  return names;
}

/// What registers hold after some cycles of any inputs, 64 runs at once, from all zero: those that
/// always hold the same are taken for constants, which the solver then has to prove.
std::vector<std::optional<bool>> constants_of(const Circuit& circuit, const std::string& reset) {
  constexpr int kCycles = 256, kFirst = 192;  // blocks of several beats take many
  const auto is_reset = std::ranges::find(circuit.inputs, reset) - circuit.inputs.begin();
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> values(circuit.size());
  std::vector<std::uint64_t> ones(circuit.next.size(), ~std::uint64_t{0});
  std::vector<std::uint64_t> seen(circuit.next.size(), 0);
  std::vector<std::uint64_t> held(circuit.next.size(), 0);
  const auto of = [&](Literal literal) {
    return values[literal / 2] ^ (literal % 2 != 0 ? ~std::uint64_t{0} : 0);
  };
  for (int cycle = 0; cycle < kCycles; ++cycle) {
    for (std::size_t i = 0; i < circuit.inputs.size(); ++i) values[1 + i] = random();
    if (is_reset < std::ssize(circuit.inputs)) {
      values[static_cast<std::size_t>(is_reset) + 1] = ~std::uint64_t{0};
    }
    std::ranges::copy(held, values.begin() + std::ssize(circuit.inputs) + 1);
    for (std::size_t i = 0; i < circuit.gates.size(); ++i) {
      values[circuit.first_gate() + i] = of(circuit.gates[i][0]) & of(circuit.gates[i][1]);
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
      held[i] = of(circuit.next[i]);
      if (cycle < kFirst) continue;
      ones[i] &= held[i];
      seen[i] |= held[i];
    }
  }
  std::vector<std::optional<bool>> constants(held.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (seen[i] == 0) constants[i] = false;
    if (ones[i] == ~std::uint64_t{0}) constants[i] = true;
  }
  return constants;
}

/// The pairs, and the names of the netlist's registers that they come from.
struct Pairs {
  std::vector<std::optional<std::size_t>> of_rtl;
  std::vector<std::string> names;  ///< of the netlist's registers; "" where none is paired
};

Pairs pairs_of(const Circuit& rtl, const Circuit& netlist, const std::string& reset) {
  const ShownRegisters of_rtl(rtl, reset);
  const ShownRegisters of_netlist(netlist, reset);
  Pairs pairs{std::vector<std::optional<std::size_t>>(rtl.next.size()),
              std::vector<std::string>(netlist.next.size())};
  // In the order of names, so that what is asked is always the same.
  const std::map<std::string, Literal> ordered(rtl.wires.begin(), rtl.wires.end());
  for (const auto& [name, literal] : ordered) {
    const std::optional<Shown> shown = of_rtl.of(literal);
    if (!shown || pairs.of_rtl[shown->number]) continue;
    for (const std::string& other : names_in_netlist(name)) {
      const auto found = netlist.wires.find(other);
      if (found == netlist.wires.end()) continue;
      const std::optional<Shown> there = of_netlist.of(found->second);
      if (!there || there->reset != shown->reset) continue;
      pairs.of_rtl[shown->number] = there->number;
      pairs.names[there->number] = name;
      break;
    }
  }
  return pairs;
}

/// The place of each name of `wanted` in `names`.
std::vector<std::size_t> places_of(const std::vector<std::string>& wanted,
                                   const std::vector<std::string>& names, std::string_view kind) {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
  std::vector<std::size_t> found;
  for (const std::string& name : wanted) {
    const auto at = places.find(name);
    if (at == places.end() || wanted.size() != names.size()) {
      throw ToolError(fmt::format("RTL and netlist do not have the same {}: {} and {}, {}", kind,
                                  wanted.size(), names.size(), name));
    }
    found.push_back(at->second);
  }
  return found;
}

/// Inputs of both sides: those of the ports, the netlist's registers, and registers of the RTL that
/// are nothing there.
struct Ground {
  std::vector<std::string> names;
  std::vector<Literal> ports, states;
  std::vector<Literal> registers;  ///< what each one of the RTL is
  std::vector<bool> is_unpaired;   ///< nothing in the netlist: what it holds next is of no matter
};

Ground ground_of(const Circuit& rtl, const Pairs& pairs,
                 const std::vector<std::optional<bool>>& constants) {
  Ground ground;
  ground.names = rtl.inputs;
  ground.ports = inputs_from(0, rtl.inputs.size());
  ground.states = inputs_from(rtl.inputs.size(), pairs.names.size());
  for (std::size_t i = 0; i < pairs.names.size(); ++i) {
    ground.names.push_back("state:" +
                           (pairs.names[i].empty() ? std::to_string(i) : pairs.names[i]));
  }
  for (std::size_t i = 0; i < rtl.next.size(); ++i) {
    ground.is_unpaired.push_back(!pairs.of_rtl[i] && !constants[i]);
    if (pairs.of_rtl[i]) {
      ground.registers.push_back(ground.states[*pairs.of_rtl[i]]);
    } else if (constants[i]) {
      ground.registers.push_back(*constants[i] ? 1 : 0);
    } else {
      ground.registers.push_back(Strashed::input(ground.names.size()));
      ground.names.push_back(fmt::format("unused:{}", i));
    }
  }
  return ground;
}

/// Each output of the ports, and what each register of the RTL that is something in the netlist
/// holds next, on both sides.
struct Compared {
  std::vector<Literal> of_rtl, of_netlist;
  std::vector<std::string> names;
};

Compared compared(const Circuit& rtl, const Circuit& netlist, const Pairs& pairs,
                  const Ground& ground, Strashed& of_rtl, Strashed& of_netlist) {
  std::vector<Literal> inputs;
  for (const std::size_t at : places_of(netlist.inputs, rtl.inputs, "inputs")) {
    inputs.push_back(ground.ports[at]);
  }
  const std::vector<Literal> left = of_rtl.added(rtl, ground.ports, ground.registers);
  const std::vector<Literal> right = of_netlist.added(netlist, inputs, ground.states);
  const std::vector<std::size_t> places = places_of(rtl.outputs, netlist.outputs, "outputs");
  Compared made;
  for (std::size_t i = 0; i < rtl.outputs.size(); ++i) {
    made.of_rtl.push_back(literal_of(left, rtl.driven[i]));
    made.of_netlist.push_back(literal_of(right, netlist.driven[places[i]]));
    made.names.push_back(rtl.outputs[i]);
  }
  for (std::size_t i = 0; i < rtl.next.size(); ++i) {
    if (ground.is_unpaired[i]) continue;
    const std::optional<std::size_t> there = pairs.of_rtl[i];
    made.of_rtl.push_back(literal_of(left, rtl.next[i]));
    made.of_netlist.push_back(there ? literal_of(right, netlist.next[*there])
                                    : ground.registers[i]);
    made.names.push_back(fmt::format("next:{}:{}", i, there ? pairs.names[*there] : "constant"));
  }
  return made;
}

}  // namespace

PairedCircuits paired(const Circuit& rtl, const Circuit& netlist, const std::string& reset) {
  const Pairs pairs = pairs_of(rtl, netlist, reset);
  const Ground ground = ground_of(rtl, pairs, constants_of(rtl, reset));
  Strashed of_rtl(ground.names.size());
  Strashed of_netlist(ground.names.size());
  const Compared sides = compared(rtl, netlist, pairs, ground, of_rtl, of_netlist);
  std::vector<std::string> names = ground.names;
  names.insert(names.end(), sides.names.begin(), sides.names.end());

  PairedCircuits made;
  made.rtl = of_rtl.aiger(sides.of_rtl, names);
  made.netlist = of_netlist.aiger(sides.of_netlist, names);
  made.outputs = sides.names.size();
  made.registers = rtl.next.size();
  made.by_name = static_cast<std::size_t>(std::ranges::count_if(
      pairs.of_rtl, [](const std::optional<std::size_t>& each) { return each.has_value(); }));
  made.unpaired = static_cast<std::size_t>(std::ranges::count(ground.is_unpaired, true));
  made.netlist_registers = netlist.next.size();
  made.netlist_paired =
      netlist.next.size() - static_cast<std::size_t>(std::ranges::count(pairs.names, ""));
  return made;
}

}  // namespace mx::sim
