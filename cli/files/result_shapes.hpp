// The shapes of a tensor that holds one number for each dot product of two operands' rows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files/tensor_file.hpp"

namespace mx::cli {

/// The lengths of a tensor.
using Lengths = std::vector<std::uint64_t>;

/// Of operands with these lengths before their last axis: rows by columns, the lengths of both one
/// after the other, and one axis where only one of rows and columns is longer than 1.
[[nodiscard]] std::vector<Lengths> result_shapes(const Lengths& a, const Lengths& b);
/// Of row i by row i alone: one axis, or the lengths of A.
[[nodiscard]] std::vector<Lengths> paired_shapes(const Lengths& a);

/// Error kBadInput where a tensor has none of these shapes; `what` it holds: "addends".
void require_shape(const std::string& path, const Tensor& tensor, std::string_view what,
                   std::span<const Lengths> shapes);

}  // namespace mx::cli
