// SPDX-License-Identifier: Apache-2.0
// What came of records of blocks, as blocks.
#pragma once

#include "sim/judge/mismatch.hpp"
#include "sim/judge/tally.hpp"
#include "sim/score/score.hpp"

namespace mx::sim {

[[nodiscard]] Tally tally_of(const golden::Verdict& verdict, const CertificateCounts& certified);

[[nodiscard]] Mismatch mismatch_of(const RecordMismatch& record, Compare compare);

}  // namespace mx::sim
