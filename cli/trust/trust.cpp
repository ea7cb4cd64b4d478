#include "cli/trust/trust.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "cli/base/error.hpp"
#include "sim/dut/kind.hpp"
#include "sim/parameters/parameters.hpp"
#include "sim/rtl/faults.hpp"

namespace mx::cli {
namespace {

/// The whole of a text, which may not say anything to a terminal.
std::string shown(std::string_view text) {
  std::string all = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte >= 0x20 && byte < 0x7F;
    all += is_plain ? std::string(1, c) : fmt::format("\\x{:02X}", byte);
  }
  return all + "'";
}

bool is_terminal() { return ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0; }

bool has_agreed() {
  fmt::print(stderr, "Execute it? [y/N] ");
  std::fflush(stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

std::string executed_by(std::string_view device) {
  const std::size_t colon = device.find(':');
  const std::string_view name = device.substr(0, colon);
  if (colon == std::string_view::npos) return {};
  const std::string argument(device.substr(colon + 1));
  // A sweep's netlist is what Yosys makes of the same folders.
  if (name == "rtl" || name == "netlist") {
    if (argument.empty() || sim::find_rtl_fault(argument) != nullptr) return {};
    if (name == "rtl" && sim::names_rtl_parameters(argument)) return {};
    return fmt::format("the Verilog in the folder {}, compiled", shown(argument));
  }
  const auto kinds = sim::all_dut_kinds();
  const auto kind = std::ranges::find(kinds, name, &sim::DutKind::name);
  if (kind == kinds.end()) return {};
  if (kind->is_program) return fmt::format("the command {}", shown(argument));
  if (kind->is_plugin) return fmt::format("the shared library {}", shown(argument));
  if (kind->is_described) {
    return fmt::format("the Verilog that {} names, compiled", shown(argument));
  }
  return {};
}

std::vector<std::string> executed_by(std::span<const std::string> command) {
  std::vector<std::string> all;
  if (!command.empty() && command.front() == "mutate") {
    all.emplace_back("the Verilog in the folder of --rtl, compiled");
  }
  for (const std::string& word : command) {
    const std::string_view text = word;
    const std::size_t equals = text.starts_with("--") ? text.find('=') : std::string_view::npos;
    const std::string what =
        executed_by(equals == std::string_view::npos ? text : text.substr(equals + 1));
    if (!what.empty()) all.push_back(what);
  }
  return all;
}

std::string_view trust_option(std::string_view device) {
  return executed_by(device).empty() ? "" : " --trust";
}

void require_trust(std::string_view file, const std::vector<std::string>& executed, Trust trust,
                   std::string_view remedy) {
  if (executed.empty()) return;
  const std::string what = fmt::format("{}", fmt::join(executed, "; "));
  if (trust == Trust::kGiven || is_terminal()) {
    fmt::print(stderr, "{} makes this program execute {}\n", shown(file), what);
    if (trust == Trust::kGiven || has_agreed()) return;
  }
  fail(Exit::kUsage,
       "{} makes this program execute {}, which you did not type; if you trust it: {}", shown(file),
       what, remedy);
}

}  // namespace mx::cli
