// `mxgold list faults`: the defects that devices of `mxgold run --dut` can have on purpose.
#pragma once

#include "golden/text/tree.hpp"

namespace mx::cli {

/// A list of {device, fault, breaks}; those of the RTL say the builds that show them.
[[nodiscard]] golden::Tree faults_json();
void print_faults();

}  // namespace mx::cli
