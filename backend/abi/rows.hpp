// SPDX-License-Identifier: Apache-2.0
// Rows of codes under scales, as products of the C ABI read them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/abi/objects.hpp"
#include "reference/dot/dot.hpp"
#include "reference/tensor/layout.hpp"

namespace mx::abi {

/// Rows as words of 64 bits.
struct Side {
  std::vector<std::uint64_t> codes;
  std::vector<std::uint64_t> scales;
  std::uint64_t length = 0;
  std::uint64_t row_scales = 0;
  std::uint64_t level = 0;

  [[nodiscard]] DotOperand row(std::uint64_t i) const {
    return {std::span(scales).subspan(i * row_scales, row_scales),
            std::span(codes).subspan(i * length, length), level};
  }
};

inline std::vector<std::uint64_t> words_of(const void* data, std::uint64_t bytes,
                                           std::size_t size) {
  std::vector<std::uint64_t> words(bytes / size);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = layout::load_word(read_bytes(data, bytes), i, size);
  }
  return words;
}

/// Does a product write where it reads?
inline bool is_shared(Buffer results, const mxgold_rows& a, const mxgold_rows& b, Buffer addends) {
  return is_shared({results}, {{a.codes, a.code_bytes},
                               {a.scales, a.scale_bytes},
                               {b.codes, b.code_bytes},
                               {b.scales, b.scale_bytes},
                               addends});
}

}  // namespace mx::abi
