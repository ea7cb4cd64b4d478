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
    std::ranges::copy_if(rtl_faults(), std::back_inserter(all), &RtlFault::is_of_quantizer);
    return with_faults(std::move(sources), all, FaultChoice{"", ""});
  }
}

std::vector<RtlSource> own_sources(const std::string& folder) {
  if (!fs::exists(fs::path(folder) / "mx_quantizer.sv")) {
    throw golden::VectorError(fmt::format(
        "--rtl {}: no mx_quantizer.sv there; give the folder of the RTL, a copy of rtl/ "
        "with your changes",
        folder));
  }
  return rtl_sources(folder);
}

}  // namespace

std::vector<RtlSource> formal_sources(const FormalRtl& rtl) {
  if (rtl_files().empty()) {
    throw golden::VectorError("this program was built without the RTL: nothing to prove");
  }
  std::vector<RtlSource> sources = rtl.folder.empty() ? rtl_sources() : own_sources(rtl.folder);
  // Benches of parts.
  for (const RtlFile& file : rtl_files()) {
    if (file.path.ends_with(".sv") && !file.path.starts_with("rtl/")) {
      sources.push_back({fs::path(file.path).filename(), std::string(file.text)});
    }
  }
  if (!rtl.fault.empty()) {
    const RtlFault* const found = find_rtl_fault(rtl.fault);
    if (found == nullptr || !found->is_of_quantizer()) {
      throw golden::VectorError(
          fmt::format("'{}' is no fault of the quantizer; see mxgold list faults", rtl.fault));
    }
    sources = with_fault(std::move(sources), *found);
    sources.front().text = fmt::format(
        "package mx_fault;\n  localparam int chosen = {};\nendpackage\n", found->number);
  }
  std::erase_if(sources, [](const RtlSource& source) { return source.name == "mx_lfsr.sv"; });
  return sources;
}

}  // namespace mx::sim
