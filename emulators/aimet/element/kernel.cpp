#include "emulators/aimet/element/kernel.hpp"

#include <algorithm>
#include <cstring>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"

namespace mx::emulators::aimet {
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

Bits Kernel::quantize(Bits x, Bits scale) const {
  if (mode_ == Mode::kStrict) return quantize_strict(x, scale);
  const Bits d = quotient(x, scale);
  if (fp32::is_nan(d)) return kNan;
  if (is_unbounded()) return quantize_unbounded(d);
  return quantize_compat(sign_of(d), std::min(magnitude_of(d), bound_));
}

Bits Kernel::quantize_compat(Bits sign, Bits clamped) const {
  if (route_ == Route::kPattern) {
    return saturated(sign, round_pattern(clamped, emin_, info_.mantissa_bits));
  }
  return route_ == Route::kScalar ? (*scalar_)(sign | clamped) : (*fake_)(sign | clamped);
}

/// The formula gives an infinity back where the type has some; the cast comes back to the working
/// type, whose range is smaller.
Bits Kernel::quantize_unbounded(Bits d) const {
  if (magnitude_of(d) != fp32::kInfinity) {
    return rounded(working_, quantize_compat(sign_of(d), magnitude_of(d)));
  }
  return info_.finite && !info_.dtype() ? kNan : d;
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
  constexpr ElementPolicy kOverflowing = {.overflow = Overflow::kNoneInfOrNan};
  const ElementFormat& type = format_of(working_);
  return fp32::round(decode(type, encode(exact, type, kOverflowing, 0).code));
}

namespace {

/// So many elements are rounded before those that are not normal are looked for.
constexpr std::size_t kStretch = 128;

/// What rounding in the normal range needs.
struct UnitConstants {
  std::uint32_t bound, max, beyond;
  std::uint32_t below_half, mask;
  int cut;
  std::uint32_t least;  ///< the smallest magnitude that is normal in the type
  [[nodiscard]] std::uint32_t widest() const { return fp32::kInfinity - least; }
};

/// A clamp to a value of the type leaves nothing that could be rounded beyond it.
enum class Ends : std::uint8_t { kClamp, kOverflow };

/// Rounds `count` elements as if all were normal or infinite; were they?
template <Ends kEnds>
bool round_normals(const UnitConstants c, const std::byte* values, std::byte* results,
                   std::size_t count) {
  std::uint32_t farthest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t x = 0;
    std::memcpy(&x, values + 4 * i, 4);
    const std::uint32_t u = x & 0x7FFFFFFF;
    farthest = std::max(farthest, u - c.least);
    const std::uint32_t clamped = kEnds == Ends::kClamp ? std::min(u, c.bound) : u;
    std::uint32_t r = (clamped + c.below_half + (clamped >> c.cut & 1)) & c.mask;
    if (kEnds == Ends::kOverflow) r = r > c.max ? c.beyond : r;
    r |= x & fp32::kSignBit;
    std::memcpy(results + 4 * i, &r, 4);
  }
  return farthest <= c.widest();
}

/// Rounds those elements, one by one, for which `wanted` holds.
template <typename Wanted>
void round_if(const std::byte* values, std::byte* results, std::size_t count,
              const ScaledKernel& single, Wanted wanted) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t x = 0;
    std::memcpy(&x, values + 4 * i, 4);
    if (!wanted(x)) continue;
    x = single(x);
    std::memcpy(results + 4 * i, &x, 4);
  }
}

}  // namespace

void UnitKernel::operator()(const std::byte* values, std::byte* results, std::size_t count) const {
  const int cut = 23 - kernel_.info_.mantissa_bits;
  // From emin -126 on the pattern of subnormals is rounded alike; a zero stays one.
  const bool has_tail = kernel_.emin_ > -126;
  const UnitConstants constants = {
      .bound = kernel_.bound_,
      .max = kernel_.max_,
      .beyond = kernel_.beyond_,
      .below_half = (std::uint32_t{1} << (cut - 1)) - 1,
      .mask = ~((std::uint32_t{1} << cut) - 1),
      .cut = cut,
      .least = has_tail ? static_cast<std::uint32_t>(kernel_.emin_ + 127) << 23 : 0};
  const ScaledKernel single(kernel_, fp32::kOne);
  if (kernel_.emin_ < -126)
    return round_if(values, results, count, single, [](Bits) { return true; });
  const auto is_special = [&](Bits x) {
    const Bits u = magnitude_of(x);
    return u != 0 && u - constants.least > constants.widest();
  };
  const bool is_clamped = kernel_.bound_ != fp32::kInfinity;
  on_vectors(target_, [&] {
    for (std::size_t first = 0; first < count; first += kStretch) {
      const std::size_t some = std::min(kStretch, count - first);
      const std::byte* const in = values + 4 * first;
      std::byte* const out = results + 4 * first;
      const bool is_done = is_clamped ? round_normals<Ends::kClamp>(constants, in, out, some)
                                      : round_normals<Ends::kOverflow>(constants, in, out, some);
      if (!is_done) round_if(in, out, some, single, is_special);
    }
  });
}

}  // namespace mx::emulators::aimet
