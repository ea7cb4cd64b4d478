// Which results and flags no operands of a scalar operation can give, by what is known of it.
#pragma once

#include <string_view>

#include "golden/configuration/configuration.hpp"

namespace mx::golden {

/// Can a result have this flag ("inexact", ...)?
[[nodiscard]] bool is_possible_flag(const ArithmeticCase& what, std::string_view flag);

/// Can a result be of this class ("+max_normal", ...; SourceClasses::name())?
[[nodiscard]] bool is_possible_result(const ArithmeticCase& what, std::string_view name);

}  // namespace mx::golden
