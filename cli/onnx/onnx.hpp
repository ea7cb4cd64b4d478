// SPDX-License-Identifier: Apache-2.0
// Tensors of ONNX: a TensorProto by itself (.pb), or the initialisers of a model (.onnx).
// onnx/onnx:onnx/onnx.proto @f75469120.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "cli/files/tensor_header.hpp"

namespace mx::cli {

/// Reads either, told apart by their fields. Data in other files, segments and sparse tensors are
/// refused. A tensor without a name is `data`. The metadata have `onnx.scale.NAME` for a tensor
/// that a DequantizeLinear of the graph multiplies. Throws Error kBadInput.
[[nodiscard]] TensorTable parse_onnx(std::string_view file, std::span<const std::byte> bytes);

}  // namespace mx::cli
