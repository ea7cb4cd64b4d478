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

/// Pairs the registers of the circuits in a folder and leaves there what ABC compares. Says in a
/// line what was paired. Throws ToolError.
[[nodiscard]] std::string pair_circuits(const std::filesystem::path& folder);

/// ABC's commands, in that folder.
[[nodiscard]] std::string compare_script(int seconds);

/// Of ABC's log where the circuits differ: the first output that does, and the inputs that are 1.
[[nodiscard]] std::string difference_of(std::string_view log);

}  // namespace mx::sim
