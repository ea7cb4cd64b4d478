// Outcomes as lines of a Markdown table, and what they say together.
#pragma once

#include <span>
#include <string>

#include "bench/measure/row.hpp"

namespace mx::goals {

[[nodiscard]] std::string table_head();

/// One line: row, work, our rate, the peer's, the ratio with p25 and p75, the goal, the verdict.
[[nodiscard]] std::string table_line(const Outcome& outcome);

/// Counts by verdict, in words.
[[nodiscard]] std::string summary(std::span<const Outcome> outcomes);

/// 1 after a mismatch; 77 where no row was measured; otherwise 0, or, if `is_strict`, 1 where a
/// goal was not met or a row is invalid or skipped.
[[nodiscard]] int exit_status(std::span<const Outcome> outcomes, bool is_strict);

}  // namespace mx::goals
