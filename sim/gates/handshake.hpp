// SPDX-License-Identifier: Apache-2.0
// When beats move through a pipeline: the ports that say so, and the registers that those look at.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/gates/circuit.hpp"

namespace mx::sim {

/// Ports of a unit, as circuits have them. All have the first five; the random word is that of
/// units that draw one.
namespace port {
inline constexpr const char* kReset = "rst_ni[0]";
inline constexpr const char* kValid = "s_axis_tvalid[0]";
inline constexpr const char* kReady = "m_axis_tready[0]";
inline constexpr const char* kTaking = "s_axis_tready[0]";
inline constexpr const char* kLeaving = "m_axis_tvalid[0]";
inline constexpr const char* kDrawing = "rnd_ready_o[0]";
inline constexpr const char* kClock = "clk_i[0]";
[[nodiscard]] inline bool is_random(const std::string& input) {
  return input.starts_with("rnd_i[");
}
}  // namespace port

/// What the registers of a handshake hold, a bit each.
using HandshakeState = std::uint32_t;

/// What sender and receiver do in a cycle.
struct Offers {
  bool is_valid = false;
  bool is_ready = false;
};

/// What the pipeline says in a cycle, and what its handshake holds next.
struct HandshakeStep {
  HandshakeState next = 0;
  bool is_taking = false;   ///< s_axis_tready
  bool is_leaving = false;  ///< m_axis_tvalid
  bool is_drawing = false;  ///< rnd_ready_o
  bool is_due = false;      ///< each beat that is taken has a random word to draw
};

class Handshake {
 public:
  /// Throws ToolError where a port is missing.
  explicit Handshake(const Circuit& circuit);

  /// Numbers of the registers that ready and valid look at, and that those look at. At most 20: of
  /// an RTL whose handshake looks at data there are more, which are left out, so that they refute
  /// that the handshake knows nothing else.
  [[nodiscard]] const std::vector<std::size_t>& registers() const { return registers_; }

  [[nodiscard]] bool has(std::size_t r) const { return std::ranges::binary_search(registers_, r); }
  /// Those ports, as literals of the circuit, then what the registers hold next.
  [[nodiscard]] std::vector<Literal> driven() const;

  /// In a cycle without reset. Whatever else it looks at is 0.
  [[nodiscard]] HandshakeStep step(HandshakeState state, Offers offers) const;
  /// What it may hold behind a cycle with reset.
  [[nodiscard]] std::vector<HandshakeState> after_reset() const;
  /// What it holds where every block is offered and taken, for long.
  [[nodiscard]] HandshakeState flowing() const;

 private:
  enum class Bit : std::uint8_t { kZero, kOne, kAny };
  [[nodiscard]] std::vector<Bit> values(const std::vector<Bit>& sources) const;
  [[nodiscard]] static Bit value_of(const std::vector<Bit>& values, Literal literal);

  const Circuit& circuit_;
  std::vector<std::size_t> registers_;
  std::array<Literal, 3> said_ = {};  ///< taking, leaving, drawing: a constant without the port
  bool has_random_ = false;
  std::vector<std::size_t> gates_;  ///< those that count, in their order
  std::size_t reset_ = 0, valid_ = 0, ready_ = 0;
};

}  // namespace mx::sim
