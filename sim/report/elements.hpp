// How many elements of a run were compared, in words, and what became of the others.
#pragma once

#include <string>

#include "sim/judge/tally.hpp"

namespace mx::sim {

/// " (13,152 open, 32 waived)": those that were not compared; "" where all were.
[[nodiscard]] std::string left_out_text(const ElementCounts& codes);

/// "36,672 elements"; where not all were compared, "23,520 of 36,672 elements (13,152 open)".
[[nodiscard]] std::string elements_text(const Tally& tally);

}  // namespace mx::sim
