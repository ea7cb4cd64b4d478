// Is a netlist its RTL? The way from Yosys' designs to ABC's verdict, step by step.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace mx::sim {

/// Yosys' script that leaves netlist.il in its folder: `read` reads the RTL, `netlist` makes the
/// netlist of it.
[[nodiscard]] std::string netlist_script(std::string_view read, std::string_view netlist);

/// Yosys' script that leaves both circuits in its folder, where netlist.il is: `rtl` makes the
/// hierarchy of what `read` reads, `change` is done to the netlist.
[[nodiscard]] std::string circuits_script(std::string_view read, std::string_view rtl,
                                          std::string_view change);

/// Yosys' script that leaves the circuit of the RTL alone there.
[[nodiscard]] std::string circuit_script(std::string_view read, std::string_view rtl);

/// Pairs the registers of the circuits in a folder and leaves there what ABC compares. Says in a
/// line what was paired. Throws ToolError.
[[nodiscard]] std::string pair_circuits(const std::filesystem::path& folder);

/// ABC's commands for two circuits in a folder; pair_circuits leaves rtl.gates.aig and
/// netlist.gates.aig.
[[nodiscard]] std::string compare_script(std::string_view left, std::string_view right,
                                         int seconds);

/// The rest of the line behind `mark`; "" where it does not stand there.
[[nodiscard]] std::string_view line_behind(std::string_view log, std::string_view mark);

/// Of ABC's log where the circuits differ: the first output that does, and the inputs that are 1.
[[nodiscard]] std::string difference_of(std::string_view log);

}  // namespace mx::sim
