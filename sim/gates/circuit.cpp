#include "sim/gates/circuit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "sim/compile/compiled.hpp"
#include "sim/netlist/tools.hpp"

namespace mx::sim {
namespace {

[[noreturn]] void refuse(std::string_view what) {
  throw ToolError(fmt::format("a circuit that Yosys wrote cannot be read: {}", what));
}

/// The text of an AIGER file from its first byte to its last.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  void expect(std::string_view word) {
    if (!text_.starts_with(word)) refuse("no binary AIGER");
    text_.remove_prefix(word.size());
  }
  /// A decimal number, and the blank or the end of the line behind it.
  std::uint32_t number() {
    std::uint32_t value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data(), end, value);
    if (error != std::errc{} || stop == end) refuse("a number is missing");
    text_.remove_prefix(static_cast<std::size_t>(stop - text_.data()) + 1);
    return value;
  }
  /// A number of things, each of which takes a byte of `bytes`.
  std::uint32_t count(std::size_t bytes) {
    const std::uint32_t value = number();
    if (value > bytes) refuse("more is announced than there is");
    return value;
  }
  /// The rest of a line whose first number was read: what a register begins with, where the
  /// character before was a blank.
  void skip_line() { text_.remove_prefix(std::min(text_.find('\n') + 1, text_.size())); }
  [[nodiscard]] char before() const { return *(text_.data() - 1); }
  /// Seven bits a byte, the lowest first; the last byte is below 80h.
  std::uint32_t difference() {
    std::uint32_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (text_.empty()) break;
      const auto byte = static_cast<unsigned char>(text_.front());
      text_.remove_prefix(1);
      value |= static_cast<std::uint32_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    refuse("a gate is missing");
  }

 private:
  std::string_view text_;
};

/// A line "output NUMBER BIT NAME".
struct OutputLine {
  std::size_t number, bit;
  std::string port;
};

std::string bit_name(std::string_view port, std::size_t bit) {
  return fmt::format("{}[{}]", port, bit);
}

/// Yosys 0.23 names outputs that are one wire by the last of their numbers, and constants not at
/// all: those stand between bits of their port.
void name_outputs(Circuit& circuit, const std::vector<OutputLine>& lines) {
  std::set<std::size_t> numbers;
  std::set<std::string> names;
  std::map<std::string, std::size_t> first;  // of each port
  std::vector<Literal> driven;
  for (const OutputLine& line : lines) {
    numbers.insert(line.number);
    if (!names.insert(bit_name(line.port, line.bit)).second)
      refuse("an output that is there twice");
    driven.push_back(circuit.driven[line.number]);
    if (line.bit > line.number) continue;
    const std::size_t begin = line.number - line.bit;
    const auto at = first.emplace(line.port, begin).first;
    at->second = std::min(at->second, begin);
  }
  std::vector<std::string> outputs;
  for (const OutputLine& line : lines) outputs.push_back(bit_name(line.port, line.bit));
  std::size_t others = lines.size() - numbers.size();
  for (std::size_t number = 0; number < circuit.driven.size(); ++number) {
    if (numbers.contains(number)) continue;
    const bool is_constant = circuit.driven[number] < 2;
    const std::pair<const std::string, std::size_t>* port = nullptr;
    for (const auto& each : first) {
      const bool is_nearer = port == nullptr || each.second > port->second;
      if (is_constant && each.second <= number && is_nearer) port = &each;
    }
    if (port != nullptr) {
      std::string name = bit_name(port->first, number - port->second);
      if (!names.insert(name).second) continue;
      outputs.push_back(std::move(name));
      driven.push_back(circuit.driven[number]);
    } else if (others-- == 0) {
      refuse("an output without a name: a port of constants, or a wire that nothing drives?");
    }
  }
  circuit.outputs = std::move(outputs);
  circuit.driven = std::move(driven);
}

/// Lines "input NUMBER BIT NAME", "output ..." and "wire LITERAL BIT NAME".
void read_names(Circuit& circuit, std::string_view map) {
  std::vector<OutputLine> outputs;
  while (!map.empty()) {
    const std::size_t end = std::min(map.find('\n'), map.size());
    std::string_view line = map.substr(0, end);
    map.remove_prefix(std::min(end + 1, map.size()));
    std::array<std::string_view, 3> words;
    for (std::string_view& word : words) {
      const std::size_t blank = std::min(line.find(' '), line.size());
      word = line.substr(0, blank);
      line.remove_prefix(std::min(blank + 1, line.size()));
    }
    std::uint32_t at = 0, bit = 0;
    std::from_chars(words[1].data(), words[1].data() + words[1].size(), at);
    std::from_chars(words[2].data(), words[2].data() + words[2].size(), bit);
    if (words[0] == "input" && at < circuit.inputs.size()) {
      circuit.inputs[at] = bit_name(line, bit);
    } else if (words[0] == "output" && at < circuit.outputs.size()) {
      outputs.push_back({at, bit, std::string(line)});
    } else if (words[0] == "wire" && !line.starts_with('$') && at / 2 < circuit.size()) {
      circuit.wires.emplace(bit_name(line, bit), at);
    }
  }
  for (const std::string& name : circuit.inputs) {
    if (name.empty()) refuse("an input without a name");
  }
  name_outputs(circuit, outputs);
}

}  // namespace

Circuit parse_circuit(std::string_view aiger, std::string_view map) {
  Reader reader(aiger);
  reader.expect("aig ");
  reader.number();
  Circuit circuit;
  // A name stands in the map, a register, an output or a gate in the file: there are no more of
  // them than bytes.
  circuit.inputs.resize(reader.count(map.size()));
  circuit.next.resize(reader.count(aiger.size()));
  circuit.outputs.resize(reader.count(std::min(aiger.size(), map.size())));
  circuit.driven.resize(circuit.outputs.size());
  circuit.gates.resize(reader.count(aiger.size()));
  if (reader.before() != '\n') refuse("properties beside outputs");
  for (Literal& next : circuit.next) {
    next = reader.number();
    if (reader.before() == ' ') reader.skip_line();
  }
  for (Literal& driven : circuit.driven) driven = reader.number();
  auto own = static_cast<Literal>(2 * circuit.first_gate());
  for (auto& [left, right] : circuit.gates) {
    left = own - reader.difference();
    right = left - reader.difference();
    if (left >= own || right > left) refuse("a gate looks at one behind it");
    own += 2;
  }
  for (const auto* const list : {&circuit.next, &circuit.driven}) {
    for (const Literal each : *list) {
      if (each / 2 >= circuit.size()) refuse("a wire that there is not");
    }
  }
  read_names(circuit, map);
  return circuit;
}

Circuit with_one(const Circuit& circuit, std::string_view name, std::string_view where) {
  const auto input = [&](std::string_view each) {
    const auto at = std::ranges::find(circuit.inputs, each);
    if (at == circuit.inputs.end()) throw ToolError(fmt::format("the RTL has no port {}", each));
    return static_cast<Literal>(2 * (1 + (at - circuit.inputs.begin())));
  };
  const Literal one = input(name);
  // Its value is the first gate, behind which all others move: 0 where both inputs are.
  const auto zero = static_cast<Literal>(2 * circuit.first_gate());
  const auto moved = [&](Literal literal) -> Literal {
    if (literal / 2 == one / 2) return (zero ^ 1) ^ (literal % 2);
    return literal / 2 < circuit.first_gate() ? literal : literal + 2;
  };
  Circuit made = circuit;
  made.gates = {{std::max(one, input(where)) ^ 1, std::min(one, input(where)) ^ 1}};
  for (const auto& [left, right] : circuit.gates) made.gates.push_back({moved(left), moved(right)});
  for (auto* const list : {&made.next, &made.driven}) {
    for (Literal& each : *list) each = moved(each);
  }
  for (auto& [wire, literal] : made.wires) literal = moved(literal);
  return made;
}

Circuit read_circuit(const std::filesystem::path& aiger, const std::filesystem::path& map) {
  return parse_circuit(whole_file(aiger), whole_file(map));
}

}  // namespace mx::sim
