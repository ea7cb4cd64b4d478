#include "emulators/torchmx/dequantize.hpp"

#include <algorithm>
#include <string>

#include "emulators/common/refusals.hpp"
#include "emulators/torchmx/element/fields.hpp"
#include "emulators/torchmx/packing.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"

namespace mx::emulators::torchmx {
namespace {

constexpr ElementPolicy kIeee = {.overflow = Overflow::kNoneInfOrNan};

const ElementFormat* format_of_target(TensorType type) {
  switch (type) {
    case TensorType::kFp32:
      return &formats::fp32;
    case TensorType::kBf16:
      return &formats::bf16;
    case TensorType::kFp16:
      return &formats::fp16;
    case TensorType::kFp64:
      return &formats::fp64;
    default:
      return nullptr;
  }
}

/// Shapes as torch broadcasts them, aligned at the end; nothing where they do not fit.
std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 1; i <= shape.size(); ++i) {
    const std::size_t of_a = i <= a.size() ? a[a.size() - i] : 1;
    const std::size_t of_b = i <= b.size() ? b[b.size() - i] : 1;
    if (of_a != of_b && of_a != 1 && of_b != 1) return std::nullopt;
    shape[shape.size() - i] = of_a == 1 ? of_b : of_a;
  }
  return shape;
}

/// The offset of an element of a broadcast result in the tensor that was broadcast.
std::size_t source_index(std::size_t index, const Shape& result, const Shape& source) {
  std::size_t offset = 0;
  std::size_t stride = 1;
  for (std::size_t i = 1; i <= result.size(); ++i) {
    const std::size_t size = result[result.size() - i];
    const std::size_t at = index % size;
    index /= size;
    if (i > source.size()) continue;
    const std::size_t own = source[source.size() - i];
    offset += (own == 1 ? 0 : at) * stride;
    stride *= own;
  }
  return offset;
}

Problem misfit(const Shape& codes, const Shape& scales, std::size_t block_size) {
  return {"RuntimeError: scales of shape " + shape_text(scales) + ", each for " +
          std::to_string(block_size) + " elements, do not fit codes of shape " + shape_text(codes)};
}

std::uint8_t byte_at(const TensorView& tensor, std::size_t index) {
  return std::to_integer<std::uint8_t>(tensor.bytes[index]);
}

/// Blocks of neighbours: the words of a scale are looked up once for each block.
template <typename Word>
void multiply_rows(const TensorView& codes, const TensorView& scales, std::size_t block_size,
                   ProductTable& products, Tensor& values) {
  const std::byte* code = codes.bytes.data();
  std::byte* value = values.bytes.data();
  for (const std::byte scale : scales.bytes) {
    const ProductTable::Row& row = products.of(std::to_integer<std::uint8_t>(scale));
    for (std::size_t i = 0; i < block_size; ++i, ++code, value += sizeof(Word)) {
      const Word word = static_cast<Word>(row[std::to_integer<std::uint8_t>(*code)]);
      std::memcpy(value, &word, sizeof(Word));
    }
  }
}

/// The same without a table, where whole numbers have lanes; false: they have not.
bool multiply_lanes(const TensorView& codes, const TensorView& scales, std::size_t block_size,
                    const IntegerSimd& lanes, Tensor& values) {
  if (!lanes.takes(scales.bytes)) return false;
  std::byte* const words = values.bytes.data();
  if (values.type == TensorType::kBf16) {
    lanes.operator()<std::uint16_t>(scales.bytes, block_size, codes.bytes.data(), words);
  } else {
    lanes.operator()<std::uint32_t>(scales.bytes, block_size, codes.bytes.data(), words);
  }
  return true;
}

/// Blocks along another dimension than the last.
void multiply_columns(const TensorView& codes, const TensorView& scales, std::size_t dim,
                      std::size_t block_size, ProductTable& products, Tensor& values) {
  const std::size_t width = width_of(values.type);
  const Axis axis = along(codes.shape, dim);
  const Axis blocks = along(scales.shape, dim);
  for (std::size_t o = 0; o < axis.outer; ++o) {
    for (std::size_t j = 0; j < axis.size; ++j) {
      const std::size_t first = axis.index(o, j, 0);
      const std::size_t scale = blocks.index(o, j / block_size, 0);
      for (std::size_t i = 0; i < axis.inner; ++i) {
        const std::uint64_t word =
            products.of(byte_at(scales, scale + i))[byte_at(codes, first + i)];
        set_word(values.bytes, width, first + i, word);
      }
    }
  }
}

/// The scales repeated along `dim` fit the codes element by element.
void multiply_blocks(const TensorView& codes, const TensorView& scales, std::size_t dim,
                     std::size_t block_size, ProductTable& products, Tensor& values) {
  if (along(codes.shape, dim).inner != 1) {
    multiply_columns(codes, scales, dim, block_size, products, values);
  } else if (products.lanes() != nullptr &&
             multiply_lanes(codes, scales, block_size, *products.lanes(), values)) {
    return;
  } else if (width_of(values.type) == 2) {
    multiply_rows<std::uint16_t>(codes, scales, block_size, products, values);
  } else if (width_of(values.type) == 4) {
    multiply_rows<std::uint32_t>(codes, scales, block_size, products, values);
  } else {
    multiply_rows<std::uint64_t>(codes, scales, block_size, products, values);
  }
}

/// Anything else that torch can broadcast.
void multiply_broadcast(const TensorView& codes, const TensorView& scales, std::size_t dim,
                        const Shape& repeated, std::size_t block_size, ProductTable& products,
                        Tensor& values) {
  const Axis axis = along(repeated, dim);
  const Axis blocks = along(scales.shape, dim);
  for (std::size_t i = 0; i < elements_of(values.shape); ++i) {
    const std::size_t at = source_index(i, values.shape, repeated);
    const std::size_t inner = at % axis.inner;
    const std::size_t row = at / axis.inner;
    const std::size_t block = row % axis.size / block_size;
    const std::size_t scale = blocks.index(row / axis.size, block, inner);
    const std::size_t code = source_index(i, values.shape, codes.shape);
    set_word(values.bytes, width_of(values.type), i,
             products.of(byte_at(scales, scale))[byte_at(codes, code)]);
  }
}

std::string problem_of(const TensorView& data, const TensorView& scales, const DType* elem_dtype,
                       const Dequantization& call, Mode mode) {
  if (elem_dtype == nullptr) return "KeyError: '" + std::string(call.elem_dtype_name) + "'";
  const bool takes_int8 = *elem_dtype == kInt8;
  if (data.type != TensorType::kUint8 && !(takes_int8 && data.type == TensorType::kInt8)) {
    return "AssertionError: Input tensor must be of dtype torch.uint8";
  }
  if (scales.type != TensorType::kUint8) return "TypeError: the scales must be uint8";
  if (format_of_target(call.target_dtype) == nullptr) {
    return "TypeError: target_dtype must be a type of floats";
  }
  if (*elem_dtype == kFloat4E2m1 &&
      call.block_dim >= static_cast<std::int64_t>(data.shape.size())) {
    return "IndexError: list index out of range";
  }
  const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(scales.shape.size(), 1));
  if (call.block_dim < -rank || call.block_dim >= rank || scales.shape.empty()) {
    return axis_out_of_range(call.block_dim, rank);
  }
  if (call.block_size < 0) return "RuntimeError: Repeats must be non-negative";
  if (mode == Mode::kStrict && call.block_size == 0)
    return "ValueError: block_size must be positive";
  return {};
}

/// "" or the first code with bits above the element's.
std::string stray_bits_of(const TensorView& codes, const DType& elem_dtype) {
  std::byte any = {};
  for (const std::byte code : codes.bytes) any |= code;
  const auto is_stray = [&](std::byte code) {
    return std::to_integer<int>(code) >> elem_dtype.bits() != 0;
  };
  if (!is_stray(any)) return {};
  const auto found = std::find_if(codes.bytes.begin(), codes.bytes.end(), is_stray);
  return "ValueError: code " + std::to_string(std::to_integer<int>(*found)) + " at position " +
         std::to_string(found - codes.bytes.begin()) + " has bits above those of " +
         std::string(elem_dtype.name);
}

}  // namespace

Unpacked value_of_code(std::uint8_t code, const DType& elem_dtype, Mode mode) {
  const ElementFormat& format = format_of(elem_dtype, mode);
  if (elem_dtype == kFloat8E4m3 || elem_dtype == kInt8) return decode(format, code);
  const int magnitude_bits = elem_dtype.mantissa_bits + elem_dtype.exponent_bits;
  const int factor = 1 - 2 * (code >> magnitude_bits);
  Unpacked x = decode(format, static_cast<std::uint64_t>(code & n_ones(magnitude_bits)));
  if (factor == 1) return x;
  x.negative = true;
  if (x.cls == ValueClass::kZero) return x;
  return multiply(x, unpack_integer(false, static_cast<std::uint64_t>(-factor), 0));
}

ProductTable::ProductTable(const DType& elem_dtype, TensorType target, Mode mode)
    : elem_dtype_(elem_dtype), target_(*format_of_target(target)), mode_(mode) {
  const bool has_range = target == TensorType::kBf16 || target == TensorType::kFp32;
  if (elem_dtype == kInt8 && has_range) lanes_.emplace(format_of(elem_dtype, mode).frac_bits);
}

std::uint64_t ProductTable::product(const Unpacked& code, const Unpacked& scale) const {
  const Unpacked x = multiply(code, scale);
  if (x.cls == ValueClass::kNan) return target_.canonical_nan;
  return encode(x, target_, kIeee, 0).code;
}

const ProductTable::Row& ProductTable::of(std::uint8_t scale) {
  std::unique_ptr<Row>& row = rows_[scale];
  if (row != nullptr) return *row;
  row = std::make_unique<Row>();
  Unpacked power = decode(formats::e8m0, scale);
  // In compat the scale is rounded to the target type before it is multiplied.
  const bool is_nan = power.cls == ValueClass::kNan;
  if (mode_ == Mode::kCompat && !is_nan) {
    power = decode(target_, encode(power, target_, kIeee, 0).code);
  }
  for (std::size_t code = 0; code < row->size(); ++code) {
    (*row)[code] =
        product(value_of_code(static_cast<std::uint8_t>(code), elem_dtype_, mode_), power);
  }
  return *row;
}

Checked<Tensor> dequantize_mx(const TensorView& data_lp, const TensorView& shared_exp_e8m0,
                              const Dequantization& call, Mode mode) {
  const DType* const elem_dtype = find_elem_dtype(call.elem_dtype_name);
  if (std::string problem = problem_of(data_lp, shared_exp_e8m0, elem_dtype, call, mode);
      !problem.empty()) {
    return Problem{problem};
  }
  const bool is_strict = mode == Mode::kStrict;
  const std::size_t dim = *front_dim(call.block_dim, shared_exp_e8m0.shape.size());
  const auto block_size = static_cast<std::size_t>(call.block_size);
  Shape repeated = shared_exp_e8m0.shape;
  repeated[dim] *= block_size;
  Tensor unpacked;
  TensorView codes = data_lp;
  if (*elem_dtype == kFloat4E2m1) {
    Checked<Tensor> pairs = unpack_uint4(data_lp, call.block_dim);
    if (!pairs) return Problem{std::string(pairs.problem())};
    unpacked = std::move(pairs).value();
    const bool has_spare = is_strict && unpacked.shape.size() == repeated.size() &&
                           unpacked.shape[dim] == repeated[dim] + 1;
    if (has_spare) unpacked = resized(unpacked, dim, repeated[dim]);
    codes = unpacked;
  }
  std::string stray;
  if (is_strict && is_float(*elem_dtype)) stray = stray_bits_of(codes, *elem_dtype);
  if (!stray.empty()) return Problem{stray};
  const std::optional<Shape> shape = broadcast(codes.shape, repeated);
  const bool fits = codes.shape == repeated;
  if (!shape || (is_strict && !fits)) {
    return misfit(codes.shape, shared_exp_e8m0.shape, block_size);
  }
  ProductTable products(*elem_dtype, call.target_dtype, mode);
  Tensor values = Tensor::unset("values", call.target_dtype, *shape);
  if (fits) {
    multiply_blocks(codes, shared_exp_e8m0, dim, block_size, products, values);
  } else {
    multiply_broadcast(codes, shared_exp_e8m0, dim, repeated, block_size, products, values);
  }
  return values;
}

}  // namespace mx::emulators::torchmx
