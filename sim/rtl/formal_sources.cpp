// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/formal_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <span>

#include "golden/bytes/error.hpp"
#include "sim/rtl/load.hpp"

namespace mx::sim {
namespace {

namespace fs = std::filesystem;

/// One fault. Most texts stand in the sources as they are; some in what the faults before left.
std::vector<RtlSource> with_fault(std::vector<RtlSource> sources, const RtlFault& fault) {
  try {
    return with_faults(sources, std::span(&fault, 1), FaultChoice{"", ""});
  } catch (const golden::VectorError&) {
    std::vector<RtlFault> all;
    std::ranges::copy_if(rtl_faults(), std::back_inserter(all),
                         [&](const RtlFault& each) { return each.unit() == fault.unit(); });
    return with_faults(std::move(sources), all, FaultChoice{"", ""});
  }
}

/// Where a unit stands in a copy of rtl/: "dequantizer/mx_dequantizer.sv".
fs::path file_of(std::string_view unit) {
  const fs::path file = fs::path(folder_of_unit(unit)) / fmt::format("{}.sv", unit);
  return file.lexically_relative("rtl");
}

std::vector<RtlSource> own_sources(const std::string& own, std::string_view unit) {
  if (!own.empty() && !fs::exists(own / file_of(unit))) {
    throw golden::VectorError(
        fmt::format("--rtl {}: no {} there; give the folder of the RTL, a copy of rtl/ "
                    "with your changes",
                    own, file_of(unit).native()));
  }
  return unit_sources(folder_of_unit(unit), own);
}

const RtlFault& fault_of(const std::string& token) {
  const RtlFault* const found = find_rtl_fault(token);
  if (found != nullptr && found->unit() != "mx_lfsr") return *found;
  throw golden::VectorError(
      fmt::format("'{}' is no fault of a unit that has statements; see mxgold list faults", token));
}

}  // namespace

bool has_unit(const FormalRtl& rtl, std::string_view unit) {
  if (!rtl.fault.empty()) return fault_of(rtl.fault).unit() == unit;
  return rtl.folder.empty() || fs::exists(rtl.folder / file_of(unit));
}

std::vector<RtlSource> formal_sources(const FormalRtl& rtl, std::string_view unit) {
  if (rtl_files().empty()) {
    throw golden::VectorError("this program was built without the RTL: nothing to prove");
  }
  std::vector<RtlSource> sources = own_sources(rtl.folder, unit);
  // Benches of parts.
  for (const RtlFile& file : rtl_files()) {
    const bool is_bench = file.path.ends_with(".sv") && !file.path.starts_with("rtl/");
    if (is_bench && unit == "mx_quantizer") {
      sources.push_back({fs::path(file.path).filename(), std::string(file.text)});
    }
  }
  if (!rtl.fault.empty()) {
    const RtlFault& fault = fault_of(rtl.fault);
    sources = with_fault(std::move(sources), fault);
    sources.front().text =
        fmt::format("package mx_fault;\n  localparam int chosen = {};\nendpackage\n", fault.number);
  }
  std::erase_if(sources, [](const RtlSource& source) { return source.name == "mx_lfsr.sv"; });
  return sources;
}

}  // namespace mx::sim
