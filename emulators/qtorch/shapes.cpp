#include "emulators/qtorch/shapes.hpp"

#include "emulators/common/refusals.hpp"

namespace mx::emulators::qtorch {
namespace {

std::size_t product(const Shape& shape, std::size_t first, std::size_t last) {
  std::size_t size = 1;
  for (std::size_t i = first; i < last; ++i) size *= shape[i];
  return size;
}

}  // namespace

std::string type_problem(const TensorView& x, const Setting& setting) {
  const bool is_half = x.type == TensorType::kBf16 || x.type == TensorType::kFp16;
  if (x.type == TensorType::kFp32 || (is_half && setting.mode == Mode::kStrict)) return {};
  return wants_float(x.type);
}

Checked<BlockLayout> block_layout(const Shape& shape, std::int64_t dim) {
  const std::size_t size = elements_of(shape);
  if (dim == -1) {
    if (size == 0) {
      return Problem{
          "RuntimeError: max(): Expected reduction dim to be specified for input.numel() == 0. "
          "Specify the reduction dim with the 'dim' argument."};
    }
    return BlockLayout{.outer = 1, .blocks = 1, .inner = size};
  }
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (rank == 0 && dim == 0) {
    return Problem{"IndexError: Dimension specified as 0 but tensor has no dimensions"};
  }
  const std::int64_t most = rank == 0 ? 0 : rank - 1;
  if (dim < -most - 1 || dim > most || rank == 0) {
    return Problem{axis_out_of_range(dim, rank)};
  }
  const auto axis = static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
  if (size == 0) {
    if (shape[axis] != 0) {
      return Problem{"IndexError: max(): Expected reduction dim 1 to have non-zero size."};
    }
    return Problem{
        "RuntimeError: cannot reshape tensor of 0 elements into shape [0, -1] because the "
        "unspecified dimension size -1 can be any value and is ambiguous"};
  }
  return BlockLayout{.outer = product(shape, 0, axis),
                     .blocks = shape[axis],
                     .inner = product(shape, axis + 1, shape.size())};
}

}  // namespace mx::emulators::qtorch
