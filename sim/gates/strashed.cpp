#include "sim/gates/strashed.hpp"

#include <fmt/format.h>

#include <utility>

namespace mx::sim {
namespace {

void append_difference(std::string& text, Literal value) {
  for (; value > 0x7F; value >>= 7) text += static_cast<char>((value & 0x7F) | 0x80);
  text += static_cast<char>(value);
}

}  // namespace

Literal Strashed::conjunction(Literal left, Literal right) {
  if (left < right) std::swap(left, right);
  if (right == 0 || left == (right ^ 1)) return 0;
  if (right == 1 || left == right) return left;
  const auto own = static_cast<Literal>(2 * (inputs_ + 1 + gates_.size()));
  const auto [at, is_new] = known_.emplace(std::uint64_t{left} << 32 | right, own);
  if (is_new) gates_.push_back({left, right});
  return at->second;
}

std::vector<Literal> Strashed::added(const Circuit& circuit, const std::vector<Literal>& inputs,
                                     const std::vector<Literal>& registers) {
  std::vector<Literal> wires = {0};
  wires.reserve(circuit.size());
  wires.insert(wires.end(), inputs.begin(), inputs.end());
  wires.insert(wires.end(), registers.begin(), registers.end());
  for (const auto& [left, right] : circuit.gates) {
    wires.push_back(conjunction(literal_of(wires, left), literal_of(wires, right)));
  }
  return wires;
}

const std::array<Literal, 2>* Strashed::gate_of(Literal literal) const {
  if (literal % 2 != 0 || literal / 2 <= inputs_) return nullptr;
  return &gates_[literal / 2 - inputs_ - 1];
}

std::string Strashed::aiger(const std::vector<Literal>& outputs,
                            const std::vector<std::string>& names) const {
  std::string text = fmt::format("aig {} {} 0 {} {}\n", inputs_ + gates_.size(), inputs_,
                                 outputs.size(), gates_.size());
  for (const Literal output : outputs) text += fmt::format("{}\n", output);
  auto own = static_cast<Literal>(2 * (inputs_ + 1));
  for (const auto& [left, right] : gates_) {
    append_difference(text, own - left);
    append_difference(text, left - right);
    own += 2;
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += i < inputs_ ? fmt::format("i{} {}\n", i, names[i])
                        : fmt::format("o{} {}\n", i - inputs_, names[i]);
  }
  return text;
}

}  // namespace mx::sim
