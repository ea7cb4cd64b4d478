// SPDX-License-Identifier: Apache-2.0
// Where a wrong code lies: expected and given code on the number line of their format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reference/number/unpacked.hpp"

namespace mx::cli {

/// The values around both codes as SVG. `exact`: the value before rounding, where it is known. ""
/// for formats of more than 16 bits, and where a code is no finite value.
[[nodiscard]] std::string failing_line(std::string_view name, const ElementFormat& format,
                                       std::uint64_t expected, std::uint64_t given,
                                       const std::optional<Unpacked>& exact);

}  // namespace mx::cli
