// SPDX-License-Identifier: Apache-2.0
// When beats move through a pipeline: the states of its handshake, and what is said in each.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/gates/control.hpp"

namespace mx::sim {

/// Wires that are 0, 1, or may be either: a bit each.
struct Bits {
  std::uint64_t zeros = 0, ones = 0;
  auto operator<=>(const Bits&) const = default;
};

/// So many of Control::seen() are followed: the others may be anything.
inline constexpr std::size_t kMostSeen = 64;

/// The number of what the registers of a handshake hold; 0 behind a reset.
using HandshakeState = std::uint32_t;

/// What sender and receiver do in a cycle.
struct Offers {
  bool is_valid = false;
  bool is_ready = false;
};

/// What the pipeline says in a cycle without reset, and what its handshake holds next.
struct HandshakeStep {
  HandshakeState next = 0;
  bool is_taking = false;   ///< s_axis_tready
  bool is_leaving = false;  ///< m_axis_tvalid
  bool is_drawing = false;  ///< rnd_ready_o
  bool is_due = false;      ///< each beat that is taken has a random word to draw
  bool is_open = false;     ///< one of the three hangs on a register that no reset sets
  Bits seen;                ///< Control::seen()
};

class Handshake {
 public:
  /// It outlives this.
  explicit Handshake(const Control& control);

  /// In a cycle without reset.
  [[nodiscard]] HandshakeStep step(HandshakeState state, Offers offers);
  /// What it holds where every block is offered and taken, for long.
  [[nodiscard]] HandshakeState flowing();

 private:
  /// Of a wire: the cases, 64 at a time, in which it is 0, and those in which it is 1.
  using Cases = Bits;
  using Steps = std::array<HandshakeStep, 4>;

  void find_idle();
  [[nodiscard]] std::vector<Cases> wires_of(const Bits& registers, const Cases& valid,
                                            const Cases& ready, const Cases& reset) const;
  [[nodiscard]] Bits next_of(const std::vector<Cases>& wires, int place) const;
  [[nodiscard]] Steps steps_of(const Bits& registers);
  HandshakeState number_of(Bits registers);

  const Control& control_;
  std::vector<Literal> driven_;  ///< of the control's gates
  /// Of each register that no reset sets, those beside it that make it idle where they are 0:
  /// nothing looks at it then.
  std::vector<std::uint64_t> idle_by_;
  std::vector<Bits> states_;
  std::map<Bits, HandshakeState> numbers_;
  std::vector<std::optional<Steps>> steps_;  ///< of each state
};

}  // namespace mx::sim
