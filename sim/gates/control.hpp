// SPDX-License-Identifier: Apache-2.0
// The circuit of a pipeline in two: its handshake, gates that look at valid, ready, reset and at
// registers of their own alone, and its data, which look at some of those gates.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sim/gates/circuit.hpp"
#include "sim/gates/strashed.hpp"

namespace mx::sim {

/// Ports of a unit, as circuits have them. The last ones are of units that draw random words.
namespace port {
inline constexpr const char* kReset = "rst_ni[0]";
inline constexpr const char* kValid = "s_axis_tvalid[0]";
inline constexpr const char* kReady = "m_axis_tready[0]";
inline constexpr const char* kTaking = "s_axis_tready[0]";
inline constexpr const char* kLeaving = "m_axis_tvalid[0]";
inline constexpr const char* kDrawing = "rnd_ready_o[0]";
[[nodiscard]] inline bool is_random(const std::string& input) {
  return input.starts_with("rnd_i[");
}
/// Is an output a part of what leaves?
[[nodiscard]] inline bool is_answer(const std::string& output) {
  return output.starts_with("m_axis_") && output != kLeaving;
}
}  // namespace port

class Control {
 public:
  /// Throws ToolError where a port is missing.
  explicit Control(const Circuit& rtl);

  /// Numbers of the registers that ready and valid look at, and that those look at, in their order.
  /// At most 60: of an RTL whose handshake looks at data there are more, which are left out, so
  /// that they refute that the handshake knows nothing else.
  [[nodiscard]] const std::vector<std::size_t>& registers() const { return registers_; }
  [[nodiscard]] bool has(std::size_t r) const { return std::ranges::binary_search(registers_, r); }
  /// Taking, leaving and drawing as literals of the RTL, then what the registers hold next.
  [[nodiscard]] std::vector<Literal> driven() const;
  [[nodiscard]] bool has_random() const { return has_random_; }

  /// The handshake alone, whose inputs are the registers, then valid, ready and reset. What it
  /// looks at beside them is 0.
  [[nodiscard]] const Strashed& gates() const { return gates_; }
  /// driven(), as literals of those gates.
  [[nodiscard]] std::vector<Literal> driven_of_gates() const;
  /// Those of its gates that data look at, none twice.
  [[nodiscard]] const std::vector<Literal>& seen() const { return seen_; }

  /// The RTL without its handshake: seen() are inputs behind its own ones. Ready and valid are 0.
  [[nodiscard]] const Circuit& data() const { return data_; }
  [[nodiscard]] std::size_t first_seen() const { return rtl_.inputs.size(); }

 private:
  void find_registers();
  void add_registers_alone();
  [[nodiscard]] std::vector<Literal> wires_in_reset() const;
  [[nodiscard]] bool looks_at(Literal literal, std::size_t own,
                              const std::vector<bool>& is_known) const;
  void add_gates();
  void add_data();
  [[nodiscard]] bool is_control(Literal literal) const { return is_control_[literal / 2]; }
  /// Of a literal of the RTL: in the data.
  Literal of_data(Literal literal);

  const Circuit& rtl_;
  std::array<Literal, 3> said_ = {};  ///< a constant where there is no port
  bool has_random_ = false;
  std::size_t reset_ = 0, valid_ = 0, ready_ = 0;
  std::vector<std::size_t> registers_;
  std::vector<bool> is_looked_at_;  ///< wires of the RTL, by ready, valid and those registers
  std::vector<bool> is_control_;    ///< wires of the RTL that the handshake alone decides
  Strashed gates_{0};
  std::vector<Literal> in_gates_;  ///< of wires of the RTL: those of the handshake, else 0
  std::vector<Literal> in_data_;   ///< the others
  std::vector<Literal> seen_;
  Circuit data_;
};

}  // namespace mx::sim
