// SPDX-License-Identifier: Apache-2.0
// The RTL that statements are about.
#pragma once

#include <string>
#include <vector>

#include "sim/rtl/faults.hpp"

namespace mx::sim {

/// What is read before an obligation: the RTL that the program was built from and the bench tops,
/// or with a fault of sim/rtl/faults.txt. Throws golden::VectorError for an unknown one.
[[nodiscard]] std::vector<RtlSource> formal_sources(const std::string& fault);

}  // namespace mx::sim
