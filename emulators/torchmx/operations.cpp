#include "emulators/torchmx/operations.hpp"

#include <string>
#include <utility>
#include <vector>

#include "emulators/torchmx/packing.hpp"

namespace mx::emulators::torchmx {
namespace {

using Sizes = std::vector<std::int64_t>;

Tensor swapped(const TensorView& tensor, std::size_t first, std::size_t second) {
  if (first > second) std::swap(first, second);
  Shape shape = tensor.shape;
  std::swap(shape[first], shape[second]);
  Tensor result = Tensor::zeros(std::string(tensor.name), tensor.type, std::move(shape));
  if (first == second) return named(std::string(tensor.name), tensor);
  // outer x first x middle x second x inner
  const Axis a = along(tensor.shape, first);
  const Axis b = along(tensor.shape, second);
  const std::size_t middle = a.inner / (b.size * b.inner == 0 ? 1 : b.size * b.inner);
  const std::size_t row = b.inner * width_of(tensor.type);
  if (result.bytes.empty()) return result;
  std::size_t from = 0;
  for (std::size_t o = 0; o < a.outer; ++o) {
    for (std::size_t i = 0; i < a.size; ++i) {
      for (std::size_t m = 0; m < middle; ++m) {
        for (std::size_t j = 0; j < b.size; ++j, from += row) {
          const std::size_t to = ((o * b.size + j) * middle + m) * a.size + i;
          std::memcpy(result.bytes.data() + to * row, tensor.bytes.data() + from, row);
        }
      }
    }
  }
  return result;
}

Checked<MXTensor> with(const MXTensor& tensor, Tensor scale, Tensor data, std::int64_t block_dim) {
  MXTensorParts parts = tensor.parts();
  parts.scale_e8m0 = std::move(scale);
  parts.data = std::move(data);
  parts.block_dim = block_dim;
  return MXTensor::make(std::move(parts), tensor.mode());
}

std::string sizes_text(const Sizes& sizes) {
  std::string text = "[";
  for (const std::int64_t size : sizes) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(size);
  }
  return text + "]";
}

/// The words of a tensor in another shape, one of whose sizes may be -1.
Checked<Tensor> reshaped(const Tensor& tensor, const Sizes& sizes) {
  Shape shape;
  std::size_t known = 1;
  std::ptrdiff_t inferred = -1;
  for (const std::int64_t size : sizes) {
    if (size < -1) return Problem{"RuntimeError: invalid shape dimension " + std::to_string(size)};
    if (size == -1) {
      if (inferred >= 0) return Problem{"RuntimeError: only one dimension can be inferred"};
      inferred = static_cast<std::ptrdiff_t>(shape.size());
    } else {
      known *= static_cast<std::size_t>(size);
    }
    shape.push_back(size == -1 ? 1 : static_cast<std::size_t>(size));
  }
  const std::size_t count = elements_of(tensor.shape);
  const bool fits = inferred < 0 ? known == count : known != 0 && count % known == 0;
  if (!fits) {
    return Problem{"RuntimeError: shape '" + sizes_text(sizes) + "' is invalid for input of size " +
                   std::to_string(count)};
  }
  if (inferred >= 0) shape[static_cast<std::size_t>(inferred)] = count / known;
  Tensor result = tensor;
  result.shape = std::move(shape);
  return result;
}

Checked<Tensor> expanded(const Tensor& tensor, const Sizes& sizes) {
  const std::size_t extra = sizes.size() - tensor.shape.size();
  Tensor result = tensor;
  result.shape.insert(result.shape.begin(), extra, 1);
  for (std::size_t dim = sizes.size(); dim-- > 0;) {
    const std::size_t own = result.shape[dim];
    const bool keeps = sizes[dim] == -1 && dim >= extra;
    if (keeps || sizes[dim] == static_cast<std::int64_t>(own)) continue;
    if (own != 1 || sizes[dim] < 0) {
      return Problem{"RuntimeError: The expanded size of the tensor (" +
                     std::to_string(sizes[dim]) + ") must match the existing size (" +
                     std::to_string(own) + ") at non-singleton dimension " + std::to_string(dim) +
                     ". Target sizes: " + sizes_text(sizes)};
    }
    const auto copies = static_cast<std::size_t>(sizes[dim]);
    const Axis axis = along(result.shape, dim);
    const std::size_t row = axis.inner * width_of(result.type);
    Shape shape = result.shape;
    shape[dim] = copies;
    Tensor repeated = Tensor::zeros(result.name, result.type, std::move(shape));
    for (std::size_t o = 0; row != 0 && o < axis.outer * copies; ++o) {
      std::memcpy(repeated.bytes.data() + o * row, result.bytes.data() + o / copies * row, row);
    }
    result = std::move(repeated);
  }
  return result;
}

/// Python's floor division.
std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Sizes of scales for sizes of values.
Sizes scale_sizes(const MXTensor& tensor, Sizes sizes, std::size_t dim) {
  sizes[dim] = floor_divide(sizes[dim] + tensor.padding(), tensor.block_size());
  return sizes;
}

/// Sizes of stored words for sizes of values. Half of an inferred size is 0 in compat.
Sizes data_sizes(const MXTensor& tensor, Sizes sizes, std::size_t dim) {
  const bool infers = sizes[dim] == -1 && tensor.mode() == Mode::kStrict;
  if (tensor.elem_dtype() == kFloat4E2m1 && !infers) sizes[dim] = (sizes[dim] + 1) / 2;
  return sizes;
}

std::string view_problem_of(const MXTensor& tensor, const Sizes& sizes) {
  const auto rank = static_cast<std::int64_t>(tensor.data().shape.size());
  if (sizes.size() == 1 && tensor.padding() > 0) {
    return "AssertionError: View op is not supported when the tensor is padded and the new size "
           "is 1D";
  }
  if (tensor.block_dim() - rank < -2) {
    return "AssertionError: View Op is supported only when block_dim is last/second_last dim";
  }
  if (tensor.block_dim() - rank == -2 && rank != 4) {
    return "AssertionError: For the view op when block_dim is second last dim, the tensor must be "
           "4D";
  }
  if (static_cast<std::int64_t>(sizes.size()) + tensor.block_dim() - rank < 0) {
    return "IndexError: list index out of range";
  }
  return {};
}

}  // namespace

Checked<MXTensor> t(const MXTensor& tensor) {
  const std::size_t rank = tensor.data().shape.size();
  if (tensor.block_dim() > 1) {
    return Problem{"AssertionError: the block dimension must be one of the first two"};
  }
  if (rank > 2) {
    return Problem{"RuntimeError: t() expects a tensor with <= 2 dimensions, but self is " +
                   std::to_string(rank) + "D"};
  }
  if (rank == 1) {
    if (tensor.mode() == Mode::kStrict) return tensor;
    return Problem{"IndexError: list index out of range"};
  }
  return with(tensor, swapped(tensor.scale_e8m0(), 0, 1), swapped(tensor.data(), 0, 1),
              1 - tensor.block_dim());
}

Checked<MXTensor> transpose(const MXTensor& tensor, std::int64_t dim0, std::int64_t dim1) {
  const std::size_t rank = tensor.data().shape.size();
  const std::optional<std::size_t> first = front_dim(dim0, rank);
  const std::optional<std::size_t> second = front_dim(dim1, rank);
  if (!first || !second) return Problem{"IndexError: Dimension out of range"};
  if (tensor.mode() == Mode::kStrict) {
    dim0 = static_cast<std::int64_t>(*first);
    dim1 = static_cast<std::int64_t>(*second);
  }
  std::int64_t block_dim = tensor.block_dim();
  if (block_dim == dim0 || block_dim == dim1) block_dim = block_dim == dim1 ? dim0 : dim1;
  return with(tensor, swapped(tensor.scale_e8m0(), *first, *second),
              swapped(tensor.data(), *first, *second), block_dim);
}

Checked<MXTensor> view(const MXTensor& tensor, std::span<const std::int64_t> size) {
  const Sizes sizes(size.begin(), size.end());
  if (std::string problem = view_problem_of(tensor, sizes); !problem.empty()) {
    return Problem{problem};
  }
  const std::size_t dim =
      sizes.size() - tensor.data().shape.size() + static_cast<std::size_t>(tensor.block_dim());
  Checked<Tensor> data = reshaped(tensor.data(), data_sizes(tensor, sizes, dim));
  if (!data) return Problem{std::string(data.problem())};
  Checked<Tensor> scale = reshaped(tensor.scale_e8m0(), scale_sizes(tensor, sizes, dim));
  if (!scale) return Problem{std::string(scale.problem())};
  return with(tensor, std::move(scale).value(), std::move(data).value(),
              static_cast<std::int64_t>(dim));
}

Checked<MXTensor> expand(const MXTensor& tensor, std::span<const std::int64_t> size) {
  const Sizes sizes(size.begin(), size.end());
  const std::size_t rank = tensor.data().shape.size();
  if (sizes.size() < rank) {
    return Problem{"RuntimeError: the number of sizes provided (" + std::to_string(sizes.size()) +
                   ") must be greater or equal to the number of dimensions in the tensor (" +
                   std::to_string(rank) + ")"};
  }
  // With new leading dimensions compat looks at another one than the blocks lie along.
  const auto block_dim = static_cast<std::size_t>(tensor.block_dim());
  const std::size_t moved =
      tensor.mode() == Mode::kStrict ? block_dim + sizes.size() - rank : block_dim;
  Checked<Tensor> scale = expanded(tensor.scale_e8m0(), scale_sizes(tensor, sizes, moved));
  if (!scale) return Problem{std::string(scale.problem())};
  Checked<Tensor> data = expanded(tensor.data(), data_sizes(tensor, sizes, moved));
  if (!data) return Problem{std::string(data.problem())};
  return with(tensor, std::move(scale).value(), std::move(data).value(),
              static_cast<std::int64_t>(moved));
}

Checked<MXTensor> to_copy(const MXTensor& tensor, TensorType dtype) {
  if (dtype != TensorType::kFp16 && dtype != TensorType::kBf16) {
    return Problem{
        "AssertionError: Only support floating point conversion for autocast w/ MXTensor"};
  }
  MXTensorParts parts = tensor.parts();
  parts.orig_dtype = dtype;
  return MXTensor::make(std::move(parts), tensor.mode());
}

}  // namespace mx::emulators::torchmx
