#include "emulators/torchmx/mx_tensor.hpp"

#include <string>
#include <utility>

#include "emulators/torchmx/packing.hpp"

namespace mx::emulators::torchmx {
namespace {

constexpr std::string_view kListIndex = "IndexError: list index out of range";

std::string type_problem_of(const MXTensorParts& parts) {
  if (parts.scale_e8m0.type != TensorType::kUint8) return "AssertionError: unsupported";
  if (find_elem_dtype(parts.elem_dtype.name) == nullptr) {
    return "AssertionError: unsupported elem_dtype " + std::string(parts.elem_dtype.name);
  }
  if (parts.data.type != TensorType::kUint8 && parts.data.type != TensorType::kInt8) {
    return "AssertionError: torch." + std::string(token_of(parts.data.type)) + " is unsupported";
  }
  return {};
}

/// The shape of the values; the sizes along the block dimension follow from the data as in the
/// package.
Shape shape_from_data(const MXTensorParts& parts, std::size_t dim) {
  Shape shape = parts.data.shape;
  if (parts.elem_dtype == kFloat4E2m1) {
    shape = tensor_size_fp4x2_to_hp(shape, dim);
    if (parts.padding % 2 != 0 && shape[dim] > 0) --shape[dim];
  }
  return shape;
}

/// strict: the shape of the values follows from the scales, and the data must fit it.
Checked<Shape> fitting_shape(const MXTensorParts& parts, std::size_t dim) {
  Shape shape = parts.scale_e8m0.shape;
  const std::int64_t size =
      static_cast<std::int64_t>(shape[dim]) * parts.block_size - parts.padding;
  const bool is_padding =
      parts.padding >= 0 && (parts.padding == 0 || parts.padding < parts.block_size);
  if (parts.block_size < 1 || !is_padding || size < 0) {
    return Problem{"ValueError: block_size must be positive and padding less than a block"};
  }
  shape[dim] = static_cast<std::size_t>(size);
  const Shape stored =
      parts.elem_dtype == kFloat4E2m1 ? tensor_size_hp_to_fp4x2(shape, dim) : shape;
  if (stored != parts.data.shape) {
    return Problem{"ValueError: " + std::to_string(elements_of(stored)) +
                   " != " + std::to_string(elements_of(parts.data.shape)) + ": scales of shape " +
                   shape_text(parts.scale_e8m0.shape) + " do not fit data of shape " +
                   shape_text(parts.data.shape)};
  }
  return shape;
}

/// Python's (block_size - size % block_size) % block_size.
std::int64_t padding_for(std::int64_t size, std::int64_t block_size) {
  const std::int64_t rest = size % block_size;
  return rest == 0 || block_size < 0 ? 0 : block_size - rest;
}

Problem refused(std::string_view text) { return {std::string(text)}; }

}  // namespace

Checked<MXTensor> MXTensor::make(MXTensorParts parts, Mode mode) {
  const std::size_t rank = parts.data.shape.size();
  const std::int64_t last = static_cast<std::int64_t>(rank) - 1;
  const std::optional<std::size_t> dim = front_dim(parts.block_dim.value_or(last), rank);
  if (!dim) return refused(kListIndex);
  parts.block_dim = static_cast<std::int64_t>(*dim);
  if (std::string problem = type_problem_of(parts); !problem.empty()) return Problem{problem};
  if (*dim >= parts.scale_e8m0.shape.size()) return refused(kListIndex);
  Shape shape;
  if (mode == Mode::kStrict) {
    Checked<Shape> fitting = fitting_shape(parts, *dim);
    if (!fitting) return refused(fitting.problem());
    shape = std::move(fitting).value();
  } else {
    shape = shape_from_data(parts, *dim);
  }
  return MXTensor(std::move(parts), std::move(shape), mode);
}

Checked<MXTensor> MXTensor::to_mx(const TensorView& data_hp, const DType& elem_dtype,
                                  std::int64_t block_size, const Variant& variant) {
  if (data_hp.shape.empty()) return refused("IndexError: tuple index out of range");
  if (block_size == 0) return refused("ZeroDivisionError: integer modulo by zero");
  const std::size_t last = data_hp.shape.size() - 1;
  const std::size_t size = data_hp.shape[last];
  const std::int64_t padding = padding_for(static_cast<std::int64_t>(size), block_size);
  Tensor padded;
  TensorView whole = data_hp;
  if (padding > 0) {
    padded = resized(data_hp, last, size + static_cast<std::size_t>(padding));
    whole = padded;
  }
  Checked<Quantized> quantized = quantize_mx(whole, elem_dtype.name, block_size, variant);
  if (!quantized) return refused(quantized.problem());
  Quantized result = std::move(quantized).value();
  if (padding > 0) {
    if (variant.mode == Mode::kCompat && block_size % 2 != 0) {
      return Problem{"AssertionError: block_size must be even to support padding but got " +
                     std::to_string(block_size)};
    }
    const std::size_t kept = elem_dtype == kFloat4E2m1 ? (size + 1) / 2 : size;
    result.data = resized(result.data, last, kept);
  }
  return make({.scale_e8m0 = std::move(result.scale),
               .data = std::move(result.data),
               .elem_dtype = elem_dtype,
               .block_size = block_size,
               .orig_dtype = data_hp.type,
               .padding = padding},
              variant.mode);
}

std::size_t MXTensor::padded_size(std::size_t dim) const {
  const std::size_t size = data().shape[dim];
  const auto missing = static_cast<std::size_t>(padding());
  if (elem_dtype() != kFloat4E2m1) return size + missing;
  if (mode_ == Mode::kCompat) return size + missing / 2;
  return (shape_[dim] + missing + 1) / 2;
}

Checked<Tensor> MXTensor::to_dtype(TensorType target_dtype) const {
  const auto dim = static_cast<std::size_t>(block_dim());
  Tensor padded;
  TensorView whole = data();
  if (padding() > 0) {
    padded = resized(data(), dim, padded_size(dim));
    whole = padded;
  }
  Checked<Tensor> values = dequantize_mx(whole, scale_e8m0(),
                                         {.elem_dtype_name = elem_dtype().name,
                                          .block_size = block_size(),
                                          .target_dtype = target_dtype,
                                          .block_dim = block_dim()},
                                         mode_);
  if (!values || padding() == 0) return values;
  return resized(*values, dim, shape_[dim]);
}

Tensor to_mx_backward(const TensorView& gradient) { return named("gradient", gradient); }

Checked<Tensor> from_mx_backward(const MXTensor& tensor, const TensorView& gradient) {
  const bool is_refused = tensor.padding() > 0 && tensor.elem_dtype() == kFloat4E2m1;
  if (is_refused && tensor.mode() == Mode::kCompat) {
    return Problem{"ValueError: Padding is not supported in the backward pass for float4_e2m1"};
  }
  return named("gradient", gradient);
}

Checked<MXTensor> noop_fw_to_mx_bw_backward(const TensorView& gradient, const DType& elem_dtype,
                                            std::int64_t block_size, const Variant& variant) {
  Checked<Quantized> quantized = quantize_mx(gradient, elem_dtype.name, block_size, variant);
  if (!quantized) return refused(quantized.problem());
  Quantized result = std::move(quantized).value();
  return MXTensor::make({.scale_e8m0 = std::move(result.scale),
                         .data = std::move(result.data),
                         .elem_dtype = elem_dtype,
                         .block_size = block_size,
                         .orig_dtype = gradient.type},
                        variant.mode);
}

}  // namespace mx::emulators::torchmx
