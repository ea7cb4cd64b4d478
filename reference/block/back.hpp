// SPDX-License-Identifier: Apache-2.0
// What formats blocks come back to: spec F12.2.
#pragma once

#include <string_view>

#include "reference/block/quantizer.hpp"
#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// Does a format have the fields that dequant_overflow wrap fills: a sign, an exponent of 8 bits as
/// bfloat16 has it, a fraction?
[[nodiscard]] bool has_wrapping_fields(const ElementFormat& output);

/// A configuration for ways back alone: under a scale that is given no rule chooses, so where the
/// format's own does not fit, one that every scale fits stands in its place.
[[nodiscard]] QuantizerConfig for_way_back(QuantizerConfig config);

/// Why values cannot come back in a format ("" if they can).
[[nodiscard]] std::string_view back_problem(DequantOverflow overflow, const ElementFormat& output);

}  // namespace mx
