// SPDX-License-Identifier: Apache-2.0
// `mxgold list checkpoints`: how libraries store weights in codes and scales.
#pragma once

#include "cli/options/format_book.hpp"
#include "golden/text/table.hpp"
#include "golden/text/tree.hpp"

namespace mx::cli {

/// A list of {writers, block, codes, scales, level, weight, codes_types, scales_types, packing,
/// number, form, joint, never_with}. Names are endings; `block` is "" where shapes say which
/// elements share a scale.
[[nodiscard]] golden::Tree checkpoints_json(FormatBook& book);
[[nodiscard]] golden::ListTable checkpoints_table(FormatBook& book);

}  // namespace mx::cli
