#include "sim/netlist/cone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "sim/netlist/tools.hpp"

namespace mx::sim {
namespace {

enum class Side : std::uint8_t { kOriginal, kMutant };

class ConeWriter {
 public:
  ConeWriter(const NetGraph& graph, const Mutation& mutation) : graph_(graph), mutation_(mutation) {
    const int cell = graph.find(mutation.cell);
    const NetPort* const port =
        cell < 0 ? nullptr : graph.cells()[static_cast<std::size_t>(cell)].port(mutation.port);
    if (port == nullptr || mutation.bit >= static_cast<int>(port->bits.size()) ||
        mutation.control >= static_cast<int>(port->bits.size())) {
      throw ToolError(fmt::format("the netlist has no place for: {}", mutation.text()));
    }
    cell_ = cell;
    port_ = port;
    if (port->is_output) {
      mutated_net_ = port->bits[static_cast<std::size_t>(mutation.bit)];
      spread(mutated_net_);
    } else {
      reach(cell_);
    }
  }

  [[nodiscard]] bool reaches_anything() const { return !ends_.empty() || !outputs_.empty(); }

  std::string write(const std::string& name) {
    if (mutated_net_.is_net()) {
      need(mutated_net_);
      body_ += assign(net('m', mutated_net_.number), changed(net('g', mutated_net_.number)));
    }
    for (const int c : logic_) write_cell(c, Side::kMutant);
    for (const int c : ends_) compare_end(c);
    for (const NetBit bit : outputs_)
      compare(signal(bit, Side::kOriginal), signal(bit, Side::kMutant));
    write_originals();
    std::string text = fmt::format("module \\{}\n", name);
    int number = 0;
    for (const std::string& input : inputs_)
      text += fmt::format("  wire input {} {}\n", ++number, input);
    text += fmt::format("  wire output {} \\differ\n", ++number);
    for (const std::string& wire : wires_) text += fmt::format("  wire {}\n", wire);
    text += body_;
    text += fmt::format(
        "  cell $ne \\difference\n    parameter \\A_SIGNED 0\n    parameter \\B_SIGNED 0\n"
        "    parameter \\A_WIDTH {0}\n    parameter \\B_WIDTH {0}\n    parameter \\Y_WIDTH 1\n"
        "    connect \\A {{ {1}}}\n    connect \\B {{ {2}}}\n    connect \\Y \\differ\n  "
        "end\nend\n",
        compared_, left_, right_);
    return text;
  }

 private:
  [[nodiscard]] const NetCell& at(int cell) const {
    return graph_.cells()[static_cast<std::size_t>(cell)];
  }

  // What the mutant reaches.
  void spread(NetBit bit) {
    std::vector<NetBit> todo{bit};
    while (!todo.empty()) {
      const NetBit next = todo.back();
      todo.pop_back();
      if (!next.is_net() || !affected_.insert(next.number).second) continue;
      for (const NetPin& pin : graph_.users(next)) {
        if (pin.cell < 0) {
          outputs_.push_back(next);
        } else {
          for (const NetBit out : step(pin.cell)) todo.push_back(out);
        }
      }
    }
  }
  void reach(int cell) {
    for (const NetBit out : step(cell)) spread(out);
  }
  /// A cell one of whose inputs is affected: the bits that it makes, if it is logic.
  std::vector<NetBit> step(int cell) {
    if (!at(cell).is_logic()) {
      ends_.insert(cell);
      return {};
    }
    if (!logic_.insert(cell).second) return {};
    std::vector<NetBit> bits;
    for (const NetPort& port : at(cell).ports) {
      if (port.is_output) bits.insert(bits.end(), port.bits.begin(), port.bits.end());
    }
    return bits;
  }

  // Names.
  static std::string net(char side, int number) { return fmt::format("\\{}{}", side, number); }
  std::string new_wire() {
    wires_.push_back(fmt::format("\\t{}", wires_.size()));
    return wires_.back();
  }
  /// A bit as one of the two copies sees it.
  std::string signal(NetBit bit, Side side) {
    if (bit.number == NetBit::kZero) return "1'0";
    if (bit.number == NetBit::kOne) return "1'1";
    if (!bit.is_net()) return "1'0";
    if (side == Side::kMutant && affected_.contains(bit.number)) {
      declare('m', bit.number);
      return net('m', bit.number);
    }
    need(bit);
    return net('g', bit.number);
  }
  void need(NetBit bit) {
    if (needed_.insert(bit.number).second) todo_.push_back(bit);
  }
  void declare(char side, int number) {
    if (declared_.insert(net(side, number)).second) wires_.push_back(net(side, number));
  }
  static std::string assign(const std::string& to, const std::string& from) {
    return fmt::format("  connect {} {}\n", to, from);
  }

  // The mutation.
  std::string changed(const std::string& value) {
    if (mutated_net_.is_net()) declare('m', mutated_net_.number);
    if (mutation_.mode == "const0") return "1'0";
    if (mutation_.mode == "const1") return "1'1";
    if (mutation_.mode == "inv") return gate("$not", {value});
    const std::string by =
        signal(port_->bits[static_cast<std::size_t>(mutation_.control)], Side::kOriginal);
    if (mutation_.mode == "cnot1") return gate("$xor", {value, by});
    if (mutation_.mode == "cnot0") return gate("$xnor", {value, by});
    throw ToolError(fmt::format("unknown mode {}", mutation_.mode));
  }
  std::string gate(std::string_view type, const std::vector<std::string>& in) {
    const std::string out = new_wire();
    body_ += fmt::format("  cell {} \\c{}\n    parameter \\A_SIGNED 0\n    parameter \\A_WIDTH 1\n",
                         type, ++cells_);
    if (in.size() == 2) body_ += "    parameter \\B_SIGNED 0\n    parameter \\B_WIDTH 1\n";
    body_ += fmt::format("    parameter \\Y_WIDTH 1\n    connect \\A {}\n", in[0]);
    if (in.size() == 2) body_ += fmt::format("    connect \\B {}\n", in[1]);
    body_ += fmt::format("    connect \\Y {}\n  end\n", out);
    return out;
  }
  std::string choose(const std::string& condition, const std::string& yes, const std::string& no) {
    const std::string out = new_wire();
    body_ += fmt::format(
        "  cell $mux \\c{}\n    parameter \\WIDTH 1\n    connect \\A {}\n    connect \\B {}\n"
        "    connect \\S {}\n    connect \\Y {}\n  end\n",
        ++cells_, no, yes, condition, out);
    return out;
  }

  /// Bit `b` of an input port of a cell.
  std::string pin(int cell, const NetPort& port, std::size_t b, Side side) {
    const std::string value = signal(port.bits[b], side);
    const bool is_place = side == Side::kMutant && cell == cell_ && port.name == mutation_.port &&
                          !port_->is_output && static_cast<int>(b) == mutation_.bit;
    return is_place ? changed(value) : value;
  }

  void write_cell(int c, Side side) {
    const NetCell& cell = at(c);
    std::string connects;
    for (const NetPort& port : cell.ports) {
      std::string bits;
      for (std::size_t b = port.bits.size(); b-- > 0;) {
        const NetBit bit = port.bits[b];
        if (!port.is_output) {
          bits += pin(c, port, b, side) + " ";
        } else if (!bit.is_net() || (side == Side::kMutant && bit == mutated_net_)) {
          bits += new_wire() + " ";
        } else {
          const char letter = side == Side::kOriginal ? 'g' : 'm';
          declare(letter, bit.number);
          bits += net(letter, bit.number) + " ";
        }
      }
      connects += fmt::format("    connect \\{} {{ {}}}\n", port.name, bits);
    }
    body_ += fmt::format("  cell {} \\c{}\n", cell.type, ++cells_);
    for (const auto& [key, value] : cell.parameters) {
      body_ += fmt::format("    parameter \\{} {}'{}\n", key, value.size(), value);
    }
    body_ += connects + "  end\n";
  }

  // The logic before what is needed of the original.
  void write_originals() {
    while (!todo_.empty()) {
      const NetBit bit = todo_.back();
      todo_.pop_back();
      const NetPin* const from = graph_.driver(bit);
      if (from == nullptr || !at(from->cell).is_logic()) {
        inputs_.push_back(net('g', bit.number));
      } else if (written_.insert(from->cell).second) {
        write_cell(from->cell, Side::kOriginal);
      }
    }
    // Outputs of a written cell that nobody needs are wires, not inputs.
    std::erase_if(inputs_, [&](const std::string& name) { return declared_.contains(name); });
  }

  void compare(const std::string& original, const std::string& mutant) {
    if (original == mutant) return;
    left_ += original + " ";
    right_ += mutant + " ";
    ++compared_;
  }

  /// A control pin, active high; "" where the cell has none.
  std::string control(int c, std::string_view name, const std::string& polarity, Side side) {
    const NetPort* const port = at(c).port(name);
    if (port == nullptr) return {};
    const std::string value = pin(c, *port, 0, side);
    return at(c).flag(polarity) ? value : gate("$not", {value});
  }

  void compare_end(int c) {
    const NetCell& cell = at(c);
    if (cell.is_memory_read()) {
      compare_port(c, "ADDR", {}, {});
      return;
    }
    compare_port(c, "CLK", {}, {});
    if (cell.is_memory_write()) {
      compare_write(c);
      return;
    }
    compare_port(c, "ARST", {}, {});
    const NetPort& data = *cell.port("D");
    for (std::size_t b = 0; b < data.bits.size(); ++b) {
      compare(next_state(c, b, Side::kOriginal), next_state(c, b, Side::kMutant));
    }
  }

  std::string next_state(int c, std::size_t b, Side side) {
    const NetCell& cell = at(c);
    const auto held = cell.port("Q")->bits[b];
    // The state itself is the same in both, also where the output is mutated.
    need(held);
    const std::string state = net('g', held.number);
    std::string next = pin(c, *cell.port("D"), b, side);
    const std::string enable = control(c, "EN", "EN_POLARITY", side);
    const std::string reset = control(c, "SRST", "SRST_POLARITY", side);
    const bool enable_first = cell.type == "$sdffce";
    if (!enable.empty() && !enable_first) next = choose(enable, next, state);
    if (!reset.empty()) {
      const std::string& value = cell.parameters.at("SRST_VALUE");
      next = choose(reset, fmt::format("1'{}", value[value.size() - 1 - b]), next);
    }
    if (!enable.empty() && enable_first) next = choose(enable, next, state);
    return next;
  }

  /// Bits of a port, under conditions where there are any.
  void compare_port(int c, std::string_view name, const std::string& original_if,
                    const std::string& mutant_if) {
    const NetPort* const port = at(c).port(name);
    if (port == nullptr) return;
    for (std::size_t b = 0; b < port->bits.size(); ++b) {
      std::string original = pin(c, *port, b, Side::kOriginal);
      std::string mutant = pin(c, *port, b, Side::kMutant);
      if (original == mutant) continue;
      if (!original_if.empty()) {
        original = gate("$and", {original, original_if});
        mutant = gate("$and", {mutant, mutant_if});
      }
      compare(original, mutant);
    }
  }

  void compare_write(int c) {
    const NetCell& cell = at(c);
    const NetPort& enable = *cell.port("EN");
    compare_port(c, "EN", {}, {});
    const NetPort& data = *cell.port("DATA");
    for (std::size_t b = 0; b < data.bits.size(); ++b) {
      const std::string original_if = pin(c, enable, b, Side::kOriginal);
      const std::string mutant_if = pin(c, enable, b, Side::kMutant);
      compare(gate("$and", {pin(c, data, b, Side::kOriginal), original_if}),
              gate("$and", {pin(c, data, b, Side::kMutant), mutant_if}));
    }
    const std::string any_original = pin(c, enable, 0, Side::kOriginal);
    const std::string any_mutant = pin(c, enable, 0, Side::kMutant);
    const bool one_enable = std::ranges::all_of(
        enable.bits, [&](const NetBit& bit) { return bit == enable.bits.front(); });
    if (one_enable) {
      compare_port(c, "ADDR", any_original, any_mutant);
    } else {
      compare_port(c, "ADDR", {}, {});
    }
  }

  const NetGraph& graph_;
  const Mutation& mutation_;
  int cell_ = -1;
  const NetPort* port_ = nullptr;
  NetBit mutated_net_{};
  std::unordered_set<int> affected_;  // nets that may differ
  std::set<int> logic_;               // cells that make them
  std::set<int> ends_;                // registers and memories that they reach
  std::vector<NetBit> outputs_;

  std::unordered_set<int> needed_;  // nets of the original
  std::vector<NetBit> todo_;
  std::unordered_set<int> written_;
  std::unordered_set<std::string> declared_;
  std::vector<std::string> inputs_;
  std::vector<std::string> wires_;
  std::string body_;
  std::string left_, right_;
  int compared_ = 0;
  int cells_ = 0;
};

}  // namespace

std::optional<std::string> proof_module(const NetGraph& graph, const Mutation& mutation,
                                        const std::string& name) {
  ConeWriter writer(graph, mutation);
  if (!writer.reaches_anything()) return std::nullopt;
  return writer.write(name);
}

}  // namespace mx::sim
