#include "sim/netlist/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/json_whole.hpp"
#include "golden/config_word/table.hpp"
#include "sim/netlist/tools.hpp"

namespace mx::sim {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 7> kConfigWires = {
    "u_core.config_d",  "u_core.config_s1", "u_core.config_s2",   "u_core.config_s3",
    "u_core.config_s4", "u_core.config_s5", "u_core.block_config"};
constexpr std::ptrdiff_t kConfigBits =
    golden::kConfigWordFields.back().lsb + golden::kConfigWordFields.back().width;

NetBit bit_of(const json& value) {
  if (value.is_number_integer()) return {golden::whole<int>(value)};
  const std::string text = value.get<std::string>();
  if (text == "0") return {NetBit::kZero};
  if (text == "1") return {NetBit::kOne};
  return {NetBit::kUnknown};
}

NetPort port_of(const std::string& name, const json& bits, bool is_output) {
  NetPort port{name, is_output, {}};
  for (const json& bit : bits) port.bits.push_back(bit_of(bit));
  return port;
}

}  // namespace

const NetPort* NetCell::port(std::string_view wanted) const {
  const auto found = std::ranges::find(ports, wanted, &NetPort::name);
  return found == ports.end() ? nullptr : &*found;
}

bool NetCell::flag(const std::string& parameter) const {
  const auto found = parameters.find(parameter);
  return found != parameters.end() && found->second.ends_with('1');
}

bool NetCell::is_register() const {
  constexpr std::array kTypes = {"$dff", "$dffe", "$adff", "$adffe", "$sdff", "$sdffe", "$sdffce"};
  return std::ranges::find(kTypes, type) != kTypes.end();
}

bool NetCell::is_logic() const { return !is_register() && !is_memory_read() && !is_memory_write(); }

NetGraph::NetGraph(const std::filesystem::path& path) {
  json file;
  try {
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
    const std::string text = golden::whole_text(path.string(), {kMostBytes, "run Yosys again"});
    if (const auto problem = golden::parse_json(text, file)) {
      throw ToolError(fmt::format("{}: {}", path.string(), golden::text_of(*problem, text)));
    }
    const json& module = file.at("modules").at("mx_quantizer");
    for (const auto& [name, port] : module.at("ports").items()) {
      ports_.push_back(port_of(name, port.at("bits"), port.at("direction") == "output"));
    }
    for (const auto& [name, cell] : module.at("cells").items()) {
      NetCell& made = cells_.emplace_back();
      made.name = name;
      made.type = cell.at("type").get<std::string>();
      for (const auto& [key, value] : cell.at("parameters").items()) {
        made.parameters.emplace(key, value.get<std::string>());
      }
      for (const auto& [key, bits] : cell.at("connections").items()) {
        made.ports.push_back(port_of(key, bits, cell.at("port_directions").at(key) == "output"));
      }
    }
    for (const std::string_view wire : kConfigWires) {
      const auto found = module.at("netnames").find(wire);
      if (found == module.at("netnames").end()) continue;
      std::vector<NetBit> bits = port_of("", found->at("bits"), false).bits;
      if (std::ssize(bits) == kConfigBits) config_words_.push_back(std::move(bits));
    }
  } catch (const golden::VectorError& error) {
    throw ToolError(error.what());
  } catch (const json::exception& error) {
    throw ToolError(fmt::format("{}: {}", path.string(), error.what()));
  }
  for (int c = 0; c < static_cast<int>(cells_.size()); ++c) {
    const NetCell& cell = cells_[static_cast<std::size_t>(c)];
    by_name_.emplace(cell.name, c);
    for (int p = 0; p < static_cast<int>(cell.ports.size()); ++p) {
      const NetPort& port = cell.ports[static_cast<std::size_t>(p)];
      for (int b = 0; b < static_cast<int>(port.bits.size()); ++b) {
        const NetBit bit = port.bits[static_cast<std::size_t>(b)];
        if (!bit.is_net()) continue;
        if (port.is_output) {
          drivers_[bit.number] = {c, p, b};
        } else {
          users_[bit.number].push_back({c, p, b});
        }
      }
    }
  }
  for (int p = 0; p < static_cast<int>(ports_.size()); ++p) {
    const NetPort& port = ports_[static_cast<std::size_t>(p)];
    if (!port.is_output) continue;
    for (int b = 0; b < static_cast<int>(port.bits.size()); ++b) {
      const NetBit bit = port.bits[static_cast<std::size_t>(b)];
      if (bit.is_net()) users_[bit.number].push_back({-1, p, b});
    }
  }
}

int NetGraph::find(const std::string& name) const {
  const auto found = by_name_.find(name.starts_with('\\') ? name.substr(1) : name);
  return found == by_name_.end() ? -1 : found->second;
}

const NetPin* NetGraph::driver(NetBit bit) const {
  const auto found = drivers_.find(bit.number);
  return found == drivers_.end() ? nullptr : &found->second;
}

const std::vector<NetPin>& NetGraph::users(NetBit bit) const {
  static const std::vector<NetPin> kNone;
  const auto found = users_.find(bit.number);
  return found == users_.end() ? kNone : found->second;
}

}  // namespace mx::sim
