// RTL beside its netlist: registers are paired, and the rest is a question about gates alone.
//
// Every register of the RTL is said to be something of the netlist: the register of the same name,
// a constant, or nothing, where the netlist has none. Where outputs agree for every input and every
// state of the netlist, and so does what each register holds next, a run of the netlist is one of
// the RTL. Whatever is paired with what, a wrong pair can only make the two differ.
#pragma once

#include <string>

#include "sim/gates/circuit.hpp"

namespace mx::sim {

/// Two circuits without registers, in AIGER: the same inputs, outputs that must be equal.
struct PairedCircuits {
  std::string rtl, netlist;
  std::size_t outputs = 0;    ///< of each
  std::size_t registers = 0;  ///< bits of the RTL
  std::size_t by_name = 0;    ///< of them, those that are one of the netlist
  std::size_t unpaired = 0;   ///< those that the netlist does not have; the rest is constant
  std::size_t netlist_registers = 0;
  std::size_t netlist_paired = 0;  ///< bits of the netlist that some of the RTL is
};

/// Ports have the same names. `reset` is the input that registers look at through a gate, as Yosys'
/// async2sync has it, "rst_ni[0]", or "". Where a netlist holds copies of what the RTL has once, a
/// name "copies[3].u.x[2]" of the RTL is that of bit 3 of "x[2]". Throws ToolError where the ports
/// are not the same.
[[nodiscard]] PairedCircuits paired(const Circuit& rtl, const Circuit& netlist,
                                    const std::string& reset);

}  // namespace mx::sim
