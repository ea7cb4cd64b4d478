// By whose policies a run was judged, for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "golden/configuration/judged_by.hpp"

namespace mx::sim {

/// A member for each policy that is not its default.
[[nodiscard]] nlohmann::ordered_json policies_json(const golden::JudgedBy& judged_by);

}  // namespace mx::sim
