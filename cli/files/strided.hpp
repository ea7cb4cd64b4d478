// SPDX-License-Identifier: Apache-2.0
// Elements that do not lie one after the other: transposed, sliced, repeated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace mx::cli {

/// Element (i, j, ...) of a view lies at offset + i * strides[0] + j * strides[1] + ... elements.
struct StridedView {
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> strides;  ///< as many as the shape has lengths
  std::uint64_t offset = 0;
  std::size_t size = 1;  ///< bytes of an element

  /// Do the elements lie in C order without gaps?
  [[nodiscard]] bool is_contiguous() const;
  /// The bytes from the first element to behind the last one, where all lie inside the storage.
  [[nodiscard]] std::optional<std::span<const std::byte>> within(
      std::span<const std::byte> storage) const;
  /// The elements in C order. Needs within(storage).
  [[nodiscard]] std::vector<std::byte> gathered(std::span<const std::byte> storage,
                                                std::uint64_t elements) const;
};

inline bool StridedView::is_contiguous() const {
  std::uint64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 0) return true;
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

inline std::optional<std::span<const std::byte>> StridedView::within(
    std::span<const std::byte> storage) const {
  const std::uint64_t there = storage.size() / size;
  if (std::ranges::find(shape, std::uint64_t{0}) != shape.end()) return storage.first(0);
  if (offset >= there) return std::nullopt;
  std::uint64_t last = offset;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::uint64_t steps = shape[i] - 1;
    if (strides[i] != 0 && steps > (there - 1 - last) / strides[i]) return std::nullopt;
    last += steps * strides[i];
  }
  return storage.subspan(offset * size, (last - offset + 1) * size);
}

inline std::vector<std::byte> StridedView::gathered(std::span<const std::byte> storage,
                                                    std::uint64_t elements) const {
  std::vector<std::byte> result(elements * size);
  std::vector<std::uint64_t> index(shape.size(), 0);
  std::uint64_t from = offset;
  for (std::uint64_t i = 0; i < elements; ++i) {
    std::memcpy(result.data() + i * size, storage.data() + from * size, size);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= shape[axis] * strides[axis];
      index[axis] = 0;
    }
  }
  return result;
}

}  // namespace mx::cli
