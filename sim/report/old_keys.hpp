// SPDX-License-Identifier: Apache-2.0
// The members that reports of runs had before the schema mxgold-run 2. They stay for one release.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace mx::sim {

/// Adds them, each made from what the report says under its new name.
void add_old_keys(nlohmann::ordered_json& report);

}  // namespace mx::sim
