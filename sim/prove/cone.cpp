#include "sim/prove/cone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "sim/netlist/tools.hpp"
#include "sim/prove/rtlil.hpp"

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
      const std::string value = changed(net('g', mutated_net_.number));
      module_.declare(net('m', mutated_net_.number));
      module_.connect(net('m', mutated_net_.number), value);
    }
    for (const int c : logic_) write_cell(c, Side::kMutant);
    for (const int c : ends_) compare_end(c);
    for (const NetBit bit : outputs_)
      compare(signal(bit, Side::kOriginal), signal(bit, Side::kMutant));
    write_originals();
    return module_.text(name);
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
  /// A bit as one of the two copies sees it.
  std::string signal(NetBit bit, Side side) {
    if (bit.number == NetBit::kZero) return "1'0";
    if (bit.number == NetBit::kOne) return "1'1";
    if (!bit.is_net()) return "1'0";
    if (side == Side::kMutant && affected_.contains(bit.number)) {
      module_.declare(net('m', bit.number));
      return net('m', bit.number);
    }
    need(bit);
    return net('g', bit.number);
  }
  void need(NetBit bit) {
    if (needed_.insert(bit.number).second) todo_.push_back(bit);
  }

  // The mutation.
  std::string changed(const std::string& value) {
    if (mutation_.mode == "const0") return "1'0";
    if (mutation_.mode == "const1") return "1'1";
    if (mutation_.mode == "inv") return module_.gate("$not", {value});
    const std::string by =
        signal(port_->bits[static_cast<std::size_t>(mutation_.control)], Side::kOriginal);
    if (mutation_.mode == "cnot1") return module_.gate("$xor", {value, by});
    if (mutation_.mode == "cnot0") return module_.gate("$xnor", {value, by});
    throw ToolError(fmt::format("unknown mode {}", mutation_.mode));
  }

  /// Bit `b` of an input port of a cell.
  std::string pin(int cell, const NetPort& port, std::size_t b, Side side) {
    const std::string value = signal(port.bits[b], side);
    const bool is_place = side == Side::kMutant && cell == cell_ && port.name == mutation_.port &&
                          !port_->is_output && static_cast<int>(b) == mutation_.bit;
    return is_place ? changed(value) : value;
  }

  void write_cell(int c, Side side) {
    module_.copy(at(c), [&](const NetPort& port, std::size_t b) {
      return port.is_output ? made(port.bits[b], side) : pin(c, port, b, side);
    });
  }

  /// Where a cell's output goes.
  std::string made(NetBit bit, Side side) {
    if (!bit.is_net() || (side == Side::kMutant && bit == mutated_net_)) return module_.new_wire();
    const std::string name = net(side == Side::kOriginal ? 'g' : 'm', bit.number);
    module_.declare(name);
    return name;
  }

  // The logic before what is needed of the original.
  void write_originals() {
    while (!todo_.empty()) {
      const NetBit bit = todo_.back();
      todo_.pop_back();
      const NetPin* const from = graph_.driver(bit);
      if (from == nullptr || !at(from->cell).is_logic()) {
        module_.input(net('g', bit.number));
      } else if (written_.insert(from->cell).second) {
        write_cell(from->cell, Side::kOriginal);
      }
    }
  }

  void compare(const std::string& original, const std::string& mutant) {
    if (original == mutant) return;
    module_.compare(original, mutant);
  }

  /// A control pin, active high; "" where the cell has none.
  std::string control(int c, std::string_view name, const std::string& polarity, Side side) {
    const NetPort* const port = at(c).port(name);
    if (port == nullptr) return {};
    const std::string value = pin(c, *port, 0, side);
    return at(c).flag(polarity) ? value : module_.gate("$not", {value});
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
    if (!enable.empty() && !enable_first) next = module_.choose(enable, next, state);
    if (!reset.empty()) {
      const std::string& value = cell.parameters.at("SRST_VALUE");
      next = module_.choose(reset, fmt::format("1'{}", value[value.size() - 1 - b]), next);
    }
    if (!enable.empty() && enable_first) next = module_.choose(enable, next, state);
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
        original = module_.gate("$and", {original, original_if});
        mutant = module_.gate("$and", {mutant, mutant_if});
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
      compare(module_.gate("$and", {pin(c, data, b, Side::kOriginal), original_if}),
              module_.gate("$and", {pin(c, data, b, Side::kMutant), mutant_if}));
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
  RtlilModule module_;
};

}  // namespace

std::optional<std::string> proof_module(const NetGraph& graph, const Mutation& mutation,
                                        const std::string& name) {
  ConeWriter writer(graph, mutation);
  if (!writer.reaches_anything()) return std::nullopt;
  return writer.write(name);
}

}  // namespace mx::sim
