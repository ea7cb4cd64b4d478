// `mxgold list faults`: the defects that devices of `mxgold run --dut` can have on purpose.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace mx::cli {

/// A list of {device, fault, breaks}; those of the RTL say the builds that show them.
[[nodiscard]] nlohmann::ordered_json faults_json();
void print_faults();

}  // namespace mx::cli
