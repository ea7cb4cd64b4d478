// One mutation of a netlist: what `mutate` of Yosys says of it, and its way back into a script.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mx::sim {

/// One bit of one port of one cell, and what becomes of it.
struct Mutation {
  std::string mode;  ///< const0, const1, inv, cnot0 (inverted where another bit is 0), cnot1
  std::string cell;
  std::string port;
  int bit = 0;
  int control = -1;    ///< of cnot0 and cnot1: the other bit of the port
  std::string wire{};  ///< of output ports: a net with a name, and its bit; "" for none
  int wire_bit = 0;
  std::string source{};  ///< "mx_round.sv:52.29-52.71": the innermost place in the sources
  bool operator==(const Mutation&) const = default;

  /// Not of a clock, where logic races in a simulation without delays, nor of the enable that an
  /// asynchronous read of a memory does not have.
  [[nodiscard]] bool is_of_logic() const;

  /// "mutate -mode ... " as Yosys reads it, with the control input `mutsel` if `number` is not 0.
  [[nodiscard]] std::string command(int number) const;
  /// "const0 of Y[3] of $and$..., mx_round.sv:52.29-52.71".
  [[nodiscard]] std::string text() const;
};

/// A line of `mutate -list`; nothing for anything else.
[[nodiscard]] std::optional<Mutation> parse_mutation(std::string_view line);

/// `count` of `all` (or all of them), drawn without repetition, each as likely as any other, in the
/// order of the list: a function of the seed.
[[nodiscard]] std::vector<Mutation> draw_mutations(const std::vector<Mutation>& all,
                                                   std::size_t count, std::uint64_t seed);

/// Bits of `mutsel`, the input that chooses a mutant.
inline constexpr int kMutselBits = 16;

}  // namespace mx::sim
