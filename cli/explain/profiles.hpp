// Several profiles side by side.
#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "golden/explain/model.hpp"

namespace mx::cli {

/// A row for each case: scale, codes, values, flags, and the policy at which it parts from the
/// first. For element formats a table for each input.
[[nodiscard]] nlohmann::ordered_json compare_profiles(std::span<const golden::ExplainedCase> cases,
                                                      std::span<const golden::ExplainInput> inputs);

/// The same for people, on standard output.
void print_comparison(const nlohmann::ordered_json& comparison);

}  // namespace mx::cli
