// Tensors of floats as binary32 patterns, in which the systems compute, and back.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulators/common/interface.hpp"

namespace mx::emulators {

/// Every element of a tensor of floats as a binary32 pattern; exact but for fp64, which is rounded
/// once, ties to even.
[[nodiscard]] std::vector<std::uint32_t> to_fp32(const TensorView& tensor);

/// binary32 patterns as a tensor of another type of floats, each rounded once, ties to even; a NaN
/// becomes the type's quiet NaN with the sign and the leading payload bits kept.
[[nodiscard]] Tensor from_fp32(std::string name, TensorType type, Shape shape,
                               std::span<const std::uint32_t> values);

}  // namespace mx::emulators
