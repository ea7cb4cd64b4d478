// Two FP4 codes in a byte along an axis, the even index in the high nibble; and the little that is
// needed of tensors in C order. spec S6.2, S6.3 (TX-P).
#pragma once

#include <cstdint>
#include <optional>

#include "emulators/common/tensor.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::torchmx {

/// A tensor seen along one axis: `outer` slices of `size` rows of `inner` words.
struct Axis {
  std::size_t outer = 1;
  std::size_t size = 1;
  std::size_t inner = 1;

  [[nodiscard]] std::size_t index(std::size_t o, std::size_t j, std::size_t i) const {
    return (o * size + j) * inner + i;
  }
};

[[nodiscard]] Axis along(const Shape& shape, std::size_t dim);

/// A dimension counted from the front, from one that may count from the end; nothing if there is
/// none of that number.
[[nodiscard]] std::optional<std::size_t> front_dim(std::int64_t dim, std::size_t rank);

/// "[2, 3]"
[[nodiscard]] std::string shape_text(const Shape& shape);

/// The size halved along an axis, rounded up.
[[nodiscard]] Shape tensor_size_hp_to_fp4x2(Shape size, std::size_t packing_dim);
/// The size doubled along an axis.
[[nodiscard]] Shape tensor_size_fp4x2_to_hp(Shape size, std::size_t unpacking_dim);

/// Packs pairs along the axis. AssertionError where it is odd, unless `pads`: then a zero follows.
[[nodiscard]] Checked<Tensor> pack_uint4(const TensorView& codes, std::int64_t packing_dim = -1,
                                         bool pads = false);
/// Two codes for each byte along the axis.
[[nodiscard]] Checked<Tensor> unpack_uint4(const TensorView& bytes, std::int64_t packing_dim = -1);

/// The first `size` words along an axis, or all of them and zeros after them.
[[nodiscard]] Tensor resized(const TensorView& tensor, std::size_t dim, std::size_t size);

/// The same words under another name.
[[nodiscard]] Tensor named(std::string name, const TensorView& tensor);

}  // namespace mx::emulators::torchmx
