// SPDX-License-Identifier: Apache-2.0
// The deviations that may explain wrong answers: policies with other values, other readings of
// operands, scales that end elsewhere.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/deviation/search.hpp"
#include "golden/deviation/waiver.hpp"
#include "golden/vectors/header.hpp"

namespace mx::golden {

/// Everything that a device may have done so that it gave a wrong answer of these.
[[nodiscard]] std::vector<DeviationCandidate> candidates_for(const VectorHeader& header,
                                                             std::span<const AnswerAt> wrong);

}  // namespace mx::golden
