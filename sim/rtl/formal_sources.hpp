// SPDX-License-Identifier: Apache-2.0
// The RTL that statements are about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/rtl/faults.hpp"

namespace mx::sim {

/// Which RTL: at most one of the two is told.
struct FormalRtl {
  std::string fault{};   ///< of sim/rtl/faults.txt, in the RTL that the program was built from
  std::string folder{};  ///< of somebody's own mx_quantizer.sv and its modules
};

/// What is read before an obligation about a unit: that RTL, and the bench tops of the quantizer.
/// A fault is one of this unit. Throws golden::VectorError for an unknown one, and for a folder
/// that lacks the unit.
[[nodiscard]] std::vector<RtlSource> formal_sources(const FormalRtl& rtl,
                                                    std::string_view unit = "mx_quantizer");
/// Does the RTL have the unit: the fault's own one, those of the folder?
[[nodiscard]] bool has_unit(const FormalRtl& rtl, std::string_view unit);

}  // namespace mx::sim
