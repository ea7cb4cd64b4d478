// SPDX-License-Identifier: Apache-2.0
#include "sim/rtl/formal_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "golden/bytes/error.hpp"
#include "sim/rtl/load.hpp"

namespace mx::sim {
namespace {

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

}  // namespace

std::vector<RtlSource> formal_sources(const std::string& fault) {
  if (rtl_files().empty()) {
    throw golden::VectorError("this program was built without the RTL: nothing to prove");
  }
  std::vector<RtlSource> sources = rtl_sources();
  if (!fault.empty()) {
    const RtlFault* const found = find_rtl_fault(fault);
    if (found == nullptr || !found->is_of_quantizer()) {
      throw golden::VectorError(
          fmt::format("'{}' is no fault of the quantizer; see mxgold list faults", fault));
    }
    sources = with_fault(std::move(sources), *found);
    sources.front().text = fmt::format(
        "package mx_fault;\n  localparam int chosen = {};\nendpackage\n", found->number);
  }
  std::erase_if(sources, [](const RtlSource& source) { return source.name == "mx_lfsr.sv"; });
  return sources;
}

}  // namespace mx::sim
