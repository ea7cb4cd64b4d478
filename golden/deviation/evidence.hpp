// SPDX-License-Identifier: Apache-2.0
// Answers of a device to records as evidence for the search (golden/deviation/search.hpp).
#pragma once

#include <span>

#include "golden/deviation/search.hpp"
#include "golden/deviation/waiver.hpp"
#include "golden/vectors/header.hpp"

namespace mx::golden {

/// The header and the answers must live as long as the evidence and the devices that it makes.
[[nodiscard]] Evidence evidence_of(const VectorHeader& header, std::span<const AnswerAt> wrong,
                                   std::span<const AnswerAt> right);

}  // namespace mx::golden
