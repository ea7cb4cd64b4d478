#include "emulators/aimet/quantizer.hpp"

#include <algorithm>

#include "emulators/aimet/element/scale.hpp"
#include "emulators/aimet/operations.hpp"
#include "emulators/aimet/simd/products.hpp"

namespace mx::emulators::aimet {
namespace {

/// What an int64 takes of a NaN or of a value of 2^63 and more (x86): -2^63, whose logarithm is
/// NaN.
constexpr Bits kOutOfRange = 0xDF000000;

/// A positive binary32 truncated to an int64.
Bits truncated(Bits x) {
  const int exponent = exponent_field(x) - 127;
  if (exponent < 0) return 0;
  if (exponent >= 63) return kOutOfRange;
  if (exponent >= 23) return x;
  return x & ~((Bits{1} << (23 - exponent)) - 1);
}

}  // namespace

std::string_view FloatEncoding::granularity() const {
  if (scale.shape.empty()) return "pertensor";
  if (!block_size.empty()) return "blockwise";
  const auto wide = std::count_if(scale.shape.begin(), scale.shape.end(),
                                  [](std::size_t size) { return size > 1; });
  return wide <= 1 ? "perchannel" : "unknown";
}

Tensor FloatEncoding::maxval() const {
  std::vector<Bits> values = to_fp32(scale);
  multiply_all(values, info.max_fp32());
  if (scale.type != TensorType::kFp32) {
    for (Bits& value : values) value = rounded(scale.type, value);
  }
  return from_fp32("maxval", scale.type, scale.shape, values);
}

Checked<Tensor> FloatEncoding::quantize(const TensorView& tensor, Mode mode) const {
  return compute(Operation::kQuantize, info, mode, tensor, scale, block_size);
}

Checked<Tensor> FloatEncoding::dequantize(const TensorView& tensor, Mode mode) const {
  return compute(Operation::kDequantize, info, mode, tensor, scale, block_size);
}

Checked<Tensor> FloatEncoding::quantize_dequantize(const TensorView& tensor, Mode mode, int threads,
                                                   Platform platform) const {
  return compute(Operation::kQuantizeDequantize, info, mode, tensor, scale, block_size, threads,
                 platform);
}

FloatQuantizeDequantize::FloatQuantizeDequantize(const QuantizerConfig& config, Mode mode)
    : config_(config), mode_(mode), maxval_(elements_of(config.shape), config.info.max_fp32()) {}

FloatQuantizeDequantize FloatQuantizeDequantize::from_encodings(const FloatEncoding& encoding,
                                                                Mode mode) {
  FloatQuantizeDequantize quantizer(
      {encoding.info, encoding.scale.shape, encoding.block_size, {}, ScaleKind::kQuotient}, mode);
  const std::vector<Bits> scales = to_fp32(encoding.scale);
  if (scales.size() == 1 && scales[0] == fp32::kOne) return quantizer;
  quantizer.maxval_ = to_fp32(encoding.maxval());
  if (mode == Mode::kStrict) quantizer.scales_ = scales;
  return quantizer;
}

bool FloatQuantizeDequantize::is_calibrated() const {
  if (config_.analyzer) return *config_.analyzer == Analyzer::kMinMax;
  return bitwidth() < 16;
}

void FloatQuantizeDequantize::set_maxval(std::vector<Bits> maxval) {
  if (mode_ == Mode::kCompat && config_.info.mantissa_bits == 0) {
    for (Bits& value : maxval) value = truncated(value);
  }
  maxval_ = std::move(maxval);
  scales_.clear();
}

Tensor FloatQuantizeDequantize::get_scale() const {
  std::vector<Bits> scales = scales_;
  if (scales.empty()) {
    const bool is_integer = mode_ == Mode::kCompat && config_.info.mantissa_bits == 0;
    for (const Bits maxval : maxval_) {
      if (is_integer && maxval == kOutOfRange) {
        scales.push_back(kNan);
        continue;
      }
      scales.push_back(config_.kind == ScaleKind::kMxfp4 ? mxfp4_scale(maxval, mode_)
                                                         : scale_of(maxval, config_.info, mode_));
    }
  }
  return from_fp32("scale", TensorType::kFp32, config_.shape, scales);
}

FloatEncoding FloatQuantizeDequantize::get_encodings() const {
  return {config_.info, get_scale(), config_.block_size};
}

Checked<Tensor> FloatQuantizeDequantize::forward(const TensorView& tensor) const {
  if (!is_float(tensor.type)) {
    return Tensor{"values", tensor.type, tensor.shape,
                  TensorBytes(tensor.bytes.begin(), tensor.bytes.end())};
  }
  return get_encodings().quantize_dequantize(tensor, mode_);
}

Checked<Tensor> FloatQuantizeDequantize::observe_and_forward(const TensorView& tensor) {
  if (!is_calibrated() || tensor.size() == 0) return forward(tensor);
  if (!is_float(tensor.type)) {
    return Problem{"TypeError: torch.finfo() requires a floating point input type"};
  }
  if (const std::string_view why = type_problem(tensor.type); !why.empty()) {
    return Problem{std::string(why)};
  }
  Checked<Range> range = observe(tensor, config_.shape, config_.block_size, mode_);
  if (!range) return Problem{std::string(range.problem())};
  FloatQuantizeDequantize dynamic = *this;
  dynamic.set_maxval(maxval_of(*range, bitwidth(), mode_));
  seen_ = seen_ ? merge(*seen_, *range) : *range;
  return dynamic.forward(tensor);
}

void FloatQuantizeDequantize::end_encodings() {
  if (seen_) set_maxval(maxval_of(*seen_, bitwidth(), mode_));
  seen_.reset();
}

}  // namespace mx::emulators::aimet
