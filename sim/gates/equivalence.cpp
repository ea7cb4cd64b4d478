#include "sim/gates/equivalence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/compile/compiled.hpp"
#include "sim/gates/registers.hpp"

namespace mx::sim {
namespace {

/// Registers without resets and enables of their own, two-input gates: no more is done to either
/// side. What the RTL leaves open is 0 on both.
std::string circuit_of(std::string_view name) {
  return fmt::format(
      "async2sync\ndffunmap\ntechmap\nopt_clean\nsetundef -undriven -zero\naigmap\n"
      "write_aiger -vmap {0}.map {0}.aig\n",
      name);
}

}  // namespace

std::string_view line_behind(std::string_view log, std::string_view mark) {
  const std::size_t at = log.find(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = log.substr(at + mark.size());
  return rest.substr(0, std::min(rest.find('\n'), rest.size()));
}

std::string netlist_script(std::string_view read, std::string_view netlist) {
  return fmt::format("{}{}write_rtlil netlist.il\n", read, netlist);
}

std::string circuit_script(std::string_view read, std::string_view rtl) {
  return fmt::format(
      "{}{}proc\nmemory\nasync2sync\ndffunmap\nopt_clean\nflatten\ntechmap\naigmap\n"
      "setundef -undriven -zero\nwrite_aiger -vmap rtl.map rtl.aig\n",
      read, rtl);
}

std::string circuits_script(std::string_view read, std::string_view rtl, std::string_view change) {
  return fmt::format("{}{}proc\nflatten\nmemory\n{}design -reset\nread_rtlil netlist.il\n{}{}",
                     read, rtl, circuit_of("rtl"), change, circuit_of("netlist"));
}

std::string pair_circuits(const std::filesystem::path& folder) {
  const Circuit rtl = read_circuit(folder / "rtl.aig", folder / "rtl.map");
  const Circuit netlist = read_circuit(folder / "netlist.aig", folder / "netlist.map");
  const PairedCircuits made = paired(rtl, netlist, "rst_ni[0]");
  write_file_below(folder / "rtl.gates.aig", made.rtl);
  write_file_below(folder / "netlist.gates.aig", made.netlist);
  return fmt::format(
      "MXGOLD REGISTERS RTL {}: {} by name, {} constant, {} not in the netlist; netlist {}: {} "
      "paired; {} bits compared\n",
      made.registers, made.by_name, made.registers - made.by_name - made.unpaired, made.unpaired,
      made.netlist_registers, made.netlist_paired, made.outputs);
}

std::string compare_script(std::string_view left, std::string_view right, int seconds) {
  return fmt::format("cec -T {} -C 1000000000 {} {}", seconds, left, right);
}

std::string difference_of(std::string_view log) {
  const std::string_view output = line_behind(log, "\nOutput ");
  std::string_view pattern = line_behind(log, "\nInput pattern:");
  std::string ones;
  while (!pattern.empty()) {
    const std::size_t end = std::min(pattern.find(' '), pattern.size());
    const std::string_view word = pattern.substr(0, end);
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
    if (word.ends_with("=1")) ones += fmt::format(" {}", word.substr(0, word.size() - 2));
  }
  return fmt::format("{} (1: RTL, 2: netlist) where of its inputs these are 1:{}", output,
                     ones.empty() ? " none" : ones);
}

}  // namespace mx::sim
