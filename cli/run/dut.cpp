// The device that `mxgold run --dut` names: a row of sim/dut/kind.hpp and what follows its colon.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "cli/run/options.hpp"
#include "cli/text/command_text.hpp"
#include "cli/text/names.hpp"
#include "sim/parameters/built.hpp"
#include "sim/record/reference.hpp"

namespace mx::cli {
namespace {

void check_argument(const sim::DutKind& kind, std::string_view dut) {
  const std::string_view argument = run_dut_argument(dut);
  const bool has_colon = dut.size() != kind.name.size();
  if (has_colon && !kind.takes_argument()) {
    fail(Exit::kUsage, "--dut {}: nothing follows {}", printable(dut), kind.name);
  }
  if (kind.needs_argument() && argument.empty()) {
    fail(Exit::kUsage, "--dut {}: write --dut {}", printable(dut), kind.usage());
  }
  if (!has_colon || kind.arguments == nullptr) return;
  std::vector<std::string_view> known = kind.arguments();
  if (kind.name == "reference") {
    for (const sim::RecordFault& fault : sim::record_faults()) known.push_back(fault.token);
  }
  if (std::ranges::find(known, argument) != known.end()) return;
  throw Error(Exit::kUsage,
              unknown_name(fmt::format("argument of {}", kind.usage()), argument, known));
}

/// A path as the device that it may be: "./x" as "process:./x"; "" for what is no path.
std::string device_of_path(std::string_view dut) {
  std::error_code ignored;
  if (dut.find('/') == std::string_view::npos && !std::filesystem::exists(dut, ignored)) return "";
  const std::string suffix = std::filesystem::path(dut).extension().string();
  const std::string_view kind = suffix == ".json" ? "device"
                                : suffix == ".so" ? "plugin"
                                                  : "process";
  return shell_quoted(fmt::format("{}:{}", kind, dut));
}

}  // namespace

std::string_view run_dut_argument(std::string_view dut) {
  const std::size_t colon = dut.find(':');
  return colon == std::string_view::npos ? std::string_view{} : dut.substr(colon + 1);
}

std::vector<std::string> run_dut_names() {
  std::vector<std::string> names;
  for (const sim::DutKind& kind : sim::all_dut_kinds()) names.push_back(kind.usage());
  return names;
}

const sim::DutKind& run_dut_kind(std::string_view dut) {
  const auto kinds = sim::all_dut_kinds();
  const auto kind = std::ranges::find(kinds, dut.substr(0, dut.find(':')), &sim::DutKind::name);
  if (kind == kinds.end()) {
    if (const std::string device = device_of_path(dut); !device.empty()) {
      fail(Exit::kUsage, "--dut {}: a path without the kind of device; did you mean {}?",
           printable(dut), device);
    }
    std::vector<std::string_view> known;
    for (const sim::DutKind& each : kinds) known.push_back(each.name);
    throw Error(Exit::kUsage, unknown_name("device", dut, known));
  }
  check_argument(*kind, dut);
  if (!kind->missing.empty()) fail(Exit::kDut, "--dut {}: {}", kind->name, kind->missing);
  if (kind->name != "rtl" || !sim::names_rtl_parameters(run_dut_argument(dut))) return *kind;
  const auto build = sim::parse_rtl_parameters(run_dut_argument(dut));
  if (!build) fail(Exit::kUsage, "--dut {}: {}", printable(dut), build.problem());
  return sim::rtl_of_parameters();
}

int random_bits_of(const RunCommand& command, const sim::DutKind& kind) {
  if (!kind.is_plugin) return default_random_bits(kind);
  const std::vector<std::string> given = plugin_facts(command).offer.values("random_bits");
  return given.empty() ? default_random_bits(kind) : std::atoi(given.front().c_str());
}

sim::DutFactory make_clocked(const RunCommand& command, const sim::DutKind& kind) {
  return kind.make({std::string(run_dut_argument(command.dut)), time_out_of(command)});
}

}  // namespace mx::cli
