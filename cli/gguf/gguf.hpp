// SPDX-License-Identifier: Apache-2.0
// GGUF, the files of llama.cpp: ggml-org/ggml:docs/gguf.md.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "cli/files/tensor_header.hpp"

namespace mx::cli {

/// Reads versions 2 and 3. Shapes are in C order, the reverse of the file's. The metadata are the
/// texts of `general.*`. Tensors lie aligned inside the data and do not overlap. `file` is the name
/// used in messages. Throws Error kBadInput.
[[nodiscard]] TensorTable parse_gguf(std::string_view file, std::span<const std::byte> bytes);

}  // namespace mx::cli
