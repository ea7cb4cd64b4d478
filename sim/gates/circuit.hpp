// A circuit of Yosys as two-input gates with inverters, whose inputs and wires have names.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace mx::sim {

/// A wire of one bit, as AIGER has it: twice its number, and one more where it is inverted. Number
/// 0 is the constant 0.
using Literal = std::uint32_t;

/// Numbers: inputs from 1 on, then registers, then gates, each behind those that it looks at.
struct Circuit {
  std::vector<std::string> inputs;   ///< "s_axis_tdata[3]"
  std::vector<std::string> outputs;  ///< their names
  std::vector<Literal> driven;       ///< what the outputs are
  std::vector<Literal> next;         ///< of each register
  std::vector<std::array<Literal, 2>> gates;
  std::unordered_map<std::string, Literal> wires;  ///< those that the sources name

  [[nodiscard]] std::size_t first_register() const { return 1 + inputs.size(); }
  [[nodiscard]] std::size_t first_gate() const { return first_register() + next.size(); }
  [[nodiscard]] std::size_t size() const { return first_gate() + gates.size(); }
};

/// The circuit under inputs of which one, by its name, is 1 wherever `where` is; elsewhere it is
/// anything, as before. Throws ToolError where there is no such input.
[[nodiscard]] Circuit with_one(const Circuit& circuit, std::string_view name,
                               std::string_view where);

/// What `write_aiger -vmap MAP FILE` wrote. Throws ToolError for anything else.
[[nodiscard]] Circuit read_circuit(const std::filesystem::path& aiger,
                                   const std::filesystem::path& map);
/// The same of the texts of both files.
[[nodiscard]] Circuit parse_circuit(std::string_view aiger, std::string_view map);

}  // namespace mx::sim
