// mxgold doctor: what this machine has of what mxgold works with, and what each is for.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/base/command.hpp"
#include "cli/doctor/tools.hpp"
#include "cli/options/common.hpp"
#include "golden/bytes/json_text.hpp"
#include "sim/dut/kind.hpp"

namespace mx::cli {
namespace {

constexpr const char* kDoctorExamples = R"(
A tool that is missing is no error: the exit code is 0. What needs it says so when it is asked.

Examples:
  mxgold doctor
  mxgold doctor --json)";

void print_tools() {
  fmt::print("mxgold {}. Converting, checking and identifying need nothing of what follows.\n",
             version());
  std::string_view group;
  for (const Tool& tool : tools_here()) {
    if (tool.group != group) fmt::print("\n{}:\n", tool.group);
    group = tool.group;
    const std::string version = !tool.is_found         ? "missing"
                                : tool.version.empty() ? "found"
                                                       : tool.version;
    fmt::print("  {:<10} {:<12} {}\n", tool.name, version, tool.purpose);
    if (!tool.is_found) fmt::print("  {:<10} {:<12} to get it: {}\n", "", "", tool.remedy);
  }
  fmt::print("\nDevices of this build (mxgold help devices):\n");
  for (const sim::DutKind& kind : sim::all_dut_kinds()) {
    fmt::print("  {:<10} {}\n", kind.name,
               kind.missing.empty() ? "there" : fmt::format("missing: {}", kind.missing));
  }
}

void print_tools_json() {
  nlohmann::ordered_json report = {{"version", version()},
                                   {"tools", nlohmann::ordered_json::array()},
                                   {"devices", nlohmann::ordered_json::array()}};
  for (const Tool& tool : tools_here()) {
    report["tools"].push_back({{"group", tool.group},
                               {"name", tool.name},
                               {"found", tool.is_found},
                               {"version", tool.version},
                               {"purpose", tool.purpose},
                               {"remedy", tool.remedy}});
  }
  for (const sim::DutKind& kind : sim::all_dut_kinds()) {
    report["devices"].push_back(
        {{"name", kind.name}, {"there", kind.missing.empty()}, {"missing", kind.missing}});
  }
  fmt::print("{}\n", golden::dumped(report, 2));
}

}  // namespace

void add_doctor(const Command& root, Exit& exit) {
  const Command app =
      root.add_subcommand("doctor", "Say which simulators, compilers and packages are here");
  app.footer(kDoctorExamples);
  const auto is_json = std::make_shared<bool>(false);
  json_option(app, *is_json);
  app.callback([&exit, is_json] {
    *is_json ? print_tools_json() : print_tools();
    exit = Exit::kPass;
  });
}

}  // namespace mx::cli
