// Several profiles side by side.
#pragma once

#include <span>
#include <string>

#include "golden/explain/model.hpp"

namespace mx::golden {

/// A row for each case: scale, codes, values, flags, and the policy at which it parts from the
/// first. For element formats a table for each input.
[[nodiscard]] Tree cases_beside(std::span<const ExplainedCase> cases,
                                std::span<const ExplainInput> inputs);

/// The same for people.
[[nodiscard]] std::string beside_text(const Tree& comparison);

}  // namespace mx::golden
