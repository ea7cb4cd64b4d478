#include "emulators/torchmx/quantize.hpp"

#include <algorithm>
#include <string>

#include "emulators/torchmx/packing.hpp"

namespace mx::emulators::torchmx {
namespace {

constexpr int kNanExponent = 255;

std::uint16_t bf16_at(const std::byte* row, std::size_t index) {
  std::uint16_t word = 0;
  std::memcpy(&word, row + index * 2, 2);
  return word;
}

/// The largest exponent field among words of bf16.
int max_exponent_of(const std::byte* row, std::size_t size) {
  std::int16_t largest = 0;
  for (std::size_t i = 0; i < size; ++i) {
    largest = std::max(largest, static_cast<std::int16_t>(bf16_at(row, i) & 0x7FFF));
  }
  return largest >> 7;
}

/// The codes of one block, a byte each.
class BlockEncoder {
 public:
  BlockEncoder(const DType& elem_dtype, const Variant& variant)
      : elem_dtype_(elem_dtype),
        table_(code_table(elem_dtype, variant.mode)),
        keeps_codes_(variant.mode == Mode::kCompat && variant.path == Path::kHwExact &&
                     is_float(elem_dtype)) {}

  void operator()(const std::byte* row, std::size_t size, std::uint8_t scale,
                  std::uint8_t* codes) const {
    if (scale != kE8m0ExponentNanVal && table_.is_normal(scale)) {
      table_.normal({row, 2 * size}, scale, codes);
    } else if (scale != kE8m0ExponentNanVal) {
      for (std::size_t i = 0; i < size; ++i) codes[i] = table_(bf16_at(row, i), scale);
    } else if (keeps_codes_) {
      for (std::size_t i = 0; i < size; ++i) {
        codes[i] = hw_exact_code(bf16_at(row, i), scale, elem_dtype_);
      }
    } else {
      std::fill_n(codes, size, std::uint8_t{0});
    }
  }

 private:
  const DType& elem_dtype_;
  const CodeTable& table_;
  bool keeps_codes_;  ///< under a NaN scale
};

/// What the package objects to before it computes; "" if it does not.
std::string problem_of(const TensorView& data, const DType* elem_dtype, std::string_view name,
                       std::int64_t block_size) {
  if (elem_dtype == nullptr) return "KeyError: '" + std::string(name) + "'";
  if (data.type != TensorType::kBf16) {
    return "AssertionError: Only torch.bfloat16 input dtype is supported, got " +
           std::string(facts_of(data.type).dtype);
  }
  if (data.shape.empty()) return "IndexError: tuple index out of range";
  if (block_size == 0) return "ZeroDivisionError: integer modulo by zero";
  if (static_cast<std::int64_t>(data.shape.back()) % block_size != 0) {
    return "AssertionError: The last dimension of the input tensor must be a multiple of "
           "block_size";
  }
  if (block_size == -1) return "RuntimeError: only one dimension can be inferred";
  if (block_size < 0) {
    const std::string size = std::to_string(block_size);
    return "RuntimeError: invalid shape dimension " + size + " at index 1 of shape [-1, " + size +
           "]";
  }
  return {};
}

/// What only the package objects to: packing odd rows, and reshaping nothing.
std::string compat_problem_of(const Shape& shape, const DType& elem_dtype) {
  if (elem_dtype == kFloat4E2m1 && shape.back() % 2 != 0) {
    return "AssertionError: float4_e2m1 needs an even last dimension";
  }
  Shape leading = shape;
  leading.pop_back();
  if (elements_of(leading) != 0) return {};
  std::string text = shape_text(leading);
  text.back() = ',';
  return "RuntimeError: cannot reshape tensor of 0 elements into shape " + text +
         " -1] because the unspecified dimension size -1 can be any value and is ambiguous";
}

/// All blocks, two codes of a row packed in a byte where `packs`.
void encode_blocks(const TensorView& data, std::size_t block_size, bool packs,
                   const DType& elem_dtype, const Variant& variant, Quantized& result) {
  const BlockEncoder encode(elem_dtype, variant);
  const std::size_t length = data.shape.back();
  const std::size_t rows = length == 0 ? 0 : data.size() / length;
  const std::size_t stored = result.data.shape.back();
  std::vector<std::uint8_t> codes(packs ? 2 * stored : 0);
  auto* scales = reinterpret_cast<std::uint8_t*>(result.scale.bytes.data());
  auto* written = reinterpret_cast<std::uint8_t*>(result.data.bytes.data());
  for (std::size_t row = 0; row < rows; ++row, written += stored) {
    std::uint8_t* const out = packs ? codes.data() : written;
    const std::byte* const words = data.bytes.data() + row * length * 2;
    for (std::size_t first = 0; first < length; first += block_size) {
      const std::byte* const block = words + first * 2;
      const int max_exponent = max_exponent_of(block, block_size);
      *scales = shared_exponent_of(max_exponent, elem_dtype, variant.mode);
      encode(block, block_size, *scales++, out + first);
    }
    for (std::size_t i = 0; packs && i < stored; ++i) {
      written[i] = static_cast<std::uint8_t>(codes[2 * i] << 4 | codes[2 * i + 1]);
    }
  }
}

}  // namespace

std::uint8_t shared_exponent_of(int max_exponent, const DType& elem_dtype, Mode mode) {
  if (max_exponent == kNanExponent) return kE8m0ExponentNanVal;
  return static_cast<std::uint8_t>(
      std::max(0, max_exponent - shared_exponent_offset(elem_dtype, mode)));
}

Checked<Tensor> get_e8m0_shared_exponent(const TensorView& data_hp, const DType& elem_dtype,
                                         Mode mode) {
  if (data_hp.type != TensorType::kBf16 && data_hp.type != TensorType::kFp32) {
    return Problem{"AssertionError: " + std::string(facts_of(data_hp.type).dtype) +
                   " is not supported yet"};
  }
  if (data_hp.shape.empty() || data_hp.shape.back() == 0) {
    return Problem{"IndexError: amax(): Expected reduction dim -1 to have non-zero size."};
  }
  const std::size_t size = data_hp.shape.back();
  const int shift = data_hp.type == TensorType::kBf16 ? 7 : 23;
  Tensor scale = Tensor::zeros("scale", TensorType::kUint8,
                               Shape(data_hp.shape.begin(), data_hp.shape.end() - 1));
  for (std::size_t block = 0; block < scale.bytes.size(); ++block) {
    int largest = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t word = word_at(data_hp, block * size + i);
      largest = std::max(largest, static_cast<int>(word >> shift & 0xFF));
    }
    scale.bytes[block] = std::byte{shared_exponent_of(largest, elem_dtype, mode)};
  }
  return scale;
}

Checked<Quantized> quantize_mx(const TensorView& data_hp, std::string_view elem_dtype_name,
                               std::int64_t block_size, const Variant& variant) {
  const DType* const elem_dtype = find_elem_dtype(elem_dtype_name);
  std::string problem = problem_of(data_hp, elem_dtype, elem_dtype_name, block_size);
  if (problem.empty() && variant.mode == Mode::kCompat) {
    problem = compat_problem_of(data_hp.shape, *elem_dtype);
  }
  if (!problem.empty()) return Problem{problem};
  const bool packs = *elem_dtype == kFloat4E2m1;
  const std::size_t last = data_hp.shape.size() - 1;
  Shape scale_shape = data_hp.shape;
  scale_shape[last] /= static_cast<std::size_t>(block_size);
  Quantized result = {
      .scale = Tensor::unset("scale", TensorType::kUint8, std::move(scale_shape)),
      .data = Tensor::unset("data", *elem_dtype == kInt8 ? TensorType::kInt8 : TensorType::kUint8,
                            packs ? tensor_size_hp_to_fp4x2(data_hp.shape, last) : data_hp.shape)};
  encode_blocks(data_hp, static_cast<std::size_t>(block_size), packs, *elem_dtype, variant, result);
  return result;
}

Checked<Tensor> quantize_mx_with_e8m0_shared_exponent(const TensorView& data_hp,
                                                      const DType& elem_dtype,
                                                      const TensorView& shared_exponent,
                                                      const Variant& variant) {
  const bool is_exact = variant.path == Path::kHwExact;
  if (data_hp.type != TensorType::kBf16 && (is_exact || data_hp.type != TensorType::kFp32)) {
    return Problem{"AssertionError: Only bfloat16 is supported"};
  }
  if (shared_exponent.type != TensorType::kUint8) {
    return Problem{"AssertionError: `shared_exponent` must be of dtype torch.uint8"};
  }
  if (is_exact && !is_float(elem_dtype)) {
    return Problem{"AssertionError: Unsupported dtype " + std::string(elem_dtype.name)};
  }
  const std::size_t blocks = shared_exponent.size();
  if (blocks == 0 || data_hp.size() % blocks != 0) {
    return Problem{"RuntimeError: the scales must divide the elements"};
  }
  const std::size_t size = data_hp.size() / blocks;
  Tensor codes = Tensor::zeros("data", elem_dtype == kInt8 ? TensorType::kInt8 : TensorType::kUint8,
                               data_hp.shape);
  for (std::size_t i = 0; i < codes.bytes.size(); ++i) {
    const auto scale = std::to_integer<std::uint8_t>(shared_exponent.bytes[i / size]);
    const std::uint64_t word = word_at(data_hp, i);
    const bool is_bf16 = data_hp.type == TensorType::kBf16;
    const Bits value = static_cast<Bits>(is_bf16 ? word << 16 : word);
    codes.bytes[i] =
        std::byte{is_exact ? hw_exact_code(static_cast<std::uint16_t>(word), scale, elem_dtype)
                           : simulated_code(value, scale, elem_dtype, variant.mode)};
  }
  return codes;
}

}  // namespace mx::emulators::torchmx
