#include "sim/prove/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mx::sim {

bool is_bitwise(const std::string& type) {
  constexpr std::array kTypes = {"$and", "$or", "$xor", "$xnor", "$not", "$mux"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

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

NetFacts::NetFacts(const NetGraph& graph) : graph_(graph) { find_loops(); }

bool NetFacts::is_in_loop(NetBit bit) const {
  return bit.is_net() && static_cast<std::size_t>(bit.number) < in_loop_.size() &&
         in_loop_[static_cast<std::size_t>(bit.number)];
}

int NetFacts::writer_of(int read) const {
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

std::vector<NetBit> NetFacts::sources_of(NetBit bit) const {
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
void NetFacts::find_loops() {
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

}  // namespace mx::sim
