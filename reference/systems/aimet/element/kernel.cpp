#include "reference/systems/aimet/element/kernel.hpp"

#include <algorithm>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"

namespace mx::systems::aimet {
namespace {

bool overflows_to_infinity(const FloatInfo& info) {
  return info == info_of(Dtype::kFloat16) || info == info_of(Dtype::kBfloat16) ||
         (info.exponent_bits == 8 && info.mantissa_bits == 23);
}

const ElementFormat& format_of(TensorType type) {
  if (type == TensorType::kBf16) return formats::bf16;
  return type == TensorType::kFp16 ? formats::fp16 : formats::fp32;
}

}  // namespace

std::string_view clamp_problem(const FloatInfo& info, TensorType working) {
  const ElementFormat& type = format_of(working);
  if (compare_magnitude(info.max(), decode(type, type.max_code)) <= 0) return {};
  return working == TensorType::kFp16
             ? "RuntimeError: value cannot be converted to type c10::Half without overflow"
             : "RuntimeError: value cannot be converted to type c10::BFloat16 without overflow";
}

Kernel::Kernel(const FloatInfo& info, Mode mode, TensorType working, bool is_scalar)
    : info_(info),
      mode_(mode),
      working_(working),
      format_(info.format()),
      max_(info.max_fp32()),
      bound_(max_),
      beyond_(max_) {
  emin_ = format_.emin();
  if (mode == Mode::kStrict) {
    if (overflows_to_infinity(info)) bound_ = beyond_ = fp32::kInfinity;
    if (info.mantissa_bits > 20) route_ = Route::kExact;
    return;
  }
  bound_ = rounded(working, max_);
  if (info.dtype()) {
    beyond_ = fp32::kInfinity;  // float16 on bf16 tensors, whose bound is 65536 (KA11)
    return;
  }
  fake_.emplace(info, working);
  emin_ = 1 - fake_->bias();
  if (!fake_->is_plain()) route_ = Route::kFakeCast;
  if (is_scalar) {
    route_ = Route::kScalar;
    scalar_.emplace(info);
  }
}

Bits Kernel::saturated(Bits sign, Bits magnitude) const {
  if (magnitude > max_) magnitude = beyond_;
  return magnitude == 0 && info_.unsigned_zero ? 0 : sign | magnitude;
}

Bits Kernel::quantize(Bits x, Bits scale) const {
  if (mode_ == Mode::kStrict) return quantize_strict(x, scale);
  const Bits d = quotient(x, scale);
  if (fp32::is_nan(d)) return kNan;
  const Bits clamped = std::min(magnitude_of(d), bound_);
  if (route_ == Route::kPattern) {
    return saturated(sign_of(d), round_pattern(clamped, emin_, info_.mantissa_bits));
  }
  return route_ == Route::kScalar ? (*scalar_)(sign_of(d) | clamped)
                                  : (*fake_)(sign_of(d) | clamped);
}

Bits Kernel::quantize_strict(Bits x, Bits scale) const {
  if (route_ == Route::kExact) return quantize_exact(x, scale);
  Bits d = x;
  if (scale != fp32::kOne && !divide_normal<LastPlace::kOdd>(x, scale, d)) {
    return quantize_exact(x, scale);
  }
  if (fp32::is_nan(d)) return kNan;
  const Bits clamped = std::min(magnitude_of(d), bound_);
  if (clamped == fp32::kInfinity) return sign_of(d) | beyond_;
  return saturated(sign_of(d), round_pattern(clamped, emin_, info_.mantissa_bits));
}

Bits Kernel::quantize_exact(Bits x, Bits scale) const {
  const Unpacked quotient = exact_divide(fp32::value(x), fp32::value(scale)).value;
  if (quotient.cls == ValueClass::kNan) return kNan;
  if (quotient.cls == ValueClass::kInf) return (quotient.negative ? fp32::kSignBit : 0) | beyond_;
  const Encoded code = encode(quotient, format_, ElementPolicy{}, 0);
  const Bits bits = fp32::round(decode(format_, code.code));
  // The encoder saturates; overflow to infinity begins half a quantum above the largest value.
  const bool over = (code.flags & kFlagOverflow) != 0;
  return over ? sign_of(bits) | beyond_ : bits;
}

Bits Kernel::dequantize(Bits q, Bits scale) const {
  if (mode_ == Mode::kCompat || working_ == TensorType::kFp32) {
    const Bits y = rounded(working_, multiply(q, scale));
    return fp32::is_nan(y) ? kNan : y;
  }
  Bits product = 0;
  if (multiply_normal<LastPlace::kOdd>(q, scale, product)) return rounded(working_, product);
  const Unpacked exact = exact_multiply(fp32::value(q), fp32::value(scale)).value;
  if (exact.cls == ValueClass::kNan) return kNan;
  constexpr ElementPolicy kIeee = {.overflow = Overflow::kNoneInfOrNan};
  const ElementFormat& type = format_of(working_);
  return fp32::round(decode(type, encode(exact, type, kIeee, 0).code));
}

}  // namespace mx::systems::aimet
