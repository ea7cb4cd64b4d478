// SPDX-License-Identifier: Apache-2.0
#include "sim/parameters/built.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "sim/compile/compiled.hpp"
#include "sim/dut/dut.hpp"
#include "sim/rtl/load.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

/// The sources of a unit; with a fault, those with its text and a package that chooses it.
std::vector<RtlSource> sources_of(const RtlParameters& build) {
  std::vector<RtlSource> sources = unit_sources(build.unit->folder);
  if (build.fault == 0) return sources;
  std::vector<RtlFault> faults;
  std::ranges::copy_if(rtl_faults(), std::back_inserter(faults),
                       [&](const RtlFault& each) { return each.unit() == build.unit->name; });
  sources = with_faults(std::move(sources), faults, {.file = "", .before = ""});
  sources.front().text =
      fmt::format("package mx_fault;\n  localparam int chosen = {};\nendpackage\n", build.fault);
  return sources;
}

}  // namespace

const DutKind& rtl_of_parameters() {
  static const DutKind kind{.name = "rtl",
                            .argument = ":[UNIT,][FAULT,]NAME=VALUE,...",
                            .help = "a unit of our RTL under parameters",
                            .zeroes_dont_care = true,  // spec R6
                            .is_described = true};
  return kind;
}

std::string not_built(const RtlParameters& build) {
  const std::string left_out = build.unit->left_out(build);
  return left_out.empty() ? "" : fmt::format("not built, so not offered: {}", left_out);
}

Description described_rtl(const std::string& argument) {
  const std::string name = "rtl:" + argument;
  const Checked<RtlParameters> build = parse_rtl_parameters(argument);
  if (!build) throw UnsupportedError(fmt::format("{}: {}", name, build.problem()));
  constexpr std::string_view kFolder = "made", kFile = "device.json";
  const std::vector<RtlSource> sources = sources_of(*build);
  std::vector<std::string> names;
  for (const RtlSource& source : sources) names.push_back(source.name);
  const std::string text = build->unit->device_file(*build, names);
  CacheKey key;
  key.add(kFile, text);
  for (const RtlSource& source : sources) key.add(source.name, source.text);
  const fs::path folder = compiled_of_files(
      "rtl_parameters", key.text(), fmt::format("writing the sources and device file of {}", name),
      std::string(kFolder), [&](const fs::path& work) {
        write_file_below(work / kFolder / kFile, text);
        for (const RtlSource& source : sources) {
          write_file_below(work / kFolder / source.name, source.text);
        }
        return ReadFiles();
      });
  Description description = read_description(folder / kFile);
  description.path = description.device = name;
  description.not_built = not_built(*build);
  return description;
}

}  // namespace mx::sim
