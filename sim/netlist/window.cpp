#include "sim/netlist/window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "golden/config_word/table.hpp"
#include "sim/netlist/rtlil.hpp"

namespace mx::sim {
namespace {

enum class Side : std::uint8_t { kOriginal, kMutant };

/// Cells whose output bit i depends on bit i of their inputs, and on S.
bool is_bitwise(const std::string& type) {
  constexpr std::array kTypes = {"$and", "$or", "$xor", "$xnor", "$not", "$mux"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

/// Clock, enable and resets: registers with the same ones are loaded together.
std::string group_of(const NetCell& cell) {
  std::string key = cell.type;
  for (const std::string_view name : {"CLK", "EN", "ARST", "SRST"}) {
    // A synchronous reset below the enable is a matter of data.
    if (name == "SRST" && cell.type == "$sdffce") continue;
    if (const NetPort* port = cell.port(name)) key += fmt::format(" {}", port->bits[0].number);
  }
  if (cell.type == "$sdffce") key.replace(0, cell.type.size(), "$dffe");
  return key + (cell.flag("EN_POLARITY") ? "+" : "-");
}

std::string group_of_read(const NetCell& read, const NetCell& writer) {
  std::string key = "memory";
  for (const NetPort* port : {read.port("ADDR"), writer.port("ADDR")}) {
    for (const NetBit bit : port->bits) key += fmt::format(" {}", bit.number);
  }
  return key + fmt::format(" {}", writer.port("EN")->bits[0].number);
}

}  // namespace

WindowFacts::WindowFacts(const NetGraph& graph) : graph_(graph) { find_loops(); }

bool WindowFacts::is_in_loop(NetBit bit) const {
  return bit.is_net() && static_cast<std::size_t>(bit.number) < in_loop_.size() &&
         in_loop_[static_cast<std::size_t>(bit.number)];
}

int WindowFacts::writer_of(int read) const {
  const auto& cells = graph_.cells();
  const std::string& memory = cells[static_cast<std::size_t>(read)].parameters.at("MEMID");
  int writer = -1;
  for (int c = 0; c < static_cast<int>(cells.size()); ++c) {
    const NetCell& cell = cells[static_cast<std::size_t>(c)];
    if (!cell.is_memory_write() || cell.parameters.at("MEMID") != memory) continue;
    if (writer >= 0) return -1;
    writer = c;
  }
  return writer;
}

std::vector<NetBit> WindowFacts::sources_of(NetBit bit) const {
  const NetPin* const from = graph_.driver(bit);
  if (from == nullptr) return {};
  const NetCell& cell = graph_.cells()[static_cast<std::size_t>(from->cell)];
  const auto b = static_cast<std::size_t>(from->bit);
  std::vector<NetBit> sources;
  if (cell.is_register()) {
    sources.push_back(cell.port("D")->bits[b]);
    if (const NetPort* reset = cell.port("SRST")) sources.push_back(reset->bits[0]);
  } else if (cell.is_memory_read()) {
    const int writer = writer_of(from->cell);
    if (writer >= 0) {
      sources.push_back(graph_.cells()[static_cast<std::size_t>(writer)].port("DATA")->bits[b]);
    }
  } else {
    for (const NetPort& port : cell.ports) {
      if (port.is_output) continue;
      if (is_bitwise(cell.type) && port.name != "S" && b < port.bits.size()) {
        sources.push_back(port.bits[b]);
      } else {
        sources.insert(sources.end(), port.bits.begin(), port.bits.end());
      }
    }
  }
  std::erase_if(sources, [](const NetBit& source) { return !source.is_net(); });
  return sources;
}

// Tarjan's strongly connected components, without recursion.
void WindowFacts::find_loops() {
  int count = 0;
  for (const NetCell& cell : graph_.cells()) {
    for (const NetPort& port : cell.ports) {
      for (const NetBit bit : port.bits) count = std::max(count, bit.number + 1);
    }
  }
  const auto size = static_cast<std::size_t>(count);
  in_loop_.assign(size, false);
  std::vector<int> order(size, -1), low(size, 0);
  std::vector<bool> on_stack(size, false);
  std::vector<int> stack;
  struct Frame {
    int net;
    std::vector<NetBit> sources;
    std::size_t next;
  };
  int turn = 0;
  std::vector<Frame> frames;
  const auto enter = [&](int net) {
    order[static_cast<std::size_t>(net)] = low[static_cast<std::size_t>(net)] = turn++;
    stack.push_back(net);
    on_stack[static_cast<std::size_t>(net)] = true;
    frames.push_back({net, sources_of({net}), 0});
  };
  for (int root = 0; root < count; ++root) {
    if (order[static_cast<std::size_t>(root)] >= 0) continue;
    enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const auto here = static_cast<std::size_t>(frame.net);
      if (frame.next < frame.sources.size()) {
        const int to = frame.sources[frame.next++].number;
        const auto there = static_cast<std::size_t>(to);
        if (to == frame.net) in_loop_[here] = true;
        if (order[there] < 0) {
          enter(to);
        } else if (on_stack[there]) {
          low[here] = std::min(low[here], order[there]);
        }
        continue;
      }
      const int done = frame.net;
      frames.pop_back();
      if (!frames.empty()) {
        const auto above = static_cast<std::size_t>(frames.back().net);
        low[above] = std::min(low[above], low[here]);
      }
      if (low[here] != order[here]) continue;
      std::vector<int> component;
      for (int net = -1; net != done;) {
        net = stack.back();
        stack.pop_back();
        on_stack[static_cast<std::size_t>(net)] = false;
        component.push_back(net);
      }
      if (component.size() < 2) continue;
      for (const int net : component) in_loop_[static_cast<std::size_t>(net)] = true;
    }
  }
}

namespace {

class WindowWriter {
 public:
  WindowWriter(const WindowFacts& facts, const Mutation& mutation, const WindowSize& size)
      : facts_(facts),
        graph_(facts.graph()),
        mutation_(mutation),
        forward_(size.forward),
        depth_(size.back),
        todo_(static_cast<std::size_t>(size.forward) + 2) {
    cell_ = graph_.find(mutation.cell);
    port_ = at(cell_).port(mutation.port);
    place_ = port_->bits[static_cast<std::size_t>(mutation.bit)];
    if (port_->is_output) {
      spread(place_);
    } else {
      reach(cell_, {cell_, 0, mutation.bit}, port_->name);
    }
  }

  /// The question does not reach a mutated enable, clock or reset.
  [[nodiscard]] bool can_ask() const { return !loses_time_; }

  std::string write(const std::string& name) {
    nodes_.push_back({0});
    for (const NetBit bit : outputs_) compare_bit(bit);
    for (const auto& [cell, port] : controls_) {
      const NetPort& pins = *at(cell).port(port);
      for (std::size_t b = 0; b < pins.bits.size(); ++b) {
        module_.compare(pin(cell, pins, b, 0, Side::kOriginal),
                        pin(cell, pins, b, 0, Side::kMutant));
      }
    }
    for (const auto& [cell, bit] : loops_) {
      module_.compare(loaded(cell, bit, 0, Side::kOriginal), loaded(cell, bit, 0, Side::kMutant));
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
    Side side;
    auto operator<=>(const Job&) const = default;
  };

  [[nodiscard]] const NetCell& at(int cell) const {
    return graph_.cells()[static_cast<std::size_t>(cell)];
  }

  // What the mutant reaches, through registers and memories too, at most `forward` of them.
  void spread(NetBit start) { add(start, 0), drain(); }
  void reach(int cell, const NetPin& pin, const std::string& port) {
    distance_ = 0;
    follow(cell, pin, port);
    drain();
  }
  void add(NetBit bit, int distance) {
    if (bit.is_net()) todo_[static_cast<std::size_t>(distance)].push_back(bit);
  }
  void follow(int cell, const NetPin& pin, const std::string& port) {
    const bool is_register = !at(cell).is_logic();
    for (const NetBit next : reached_by(cell, pin, port)) {
      add(next, distance_ + (is_register ? 1 : 0));
    }
  }
  void drain() {
    for (distance_ = 0; distance_ <= forward_; ++distance_) {
      auto& todo = todo_[static_cast<std::size_t>(distance_)];
      while (!todo.empty()) {
        const NetBit bit = todo.back();
        todo.pop_back();
        if (!affected_.insert(bit.number).second) continue;
        for (const NetPin& user : graph_.users(bit)) {
          if (user.cell < 0) {
            outputs_.push_back(bit);
          } else {
            follow(user.cell, user, at(user.cell).ports[static_cast<std::size_t>(user.port)].name);
          }
        }
      }
    }
  }

  /// Nets that an affected input of a cell reaches.
  std::vector<NetBit> reached_by(int c, const NetPin& pin, const std::string& port) {
    const NetCell& cell = at(c);
    const auto b = static_cast<std::size_t>(pin.bit);
    if (cell.is_register()) {
      if (port == "D") return state(c, b);
      if (port != "SRST") {
        controls_.emplace(c, port);
        return {};
      }
      std::vector<NetBit> all;
      for (std::size_t i = 0; i < cell.port("Q")->bits.size(); ++i) {
        for (const NetBit bit : state(c, i)) all.push_back(bit);
      }
      return all;
    }
    if (cell.is_memory_write()) {
      if (port == "DATA") return written(c, b);
      controls_.emplace(c, port);
      return {};
    }
    if (cell.is_memory_read()) {
      if (port == "ADDR") controls_.emplace(c, port);
      return {};
    }
    std::vector<NetBit> out;
    for (const NetPort& each : cell.ports) {
      if (!each.is_output) continue;
      if (is_bitwise(cell.type) && port != "S" && b < each.bits.size()) {
        out.push_back(each.bits[b]);
      } else {
        out.insert(out.end(), each.bits.begin(), each.bits.end());
      }
    }
    return out;
  }

  /// A register's bit, or nothing where it is in a loop and has to agree instead.
  std::vector<NetBit> state(int c, std::size_t b) {
    const NetBit bit = at(c).port("Q")->bits[b];
    if (must_agree(c, bit) || distance_ == forward_) {
      loops_.emplace(c, b);
      return {};
    }
    reached_groups_.insert(group_of(at(c)));
    return {bit};
  }
  /// State in a loop, and what an asynchronous reset may have set.
  [[nodiscard]] bool must_agree(int c, NetBit bit) const {
    return facts_.is_in_loop(bit) || at(c).port("ARST") != nullptr;
  }
  std::vector<NetBit> written(int writer, std::size_t b) {
    std::vector<NetBit> out;
    if (distance_ == forward_) {
      loops_.emplace(writer, b);
      return out;
    }
    for (int c = 0; c < static_cast<int>(graph_.cells().size()); ++c) {
      if (!at(c).is_memory_read() || facts_.writer_of(c) != writer) {
        if (at(c).is_memory_read() &&
            at(c).parameters.at("MEMID") == at(writer).parameters.at("MEMID")) {
          loses_time_ = true;
        }
        continue;
      }
      const NetBit bit = at(c).port("DATA")->bits[b];
      if (facts_.is_in_loop(bit)) {
        loses_time_ = true;
        continue;
      }
      reached_groups_.insert(group_of_read(at(c), at(writer)));
      out.push_back(bit);
    }
    return out;
  }

  // Names and values.
  static std::string name_of(int net, int node, Side side) {
    return fmt::format("\\{}{}_{}", side == Side::kOriginal ? 'g' : 'm', net, node);
  }
  std::string signal(NetBit bit, int node, Side side) {
    if (bit.number == NetBit::kOne) return "1'1";
    if (!bit.is_net()) return "1'0";
    if (side == Side::kMutant && !affected_.contains(bit.number)) side = Side::kOriginal;
    const std::string name = name_of(bit.number, node, side);
    nets_[node].insert(bit.number);
    if (!asked_.insert(name).second) return name;
    if (side == Side::kMutant && bit == place_ && port_->is_output) {
      module_.declare(name);
      module_.connect(name, changed(signal(bit, node, Side::kOriginal), node));
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
    const std::string by =
        signal(port_->bits[static_cast<std::size_t>(mutation_.control)], node, Side::kOriginal);
    return module_.gate(mutation_.mode == "cnot1" ? "$xor" : "$xnor", {value, by});
  }

  std::string pin(int c, const NetPort& port, std::size_t b, int node, Side side) {
    const std::string value = signal(port.bits[b], node, side);
    const bool is_place = side == Side::kMutant && !port_->is_output && c == cell_ &&
                          port.name == mutation_.port && static_cast<int>(b) == mutation_.bit;
    return is_place ? changed(value, node) : value;
  }

  void queue(int cell, int node, Side side) {
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
    const NetCell& cell = at(job.cell);
    std::vector<std::pair<std::string, std::string>> parameters, ports;
    for (const auto& [key, value] : cell.parameters) {
      parameters.emplace_back(key, fmt::format("{}'{}", value.size(), value));
    }
    for (const NetPort& port : cell.ports) {
      std::string bits;
      for (std::size_t b = port.bits.size(); b-- > 0;) {
        bits += (port.is_output ? made(port.bits[b], job)
                                : pin(job.cell, port, b, job.node, job.side)) +
                " ";
      }
      ports.emplace_back(port.name, bits);
    }
    module_.cell(cell.type, parameters, ports);
  }
  /// Where a cell's output goes. The copy of a mutant has bits that the mutant does not reach, and
  /// before a mutated output the value that it changes: the original's copy makes those.
  std::string made(NetBit bit, const Job& job) {
    if (!bit.is_net()) return module_.new_wire();
    if (job.side == Side::kMutant &&
        (!affected_.contains(bit.number) || (port_->is_output && bit == place_))) {
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
    Side side;
  };
  void write_state(const State& state) {
    const std::string name = name_of(state.bit.number, state.node, state.side);
    const NetPin& from = *graph_.driver(state.bit);
    const auto b = static_cast<std::size_t>(from.bit);
    const bool is_reached = affected_.contains(state.bit.number) && !is_own_output(state.bit);
    const int source = at(from.cell).is_register() ? from.cell : facts_.writer_of(from.cell);
    const bool can_follow = source >= 0 && !must_agree(from.cell, state.bit);
    if (!can_follow || (!is_reached && !may_step(from.cell, state.node))) {
      module_.input(name);
      return;
    }
    const int child = child_of(from.cell, source, state.node);
    module_.declare(name);
    module_.connect(name, loaded(source, b, child, state.side));
  }
  /// The register whose output is mutated holds what the original holds.
  [[nodiscard]] bool is_own_output(NetBit bit) const { return port_->is_output && bit == place_; }

  [[nodiscard]] std::string group(int cell, int source) const {
    return at(cell).is_register() ? group_of(at(cell)) : group_of_read(at(cell), at(source));
  }
  [[nodiscard]] bool may_step(int cell, int node) const {
    const int source = at(cell).is_register() ? cell : facts_.writer_of(cell);
    return reached_groups_.contains(group(cell, source)) ||
           nodes_[static_cast<std::size_t>(node)].steps < depth_;
  }
  int child_of(int cell, int source, int node) {
    const std::string key = group(cell, source);
    auto& children = nodes_[static_cast<std::size_t>(node)].children;
    if (const auto found = children.find(key); found != children.end()) return found->second;
    const int child = static_cast<int>(nodes_.size());
    children.emplace(key, child);
    const int steps =
        nodes_[static_cast<std::size_t>(node)].steps + (reached_groups_.contains(key) ? 0 : 1);
    nodes_.push_back({steps});
    return child;
  }

  /// What bit b of a register or a memory gets when it is loaded.
  std::string loaded(int c, std::size_t b, int node, Side side) {
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
    module_.compare(signal(bit, 0, Side::kOriginal), signal(bit, 0, Side::kMutant));
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
          for (const NetBit bit : bits) signals.push_back(signal(bit, node, Side::kOriginal));
          module_.assume_below(signals, static_cast<unsigned>(count));
          added = true;
        }
      }
    }
    return added;
  }

  const WindowFacts& facts_;
  const NetGraph& graph_;
  const Mutation& mutation_;
  int forward_;
  int depth_;
  std::vector<std::vector<NetBit>> todo_;  // by distance
  int distance_ = 0;
  int cell_ = -1;
  const NetPort* port_ = nullptr;
  NetBit place_{};
  std::unordered_set<int> affected_;
  std::vector<NetBit> outputs_;
  std::set<std::pair<int, std::string>> controls_;  // pins that say when, and have to agree
  std::set<std::pair<int, std::size_t>> loops_;     // state in loops that has to agree
  std::set<std::string> reached_groups_;
  bool loses_time_ = false;

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

std::optional<std::string> window_module(const WindowFacts& facts, const Mutation& mutation,
                                         const WindowSize& size, const std::string& name) {
  WindowWriter writer(facts, mutation, size);
  if (!writer.can_ask()) return std::nullopt;
  return writer.write(name);
}

}  // namespace mx::sim
