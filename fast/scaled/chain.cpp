#include "fast/scaled/chain.hpp"

#include <algorithm>

namespace mx::fast::scaled {
namespace {

constexpr std::uint32_t kSix32 = 0x40C00000;
constexpr std::uint32_t kThreeHalves32 = 0x3FC00000;
constexpr std::uint32_t k2688 = 0x45280000;  // 6 * 448
constexpr std::uint32_t k1536 = 0x44C00000;  // 6 * 256

Bound middle_of(Real below, Real above, bool is_open) {
  const std::uint64_t raised = above.significand << (above.exponent - below.exponent);
  return {.least = {below.significand + raised, below.exponent - 1}, .is_open = is_open};
}

/// fl32(top / amax), finite; 1 for a tensor of zeros.
std::uint32_t encode_scale(std::uint32_t top, std::uint32_t amax) {
  return amax == 0 ? kOne32 : std::min(divide32(top, amax), kMax32);
}

/// 2688 / amax, its reciprocal and the product rounded to a type; 1 where that has no number.
std::uint32_t global_scale(Layout type, std::uint32_t amax) {
  const std::uint32_t reciprocal = round_through(type, divide32(kOne32, amax));
  const std::uint32_t scale = round_through(type, multiply32(reciprocal, k2688));
  return amax == 0 || scale == kInf32 ? kOne32 : scale;
}

/// The least binary32 word for which the operation of reaching() does so.
std::uint32_t word_reaching(std::uint32_t result, std::uint32_t n, std::uint32_t d) {
  return least_word(kBinary32, reaching(result, n, d));
}

Chain::Scaling multiplied(std::uint32_t factor) { return {.divisor = {}, .factor = factor}; }

Chain::Scaling divided(std::uint32_t divisor) {
  return {.divisor = {}, .factor = kOne32, .over = divisor};
}

bool is_number(std::uint32_t magnitude) { return magnitude != 0 && magnitude < kInf32; }

}  // namespace

std::uint32_t largest_encoded(FourOverSix kind) {
  const bool is_256 = kind == FourOverSix::kMae256 || kind == FourOverSix::kMse256;
  return is_256 ? k1536 : k2688;
}

Real code_value(const ElementFormat& f, std::uint32_t code) {
  const std::uint32_t field = code >> f.man_bits;
  const std::uint64_t fraction = code & static_cast<std::uint32_t>(f.man_mask());
  const int unit = f.emin() - f.man_bits;
  if (field == 0) return {fraction, unit};
  return {fraction | std::uint64_t{1} << f.man_bits, unit + static_cast<int>(field) - 1};
}

Bound code_bound(const ElementFormat& f, std::uint32_t code, Rounding rounding, bool negative) {
  const Real below = code_value(f, code - 1);
  const Real value = code_value(f, code);
  const bool is_even = (code & 1) == 0;
  const Bound from_value = {.least = value};
  const Bound above_lower = {.least = below, .is_open = true};
  switch (rounding) {
    case Rounding::kTiesToEven:
      return middle_of(below, value, !is_even);
    case Rounding::kTiesToAway:
      return middle_of(below, value, false);
    case Rounding::kTiesToZero:
      return middle_of(below, value, true);
    case Rounding::kTiesTowardPositive:
      return middle_of(below, value, negative);
    case Rounding::kTowardNegative:
      return negative ? above_lower : from_value;
    case Rounding::kTowardPositive:
      return negative ? from_value : above_lower;
    case Rounding::kAwayFromZero:
      return above_lower;
    case Rounding::kToOdd:
      return is_even ? from_value : above_lower;
    default:
      return from_value;
  }
}

Chain::Chain(const ScaledBlockJob& job, Candidate candidate)
    : rule_(job.blocks.block.rule),
      candidate_(candidate),
      scale_(job.blocks.format.scale),
      type_{job.blocks.source.man_bits, job.blocks.source.bias},
      largest_(code_value(job.blocks.format.element,
                          static_cast<std::uint32_t>(job.blocks.format.element.max_code))),
      tensor_scale_(job.tensor.scale) {
  if (rule_ == ScaleRule::kNvfp44over6) {
    encode_ = encode_scale(largest_encoded(job.blocks.block.four_over_six), job.tensor.amax);
  }
  if (rule_ == ScaleRule::kNvfp4Ct) encode_ = global_scale(type_, job.tensor.amax);
  if (rule_ != ScaleRule::kNvfp4Te) return;
  encode_ = encode_scale(k2688, job.tensor.amax);
  by_sixth_ = multiply32(encode_, divide32(kOne32, kSix32));
}

bool Chain::is_usable() const {
  if (rule_ == ScaleRule::kNvfp4Modelopt) return is_number(multiply32(kSix32, tensor_scale_));
  if (rule_ == ScaleRule::kNvfp4Ct) return is_number(encode_);
  const bool divides = rule_ == ScaleRule::kNvfp4Exact || rule_ == ScaleRule::kNvfp4Torchao;
  return !divides || is_number(tensor_scale_);
}

bool Chain::Scaling::is_usable() const {
  return to_zero || is_exact || (is_number(factor) && is_number(over));
}

Bound Chain::maxima(const Bound& scale) const {
  if (rule_ == ScaleRule::kNvfp4Exact) {
    const Real divisor = times(largest_, value32(tensor_scale_));
    return {.least = times(scale.least, divisor), .is_open = scale.is_open};
  }
  std::uint32_t reached = least_word(kBinary32, scale);
  if (rule_ == ScaleRule::kNvfp4Te) return reaching(reached, by_sixth_, kOne32);
  if (rule_ == ScaleRule::kNvfp4Modelopt) {
    return reaching(reached, kOne32, multiply32(kSix32, tensor_scale_));
  }
  if (rule_ == ScaleRule::kNvfp4Ct) {
    const Real sixth = value32(word_reaching(reached, encode_, kOne32));
    return reaching(type_, least_word(type_, {.least = sixth}), kOne32, kSix32);
  }
  if (candidate_ == Candidate::kFour) reached = word_reaching(reached, kThreeHalves32, kOne32);
  if (rule_ == ScaleRule::kNvfp44over6) reached = word_reaching(reached, encode_, kOne32);
  if (rule_ == ScaleRule::kNvfp4Torchao) {
    reached = word_reaching(reached, kOne32, tensor_scale_);
  }
  return reaching(reached, kOne32, kSix32);
}

Bound Chain::maxima_of_code(std::uint32_t code) const {
  if (rule_ == ScaleRule::kNvfp4Ggml) return maxima(ggml_scale(code));
  // Whatever is not zero is raised to the first code.
  if (rule_ == ScaleRule::kNvfp4Modelopt && code == 1) return maxima({.least = value32(1)});
  return maxima(code_bound(scale_, code, Rounding::kTiesToEven, false));
}

/// ggml's own conversion to E4M3. Below 2^-6 it is int(fl32(512 x + 0.5)), at most 7, where 512 x
/// is exact; above half up, and from 248 on the largest code.
Bound Chain::ggml_scale(std::uint32_t code) const {
  if (code == 8) return {.least = {1, -6}};
  if (code > 8) return code_bound(scale_, std::min(code, 120U), Rounding::kTiesToAway, false);
  Bound sum = reaching(word32({code, 0}), kOne32, kOne32);
  sum.least.significand -= std::uint64_t{1} << (-1 - sum.least.exponent);
  sum.least.exponent -= 9;
  return sum;
}

Chain::Scaling Chain::scaling(std::uint32_t scale_code) const {
  const Real scale = code_value(scale_, scale_code);
  const bool is_zero = scale.significand == 0;
  const std::uint32_t scale32 = is_zero ? 0 : word32(scale);
  switch (rule_) {
    case ScaleRule::kNvfp4Te:
    case ScaleRule::kNvfp44over6: {
      const std::uint32_t decode = divide32(kOne32, encode_);
      return multiplied(std::min(divide32(kOne32, multiply32(scale32, decode)), kMax32));
    }
    case ScaleRule::kNvfp4Torchao:
      return multiplied(divide32(divide32(kOne32, tensor_scale_), scale32));
    case ScaleRule::kNvfp4Cublas:
      return {.to_zero = is_zero, .divisor = {}, .factor = divide32(kOne32, scale32)};
    case ScaleRule::kNvfp4Modelopt:
      return divided(multiply32(scale32, tensor_scale_));
    case ScaleRule::kNvfp4Ct:
      return divided(divide32(scale32, encode_));
    case ScaleRule::kNvfp4Ggml:
      return {.to_zero = is_zero, .is_exact = true, .divisor = scale};
    default:
      return {
          .to_zero = is_zero, .is_exact = true, .divisor = times(scale, value32(tensor_scale_))};
  }
}

Bound Chain::elements(const Scaling& s, const Bound& scaled) {
  if (s.is_exact) return {.least = times(scaled.least, s.divisor), .is_open = scaled.is_open};
  return reaching(least_word(kBinary32, scaled), s.factor, s.over);
}

}  // namespace mx::fast::scaled
