// SPDX-License-Identifier: Apache-2.0
// What formats blocks come back to: spec F12.2.
#pragma once

#include <string_view>

#include "reference/format/format.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

/// Does a format have the fields that dequant_overflow wrap fills: a sign, an exponent of 8 bits as
/// bfloat16 has it, a fraction?
[[nodiscard]] bool has_wrapping_fields(const ElementFormat& output);

/// Why values cannot come back in a format ("" if they can).
[[nodiscard]] std::string_view back_problem(DequantOverflow overflow, const ElementFormat& output);

}  // namespace mx
