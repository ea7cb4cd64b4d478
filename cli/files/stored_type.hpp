// SPDX-License-Identifier: Apache-2.0
// Types whose bytes are values by themselves, without a tensor of scales beside them: numbers,
// codes of a format, and the blocks of ggml, which hold their scales.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace mx::cli {

/// Values are binary32: every type here either has no wider ones or defines its own as binary32.
struct StoredType {
  std::string_view name;       ///< as Tensor::dtype
  std::size_t row = 0;         ///< in the table of the module that has the type
  std::uint64_t elements = 1;  ///< of a block, 1 for types without blocks
  std::uint64_t bytes = 1;     ///< of a block
  /// The patterns of one block's values; of a last block that the tensor does not fill, all the
  /// same.
  void (*values)(std::size_t row, const std::byte* block, std::span<std::uint32_t> fp32) = nullptr;
};

/// By the name of a type of numbers or codes ("BF16", "F8_E5M2", "I4"); nullptr where values need
/// more than the type (codes of MX formats beside scales have one, their own) or do not fit
/// binary32: F64, I32, I64.
[[nodiscard]] const StoredType* find_stored_type(std::string_view name);

}  // namespace mx::cli
