#include "sim/prove/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <unordered_set>

#include "golden/config_word/table.hpp"
#include "sim/prove/reach.hpp"
#include "sim/prove/rtlil.hpp"

namespace mx::sim {
namespace {

enum class WindowSide : std::uint8_t { kOriginal, kMutant };

class WindowWriter {
 public:
  WindowWriter(const NetFacts& facts, const Mutation& mutation, const WindowSize& size)
      : facts_(facts),
        graph_(facts.graph()),
        mutation_(mutation),
        depth_(size.back),
        reach_(facts, mutation, size.forward) {}

  /// The question does not reach a mutated enable, clock or reset.
  [[nodiscard]] bool can_ask() const { return !reach_.loses_time(); }

  std::string write(const std::string& name) {
    nodes_.push_back({0});
    for (const NetBit bit : reach_.outputs()) compare_bit(bit);
    for (const auto& [cell, port] : reach_.controls()) {
      const NetPort& pins = *at(cell).port(port);
      for (std::size_t b = 0; b < pins.bits.size(); ++b) {
        module_.compare(pin(cell, pins, b, 0, WindowSide::kOriginal),
                        pin(cell, pins, b, 0, WindowSide::kMutant));
      }
    }
    for (const auto& [cell, bit] : reach_.loops()) {
      module_.compare(loaded(cell, bit, 0, WindowSide::kOriginal),
                      loaded(cell, bit, 0, WindowSide::kMutant));
    }
    work_off();
    while (assume_legal()) work_off();
    return module_.text(name);
  }

 private:
  struct Node {
    int steps;  // back through registers that the mutant does not reach
    std::map<std::string, int> children{};
  };
  struct Job {
    int cell;
    int node;
    WindowSide side;
    auto operator<=>(const Job&) const = default;
  };

  [[nodiscard]] const NetCell& at(int cell) const {
    return graph_.cells()[static_cast<std::size_t>(cell)];
  }

  // Names and values.
  static std::string name_of(int net, int node, WindowSide side) {
    return fmt::format("\\{}{}_{}", side == WindowSide::kOriginal ? 'g' : 'm', net, node);
  }
  std::string signal(NetBit bit, int node, WindowSide side) {
    if (bit.number == NetBit::kOne) return "1'1";
    if (!bit.is_net()) return "1'0";
    if (side == WindowSide::kMutant && !reach_.is_affected(bit)) side = WindowSide::kOriginal;
    const std::string name = name_of(bit.number, node, side);
    nets_[node].insert(bit.number);
    if (!asked_.insert(name).second) return name;
    if (side == WindowSide::kMutant && reach_.is_output(bit)) {
      module_.declare(name);
      module_.connect(name, changed(signal(bit, node, WindowSide::kOriginal), node));
      return name;
    }
    const NetPin* const from = graph_.driver(bit);
    if (from == nullptr) {
      module_.input(name);
      return name;
    }
    const NetCell& cell = at(from->cell);
    if (cell.is_logic()) {
      module_.declare(name);
      queue(from->cell, node, side);
      return name;
    }
    states_.push_back({bit, node, side});
    return name;
  }

  std::string changed(const std::string& value, int node) {
    if (mutation_.mode == "const0") return "1'0";
    if (mutation_.mode == "const1") return "1'1";
    if (mutation_.mode == "inv") return module_.gate("$not", {value});
    const std::string by = signal(reach_.port().bits[static_cast<std::size_t>(mutation_.control)],
                                  node, WindowSide::kOriginal);
    return module_.gate(mutation_.mode == "cnot1" ? "$xor" : "$xnor", {value, by});
  }

  std::string pin(int c, const NetPort& port, std::size_t b, int node, WindowSide side) {
    const std::string value = signal(port.bits[b], node, side);
    return side == WindowSide::kMutant && reach_.is_input(c, port, b) ? changed(value, node)
                                                                      : value;
  }

  void queue(int cell, int node, WindowSide side) {
    const Job job{cell, node, side};
    if (queued_.insert(job).second) jobs_.push_back(job);
  }

  void work_off() {
    while (!jobs_.empty() || !states_.empty()) {
      if (!jobs_.empty()) {
        const Job job = jobs_.back();
        jobs_.pop_back();
        write_cell(job);
      } else {
        const State state = states_.back();
        states_.pop_back();
        write_state(state);
      }
    }
  }

  void write_cell(const Job& job) {
    module_.copy(at(job.cell), [&](const NetPort& port, std::size_t b) {
      return port.is_output ? made(port.bits[b], job) : pin(job.cell, port, b, job.node, job.side);
    });
  }

  /// Where a cell's output goes. The copy of a mutant has bits that the mutant does not reach, and
  /// before a mutated output the value that it changes: the original's copy makes those.
  std::string made(NetBit bit, const Job& job) {
    if (!bit.is_net()) return module_.new_wire();
    if (job.side == WindowSide::kMutant && (!reach_.is_affected(bit) || reach_.is_output(bit))) {
      return module_.new_wire();
    }
    const std::string name = name_of(bit.number, job.node, job.side);
    module_.declare(name);
    asked_.insert(name);
    return name;
  }

  struct State {
    NetBit bit;
    int node;
    WindowSide side;
  };
  void write_state(const State& state) {
    const std::string name = name_of(state.bit.number, state.node, state.side);
    const NetPin& from = *graph_.driver(state.bit);
    const auto b = static_cast<std::size_t>(from.bit);
    // The register whose output is mutated holds what the original holds.
    const bool is_reached = reach_.is_affected(state.bit) && !reach_.is_output(state.bit);
    const int source = at(from.cell).is_register() ? from.cell : facts_.writer_of(from.cell);
    const bool can_follow = source >= 0 && !reach_.must_agree(from.cell, state.bit);
    if (!can_follow || (!is_reached && !may_step(from.cell, state.node))) {
      module_.input(name);
      return;
    }
    const int child = child_of(from.cell, source, state.node);
    module_.declare(name);
    module_.connect(name, loaded(source, b, child, state.side));
  }
  [[nodiscard]] std::string group(int cell, int source) const {
    return at(cell).is_register() ? group_of(at(cell)) : group_of_read(at(cell), at(source));
  }
  [[nodiscard]] bool may_step(int cell, int node) const {
    const int source = at(cell).is_register() ? cell : facts_.writer_of(cell);
    return reach_.passes(group(cell, source)) ||
           nodes_[static_cast<std::size_t>(node)].steps < depth_;
  }
  int child_of(int cell, int source, int node) {
    const std::string key = group(cell, source);
    auto& children = nodes_[static_cast<std::size_t>(node)].children;
    if (const auto found = children.find(key); found != children.end()) return found->second;
    const int child = static_cast<int>(nodes_.size());
    children.emplace(key, child);
    const int steps = nodes_[static_cast<std::size_t>(node)].steps + (reach_.passes(key) ? 0 : 1);
    nodes_.push_back({steps});
    return child;
  }

  /// What bit b of a register or a memory gets when it is loaded.
  std::string loaded(int c, std::size_t b, int node, WindowSide side) {
    const NetCell& cell = at(c);
    if (cell.is_memory_write()) return pin(c, *cell.port("DATA"), b, node, side);
    std::string value = pin(c, *cell.port("D"), b, node, side);
    const NetPort* const reset = cell.port("SRST");
    if (reset == nullptr) return value;
    std::string is_reset = pin(c, *reset, 0, node, side);
    if (!cell.flag("SRST_POLARITY")) is_reset = module_.gate("$not", {is_reset});
    const std::string& values = cell.parameters.at("SRST_VALUE");
    return module_.choose(is_reset, fmt::format("1'{}", values[values.size() - 1 - b]), value);
  }

  void compare_bit(NetBit bit) {
    module_.compare(signal(bit, 0, WindowSide::kOriginal), signal(bit, 0, WindowSide::kMutant));
  }

  // Legal words.
  bool assume_legal() {
    namespace field = golden::config_word_field;
    const std::array limits = {
        std::pair{field::kFormat, golden::kFormatCodes.size()},
        std::pair{field::kRounding, std::size_t{golden::kStochasticCode} + 1},
        std::pair{field::kRule, golden::kRuleCodes.size()},
        std::pair{field::kSource, golden::kSourceCodes.size()},
        std::pair{field::kOverflow, golden::kOverflowCodes.size()},
        std::pair{field::kAmaxOver, golden::kAmaxOverCodes.size()},
        std::pair{field::kNan, golden::kNanCodes.size()},
    };
    bool added = false;
    const auto nets = nets_;
    for (const auto& each : nets) {
      const int node = each.first;
      const std::unordered_set<int>& present = each.second;
      for (const std::vector<NetBit>& word : graph_.config_words()) {
        for (const auto& [place, count] : limits) {
          if (count == std::size_t{1} << place.width) continue;
          const auto first = word.begin() + place.lsb;
          const std::vector<NetBit> bits(first, first + place.width);
          const bool is_here = std::ranges::any_of(bits, [&](const NetBit& bit) {
            return bit.is_net() && present.contains(bit.number);
          });
          if (!is_here || !assumed_.emplace(node, bits.front().number, place.lsb).second) continue;
          std::vector<std::string> signals;
          for (const NetBit bit : bits) signals.push_back(signal(bit, node, WindowSide::kOriginal));
          module_.assume_below(signals, static_cast<unsigned>(count));
          added = true;
        }
      }
    }
    return added;
  }

  const NetFacts& facts_;
  const NetGraph& graph_;
  const Mutation& mutation_;
  int depth_;
  Reach reach_;

  RtlilModule module_;
  std::vector<Node> nodes_;
  std::vector<Job> jobs_;
  std::set<Job> queued_;
  std::vector<State> states_;
  std::unordered_set<std::string> asked_;
  std::map<int, std::unordered_set<int>> nets_;  // by node: those that a proof speaks of
  std::set<std::tuple<int, int, int>> assumed_;
};

}  // namespace

std::optional<std::string> window_module(const NetFacts& facts, const Mutation& mutation,
                                         const WindowSize& size, const std::string& name) {
  WindowWriter writer(facts, mutation, size);
  if (!writer.can_ask()) return std::nullopt;
  return writer.write(name);
}

}  // namespace mx::sim
