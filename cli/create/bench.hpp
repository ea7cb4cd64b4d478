// SPDX-License-Identifier: Apache-2.0
// A bench in SystemVerilog around a module, over the model by DPI-C.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/create/skeletons.hpp"
#include "sim/device/ports.hpp"

namespace mx::cli {

/// The bench of a module whose device file has these members. A converter without a clock is driven
/// whole; of others a line FILL IN ends the bench until somebody drives them.
[[nodiscard]] NewText bench_skeleton(const nlohmann::ordered_json& device,
                                     const std::vector<sim::Port>& ports);

/// The line that compiles and runs it.
[[nodiscard]] std::string bench_command(const nlohmann::ordered_json& device);

}  // namespace mx::cli
