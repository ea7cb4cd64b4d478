// SPDX-License-Identifier: Apache-2.0
// Scale codes of one byte to their layouts in memory and back, on threads.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "reference/tensor/scale_layout.hpp"

namespace mx::backend {

/// Scales of a matrix of blocks: `rows` of them, with `blocks` scales each.
struct ScaleMatrix {
  ScaleLayout layout = ScaleLayout::kPlane;
  std::uint64_t rows = 0;
  std::uint64_t blocks = 0;

  /// Bytes in C order; nothing where they do not fit 63 bits.
  [[nodiscard]] std::optional<std::uint64_t> plane_bytes() const;
  /// Bytes in the layout; nothing where they do not fit 63 bits.
  [[nodiscard]] std::optional<std::uint64_t> bytes() const;
};

/// Scales in C order to the layout, and back. The spans have the bytes that the matrix says.
void lay_out(const ScaleMatrix& matrix, std::span<const std::byte> plane,
             std::span<std::byte> laid_out, int threads = 1);
void bring_back(const ScaleMatrix& matrix, std::span<const std::byte> laid_out,
                std::span<std::byte> plane, int threads = 1);

}  // namespace mx::backend
