// SPDX-License-Identifier: Apache-2.0
// One TensorProto: its type, shape and words, from whichever of its fields holds them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "cli/files/tensor_header.hpp"

namespace mx::cli {

/// Adds the tensor to the table. `index` of its list is for messages. Throws Error kBadInput.
void add_tensor_proto(std::string_view file, std::span<const std::byte> message, std::size_t index,
                      TensorTable& table);

}  // namespace mx::cli
