// The oracle's block operations of P3109 v4.0 section 5: the report's patterns row by row, with
// rationals.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracle/element/real.hpp"
#include "reference/p3109/operation.hpp"

namespace mx::oracle {

/// Section 5.1.1: scale * element, closed extended reals with one zero.
[[nodiscard]] std::vector<Extended> block_values(const P3109BlockFormat& format,
                                                 std::uint64_t scale,
                                                 std::span<const std::uint64_t> codes);

/// A value on its own.
[[nodiscard]] Extended closed_real(const ElementFormat& format, std::uint64_t code);

/// The real function behind an operation.
[[nodiscard]] Extended p3109_value(P3109Operation operation, std::span<const Extended> operands);

/// One projection of an exact result.
[[nodiscard]] Outcome p3109_project(const Extended& x, const ElementFormat& format,
                                    const P3109Projection& projection);

/// Section 5.1.2 for one element.
[[nodiscard]] Outcome p3109_project_scaled(const Extended& x, const Extended& scale,
                                           const ElementFormat& format,
                                           const P3109Projection& projection);

/// Section 5.2.3: the maximum that becomes the scale.
[[nodiscard]] Extended max_abs_finite(std::span<const Extended> values);

}  // namespace mx::oracle
