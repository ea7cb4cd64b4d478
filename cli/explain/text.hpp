// The text form of what explain_model.hpp makes.
#pragma once

#include <nlohmann/json.hpp>

namespace mx::cli {

/// Prints an explanation on stdout.
void print_explanation(const nlohmann::ordered_json& explanation);

}  // namespace mx::cli
