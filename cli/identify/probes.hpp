// SPDX-License-Identifier: Apache-2.0
// Inputs of suites by which makers that explain a file are parted.
#pragma once

#include <vector>

#include "cli/identify/answer.hpp"
#include "golden/vectors/header.hpp"
#include "golden/vectors/record.hpp"

namespace mx::cli {

/// Operands of the first configuration of a header, as its smoke suite has them.
[[nodiscard]] golden::RecordBatch probes_of(const golden::VectorHeader& header);

/// "[3f80 4000 0000]", cut where it is long.
[[nodiscard]] std::string words_text(std::span<const std::uint64_t> words, int bits);

}  // namespace mx::cli
