// What became of the waivers of a run, for machines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "golden/deviation/waiver.hpp"
#include "sim/causes/causes.hpp"
#include "sim/report/junit.hpp"

namespace mx::sim {

/// A member for each waiver.
[[nodiscard]] nlohmann::ordered_json waivers_json(const golden::Waivers& waivers);

/// A test case for each waiver, failed where it has expired.
void add_waivers(JUnitReport& report, const golden::Waivers& waivers);

/// Causes with what waives them.
[[nodiscard]] nlohmann::ordered_json causes_json(std::span<const Cause> causes);

}  // namespace mx::sim
