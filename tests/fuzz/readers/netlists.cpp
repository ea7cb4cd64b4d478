// Files of Yosys: circuits with the names of their wires, netlists as JSON, lists of mutations.
#include "sim/gates/circuit.hpp"
#include "sim/netlist/graph.hpp"
#include "sim/netlist/mutation.hpp"
#include "sim/netlist/tools.hpp"
#include "tests/fuzz/draw.hpp"

namespace mx::fuzz {
namespace {

/// A circuit and, behind the last two NULs, its names; what is read looks at what is there.
Outcome circuit(std::string_view input) {
  constexpr std::string_view kBetween("\0\0", 2);
  const std::size_t end = std::min(input.rfind(kBetween), input.size());
  const std::string_view map = input.substr(std::min(end + kBetween.size(), input.size()));
  return read_or_refuse<sim::ToolError>(input, [&] {
    const sim::Circuit read = sim::parse_circuit(input.substr(0, end), map);
    require(read.driven.size() == read.outputs.size(), "an output is driven", input);
    for (std::size_t i = 0; i < read.gates.size(); ++i) {
      const std::size_t own = 2 * (read.first_gate() + i);
      require(read.gates[i][0] < own && read.gates[i][1] <= read.gates[i][0],
              "a gate looks at those before it", input);
    }
    for (const auto& [name, literal] : read.wires) {
      require(literal / 2 < read.size(), "a wire that is named is there", name);
    }
  });
}

std::vector<std::string> circuit_seeds() {
  return {bytes_of("aig 2 1 0 1 1\n4\n\x02\x02\0\0input 0 0 a\noutput 0 0 y\n"),
          bytes_of("aig 4 2 1 2 1\n8\n6\n9\n\x02\x02\0\0input 0 0 a\ninput 1 0 b\noutput 0 0 y\n"
                   "output 1 3 z\nwire 8 0 u_core.n\nlatch 0 0 q\n")};
}

Outcome netlist(std::string_view input) {
  const MemoryFile file(input);
  return read_or_refuse<sim::ToolError>(input, [&] {
    const sim::NetGraph graph(file.path());
    for (const sim::NetCell& cell : graph.cells()) {
      (void)graph.find(cell.name);
      (void)cell.is_logic();
      (void)cell.flag("SRST_VALUE");
      for (const sim::NetPort& port : cell.ports) {
        for (const sim::NetBit bit : port.bits) {
          if (port.is_output && bit.is_net()) {
            require(graph.driver(bit) != nullptr, "an output drives its net", cell.name);
          }
          (void)graph.users(bit);
        }
      }
    }
  });
}

std::vector<std::string> netlist_seeds() {
  std::string wide = "[2";
  for (int bit = 3; bit < 40; ++bit) wide += ", " + std::to_string(bit);
  return {R"({"modules": {"mx_quantizer": {"ports": {"clk_i": {"direction": "input", "bits": [2]},)"
          R"( "y": {"direction": "output", "bits": [4]}}, "cells": {"$dff$1": {"type": "$dff",)"
          R"( "parameters": {"WIDTH": "00000001", "CLK_POLARITY": "1"}, "port_directions":)"
          R"( {"CLK": "input", "D": "input", "Q": "output"}, "connections": {"CLK": [2],)"
          R"( "D": ["0"], "Q": [4]}}}, "netnames": {"u_core.config_d": {"bits": )" +
          wide + "]}}}}}"};
}

/// A line of a list of mutants; as a command it is read as the same, but for its place.
Outcome mutant(std::string_view input) {
  const auto read = sim::parse_mutation(input);
  if (!read) return Outcome::kRefused;
  (void)read->is_of_logic();
  require_words(read->text(), input);
  const auto again = sim::parse_mutation(read->command(0));
  require(again && again->command(0) == read->command(0), "its own command stays", input);
  return Outcome::kRead;
}

std::vector<std::string> mutant_seeds() {
  return {
      "mutate -mode const0 -module mx_quantizer -cell $and$mx_round.sv:52$12 -port Y -portbit "
      "3 -wire u_core.sum -wirebit 1 -src mx_quantizer.sv:20.3-40.5 -src mx_round.sv:52.29-52."
      "71",
      "mutate -mode cnot0 -module mx_quantizer -cell a -port A -portbit 0 -ctrlbit 2 -src a:0.0"
      "-0.0"};
}

}  // namespace

Target circuits_target() { return {"circuits", circuit, circuit_seeds}; }
Target netlists_target() { return {"netlists", netlist, netlist_seeds}; }
Target mutants_target() { return {"mutants", mutant, mutant_seeds}; }

}  // namespace mx::fuzz
