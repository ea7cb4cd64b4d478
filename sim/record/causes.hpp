// Wrong records, grouped by what would make just these answers (sim/judge/causes.hpp).
#pragma once

#include <span>
#include <vector>

#include "golden/vectors/header.hpp"
#include "sim/judge/causes.hpp"
#include "sim/record/run.hpp"

namespace mx::sim {

/// Of conversions, blocks and arithmetic what a device does otherwise (sim/record/otherwise.hpp):
/// one thing, or two at once where one does not explain enough; of every operation what the
/// differences have in common. Nothing is a cause that would change an answer that was right.
[[nodiscard]] std::vector<Cause> record_causes(const golden::VectorHeader& header,
                                               std::span<const RecordMismatch> wrong,
                                               std::span<const RecordMismatch> right);

}  // namespace mx::sim
