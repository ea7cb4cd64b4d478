// Wrong records, grouped by what would make just these answers (sim/judge/causes.hpp).
#pragma once

#include <span>
#include <vector>

#include "golden/vectors/header.hpp"
#include "sim/judge/causes.hpp"
#include "sim/record/run.hpp"

namespace mx::sim {

/// Of conversions, blocks and arithmetic one policy set otherwise, of every operation what the
/// differences have in common. A policy is no cause where it would change an answer that was right.
[[nodiscard]] std::vector<Cause> record_causes(const golden::VectorHeader& header,
                                               std::span<const RecordMismatch> wrong,
                                               std::span<const RecordMismatch> right);

}  // namespace mx::sim
