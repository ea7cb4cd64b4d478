// The text form of what model.hpp makes.
#pragma once

#include <string>

#include "golden/text/tree.hpp"

namespace mx::golden {

/// An explanation as `mxgold explain` prints it, lines with their line feeds.
[[nodiscard]] std::string explanation_text(const Tree& explanation);

/// The same of what arithmetic.hpp makes.
[[nodiscard]] std::string arithmetic_text(const Tree& explanation);

}  // namespace mx::golden
