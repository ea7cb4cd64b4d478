// SPDX-License-Identifier: Apache-2.0
// The RTL that statements are about.
#pragma once

#include <string>
#include <vector>

#include "sim/rtl/faults.hpp"

namespace mx::sim {

/// Which RTL: at most one of the two is told.
struct FormalRtl {
  std::string fault{};   ///< of sim/rtl/faults.txt, in the RTL that the program was built from
  std::string folder{};  ///< of somebody's own mx_quantizer.sv and its modules
};

/// What is read before an obligation: that RTL, and the bench tops. Throws golden::VectorError for
/// an unknown fault, and for a folder that has no RTL.
[[nodiscard]] std::vector<RtlSource> formal_sources(const FormalRtl& rtl);

}  // namespace mx::sim
