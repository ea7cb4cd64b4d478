// From the RTL to a library with mutants: Yosys makes the netlist and mutates it, Verilator and the
// compiler turn it into code.
//
// The netlist is that of word-level cells ($add, $mux, $dffe ...) after proc, flatten and opt: what
// synthesis starts from. A mutant changes one bit of one port of one cell.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/netlist/mutation.hpp"
#include "sim/netlist/netlist.hpp"

namespace mx::sim {

/// Files in a work folder.
struct NetlistFiles {
  std::filesystem::path rtlil;  ///< as Yosys stores it
  std::filesystem::path json;   ///< the same, to be read here
  std::vector<Mutation> all;    ///< every mutation that Yosys can make
};

/// SHA-256 over names and texts of what a netlist is made of, in hexadecimal. Throws ToolError.
[[nodiscard]] std::string digest_of_rtl(const std::filesystem::path& rtl);

/// The netlist of rtl/mx_quantizer.sv for a build. Throws ToolError.
[[nodiscard]] NetlistFiles make_netlist(const std::filesystem::path& rtl, const NetlistBuild& build,
                                        const std::filesystem::path& work);

/// Code with every mutant of the list that is one of logic, mutant i under the number i + 1.
[[nodiscard]] std::filesystem::path compile_mutants(const NetlistFiles& netlist,
                                                    const std::vector<Mutation>& mutants,
                                                    const std::filesystem::path& work);

}  // namespace mx::sim
