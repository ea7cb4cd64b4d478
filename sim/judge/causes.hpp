// Wrong blocks, grouped by what would make just these answers: one policy set otherwise, a defect
// of the museum, or what the differences have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/block/model.hpp"
#include "sim/judge/scoreboard.hpp"

namespace mx::sim {

/// Wrong blocks that one cause explains.
struct Cause {
  std::string text;          ///< "as with rounding ties_to_away for ties_to_even (spec F15)"
  std::uint64_t blocks = 0;  ///< of those looked at
  std::uint64_t first = 0;   ///< the number of the first of them
};

/// Causes that explain the wrong blocks between them, the one that explains most first; the last
/// may be that none is known. A policy or a defect is no cause where it would change an answer that
/// was right. Both spans are of the run's configurations.
[[nodiscard]] std::vector<Cause> causes_of(std::span<const Mismatch> wrong,
                                           std::span<const Mismatch> right,
                                           const Configurations& configs);

/// A line for each cause, under a headline: "causes of the first 256 of 9,587 wrong blocks:". ""
/// for none.
[[nodiscard]] std::string causes_text(std::span<const Cause> causes, std::uint64_t wrong);

}  // namespace mx::sim
