// A netlist of Yosys as a graph of cells and bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace mx::sim {

/// A net of one bit by its number, or a constant.
struct NetBit {
  static constexpr int kZero = -1, kOne = -2, kUnknown = -3;
  int number = kUnknown;
  [[nodiscard]] bool is_net() const { return number >= 0; }
  bool operator==(const NetBit&) const = default;
};

struct NetPort {
  std::string name;
  bool is_output = false;
  std::vector<NetBit> bits;  ///< lowest first
};

struct NetCell {
  std::string name;
  std::string type;                               ///< "$add"
  std::map<std::string, std::string> parameters;  ///< binary digits, or a name
  std::vector<NetPort> ports;

  [[nodiscard]] const NetPort* port(std::string_view wanted) const;
  /// The bit of a parameter that is a flag or a number.
  [[nodiscard]] bool flag(const std::string& parameter) const;
  /// Does it hold state? Then its outputs are state and its inputs decide the next state.
  [[nodiscard]] bool is_register() const;
  [[nodiscard]] bool is_memory_read() const { return type == "$memrd"; }
  [[nodiscard]] bool is_memory_write() const { return type == "$memwr_v2"; }
  [[nodiscard]] bool is_logic() const;
};

/// The bit of an input port of a cell that a net reaches, or of an output port that drives it.
struct NetPin {
  int cell = -1;  ///< -1: a port of the module
  int port = 0;
  int bit = 0;
};

class NetGraph {
 public:
  /// Module mx_quantizer of a file that write_json made. Throws ToolError.
  explicit NetGraph(const std::filesystem::path& json);

  [[nodiscard]] const std::vector<NetCell>& cells() const { return cells_; }
  [[nodiscard]] const std::vector<NetPort>& ports() const { return ports_; }
  /// The wires on which a block's configuration travels: bit i is bit i of the configuration word.
  [[nodiscard]] const std::vector<std::vector<NetBit>>& config_words() const {
    return config_words_;
  }
  /// -1: none of that name.
  [[nodiscard]] int find(const std::string& name) const;
  /// nullptr where an input of the module drives it, or nothing.
  [[nodiscard]] const NetPin* driver(NetBit bit) const;
  [[nodiscard]] const std::vector<NetPin>& users(NetBit bit) const;

 private:
  std::vector<NetCell> cells_;
  std::vector<NetPort> ports_;
  std::vector<std::vector<NetBit>> config_words_;
  std::unordered_map<std::string, int> by_name_;
  std::unordered_map<int, NetPin> drivers_;
  std::unordered_map<int, std::vector<NetPin>> users_;
};

}  // namespace mx::sim
