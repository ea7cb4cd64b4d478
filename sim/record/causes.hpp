// Wrong records, grouped by what would make just these answers (sim/causes/causes.hpp).
#pragma once

#include <span>
#include <vector>

#include "golden/vectors/header.hpp"
#include "sim/causes/causes.hpp"
#include "sim/record/run.hpp"

namespace mx::sim {

/// Deviations of the device (sim/causes/answer_causes.hpp), and what differences have in common. No
/// deviation is a cause that would change an answer that was right.
[[nodiscard]] std::vector<Cause> record_causes(const golden::VectorHeader& header,
                                               std::span<const RecordMismatch> wrong,
                                               std::span<const RecordMismatch> right);

}  // namespace mx::sim
