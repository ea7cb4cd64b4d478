// The text form of what model.hpp makes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mx::golden {

/// An explanation as `mxgold explain` prints it, lines with their line feeds.
[[nodiscard]] std::string explanation_text(const nlohmann::ordered_json& explanation);

}  // namespace mx::golden
