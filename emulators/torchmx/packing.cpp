#include "emulators/torchmx/packing.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace mx::emulators::torchmx {

Axis along(const Shape& shape, std::size_t dim) {
  const std::span lengths = shape;
  return {.outer = elements_of(lengths.first(dim)),
          .size = lengths[dim],
          .inner = elements_of(lengths.subspan(dim + 1))};
}

std::optional<std::size_t> front_dim(std::int64_t dim, std::size_t rank) {
  const auto count = static_cast<std::int64_t>(rank);
  if (dim < -count || dim >= count) return std::nullopt;
  return static_cast<std::size_t>(dim < 0 ? dim + count : dim);
}

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (const std::size_t size : shape) text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  return text + "]";
}

Shape tensor_size_hp_to_fp4x2(Shape size, std::size_t packing_dim) {
  size[packing_dim] = (size[packing_dim] + 1) / 2;
  return size;
}

Shape tensor_size_fp4x2_to_hp(Shape size, std::size_t unpacking_dim) {
  size[unpacking_dim] *= 2;
  return size;
}

Checked<Tensor> pack_uint4(const TensorView& codes, std::int64_t packing_dim, bool pads) {
  const std::optional<std::size_t> dim = front_dim(packing_dim, codes.shape.size());
  if (!dim) return Problem{"IndexError: list index out of range"};
  if (codes.shape[*dim] % 2 != 0 && !pads) {
    return Problem{"AssertionError: an odd number of codes cannot be packed in pairs"};
  }
  Tensor packed = Tensor::zeros(std::string(codes.name), TensorType::kUint8,
                                tensor_size_hp_to_fp4x2(codes.shape, *dim));
  const Axis from = along(codes.shape, *dim);
  const Axis to = along(packed.shape, *dim);
  for (std::size_t o = 0; o < from.outer; ++o) {
    for (std::size_t j = 0; j < from.size; ++j) {
      for (std::size_t i = 0; i < from.inner; ++i) {
        const std::byte code = codes.bytes[from.index(o, j, i)];
        packed.bytes[to.index(o, j / 2, i)] |= j % 2 == 0 ? code << 4 : code;
      }
    }
  }
  return packed;
}

Checked<Tensor> unpack_uint4(const TensorView& bytes, std::int64_t packing_dim) {
  const std::optional<std::size_t> dim = front_dim(packing_dim, bytes.shape.size());
  if (!dim) return Problem{"IndexError: list index out of range"};
  Tensor codes = Tensor::zeros(std::string(bytes.name), TensorType::kUint8,
                               tensor_size_fp4x2_to_hp(bytes.shape, *dim));
  const Axis from = along(bytes.shape, *dim);
  if (from.inner == 1) {
    for (std::size_t i = 0; i < bytes.bytes.size(); ++i) {
      codes.bytes[2 * i] = bytes.bytes[i] >> 4;
      codes.bytes[2 * i + 1] = bytes.bytes[i] & std::byte{0xF};
    }
    return codes;
  }
  const Axis to = along(codes.shape, *dim);
  for (std::size_t o = 0; o < from.outer; ++o) {
    for (std::size_t j = 0; j < from.size; ++j) {
      for (std::size_t i = 0; i < from.inner; ++i) {
        const std::byte pair = bytes.bytes[from.index(o, j, i)];
        codes.bytes[to.index(o, 2 * j, i)] = pair >> 4;
        codes.bytes[to.index(o, 2 * j + 1, i)] = pair & std::byte{0xF};
      }
    }
  }
  return codes;
}

Tensor resized(const TensorView& tensor, std::size_t dim, std::size_t size) {
  Shape shape = tensor.shape;
  shape[dim] = size;
  Tensor result = Tensor::zeros(std::string(tensor.name), tensor.type, std::move(shape));
  const Axis axis = along(tensor.shape, dim);
  const std::size_t row = axis.inner * width_of(tensor.type);
  const std::size_t bytes = std::min(axis.size, size) * row;
  if (bytes == 0) return result;
  for (std::size_t o = 0; o < axis.outer; ++o) {
    std::memcpy(result.bytes.data() + o * size * row, tensor.bytes.data() + o * axis.size * row,
                bytes);
  }
  return result;
}

Tensor named(std::string name, const TensorView& tensor) {
  return {std::move(name), tensor.type, tensor.shape, {tensor.bytes.begin(), tensor.bytes.end()}};
}

}  // namespace mx::emulators::torchmx
