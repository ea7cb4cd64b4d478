// NVFP4 blocks: E2M1 elements under an E4M3 scale and a binary32 number of the tensor, by the
// scale chains of spec F11.4. The same source is compiled for the device and for the host.
//
// Chains of binary32 operations are those operations, in their order; the exact rule is integers of
// 64 bits. Either way an element's code is the count of thresholds that its magnitude reaches.
#pragma once

#include "fast/cuda_nvfp4/mode.hpp"

namespace mx::fast::cuda_nvfp4 {

/// Thresholds of an element: of codes 1 .. 7, and that from which a magnitude saturates.
inline constexpr int kSteps = 8;

/// significand * 2^(exponent - 29), leading one in bit 29, lowest bit sticky, as a magnitude of
/// E4M3: ties to even. It may lie above the largest.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t round_scale(cuda::Normalized x) {
  if (x.significand == 0) return 0;
  constexpr int kEmin = -6;
  const int grid = x.exponent < kEmin ? kEmin : x.exponent;
  const int wanted = cuda::kPoint - 3 + (grid - x.exponent);
  const int shift = wanted > 31 ? 31 : wanted;
  const std::uint32_t base = static_cast<std::uint32_t>(grid - kEmin) << 3;
  const std::uint32_t odd = (base + (x.significand >> shift)) & 1u;
  return base + ((x.significand + ((std::uint32_t{1} << (shift - 1)) - 1) + odd) >> shift);
}

/// amax / (6 * g), one rational, from the patterns of positive finite numbers.
[[nodiscard]] MX_HOST_DEVICE inline cuda::Normalized exact_ratio(std::uint32_t amax,
                                                                 std::uint32_t g) {
  const cuda::Normalized a = cuda::normalize<cuda::Fp32>(amax);
  const cuda::Normalized d = cuda::normalize<cuda::Fp32>(g);
  // Significands have 24 true bits above bit 5: a quotient of 2^31 to 2^34.
  const std::uint64_t numerator = std::uint64_t{a.significand} << 34;
  const std::uint64_t divisor = std::uint64_t{d.significand} * 6;
  const std::uint64_t quotient = numerator / divisor;
  const std::uint64_t sticky = numerator % divisor != 0 ? 1 : 0;
  const int spare = (32 - cuda::leading_zeros(static_cast<std::uint32_t>(quotient >> 29))) - 1;
  const std::uint64_t lost = quotient & ((std::uint64_t{1} << spare) - 1);
  return {static_cast<std::uint32_t>(quotient >> spare | (lost != 0 ? 1 : 0) | sticky),
          a.exponent - d.exponent - 34 + 29 + spare};
}

/// `amax`: the largest magnitude of the block as a binary32 pattern; infinities and NaN lie above.
[[nodiscard]] MX_HOST_DEVICE inline BlockScale scale_of(const Mode& mode, const Level& level,
                                                        std::uint32_t tensor, std::uint32_t amax) {
  if (amax >= kInfBits) return nan_scale(amax);
  const std::uint32_t status = zero_status(amax);
  if (mode.chain == Chain::kExact) {
    if (amax == 0) return {0, status};
    const std::uint32_t code = round_scale(exact_ratio(amax, tensor));
    if (code > kLargestScale) return {kLargestScale, status | cuda::kScaleClamped};
    return {code, status};
  }
  const float maximum = cuda::as_float(amax);
  float value = 0;
  if (mode.chain == Chain::kTe) value = maximum * level.to_scale;
  if (mode.chain == Chain::kCublas) value = maximum / 6.0f;
  std::uint32_t moved = status;
  if (mode.chain == Chain::kTorchao) {
    const float quotient = (maximum / 6.0f) / level.to_scale;
    value = quotient < 0x1p-6f ? 0x1p-6f : at_most(quotient, 448.0f);
    if (quotient != value) moved |= cuda::kScaleClamped;
    if (quotient != quotient) return {kNanScale, status};
  }
  const std::uint32_t bits = cuda::as_bits(value);
  if (bits >= kInfBits) return {kLargestScale, moved | cuda::kScaleClamped};
  const std::uint32_t code = round_scale(cuda::normalize<cuda::Fp32>(bits));
  if (code > kLargestScale) return {kLargestScale, moved | cuda::kScaleClamped};
  return {code, moved};
}

/// The least binary32 pattern at number * 2^exponent or above, or beyond it where `strict`.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t first_at(std::uint64_t number, int exponent,
                                                           bool strict) {
  // 1. The number's leading one, and the grid of binary32 there.
  const auto high = static_cast<std::uint32_t>(number >> 32);
  const int top = high != 0 ? 63 - cuda::leading_zeros(high)
                            : 31 - cuda::leading_zeros(static_cast<std::uint32_t>(number) | 1u);
  if (top + exponent > 127) return kInfBits;
  const int grid = top + exponent - 23 < -149 ? -149 : top + exponent - 23;
  // 2. The number in steps of the grid, and whether something is left.
  const int shift = grid - exponent;
  std::uint64_t steps = 0;
  bool is_between = false;
  if (shift <= 0) {
    steps = number << -shift;
  } else if (shift < 64) {
    steps = number >> shift;
    is_between = steps << shift != number;
  } else {
    is_between = number != 0;
  }
  const std::uint32_t pattern =
      (static_cast<std::uint32_t>(grid + 149) << 23) + static_cast<std::uint32_t>(steps);
  return pattern + (is_between || strict ? 1 : 0);
}

/// How the elements of a block become codes.
struct Elements {
  float factor = 1;
  /// Binary32 patterns from which on a magnitude has codes 1, 2, ..., or saturates; of codings by
  /// carries those of the codes' own values.
  std::uint32_t least[kSteps] = {0x3E800001, 0x3F400000, 0x3FA00001, 0x3FE00000,
                                 0x40200001, 0x40600000, 0x40A00001, 0x40E00000};
  bool zeros = false;  ///< every element gets a zero code of its sign
  /// By carries: what a scaled element of 1 is before it is scaled, product * 2^exponent.
  std::uint64_t product = 1;
  int exponent = 0;
};

/// In quarters: the value of the code above step `i`, and half way to it.
[[nodiscard]] MX_HOST_DEVICE constexpr std::uint32_t value_above(int i) {
  return 2 * halves_of(static_cast<std::uint32_t>(i) + 1);
}
[[nodiscard]] MX_HOST_DEVICE constexpr std::uint32_t half_way(int i) {
  const auto code = static_cast<std::uint32_t>(i);
  return halves_of(code) + halves_of(code + 1);
}

/// scale * number as product and exponent; the scale is not zero.
MX_HOST_DEVICE inline void set_product(float scale, std::uint32_t number, Elements& elements) {
  const cuda::Normalized s = cuda::normalize<cuda::Fp32>(cuda::as_bits(scale));
  const cuda::Normalized g = cuda::normalize<cuda::Fp32>(number);
  // Significands without the zeros below their 4 and 24 true bits.
  elements.product = std::uint64_t{s.significand >> 26} * std::uint64_t{g.significand >> 6};
  elements.exponent = s.exponent - 3 + g.exponent - 23;
}

/// `scale` is no NaN.
template <bool kCarries>
[[nodiscard]] MX_HOST_DEVICE inline Elements elements_under(const Mode& mode, const Level& level,
                                                            std::uint32_t tensor,
                                                            std::uint32_t scale) {
  Elements elements;
  if constexpr (kCarries) {
    MX_UNROLL
    for (int i = 0; i < kSteps; ++i) {
      elements.least[i] = cuda::as_bits(static_cast<float>(value_above(i)) * 0.25f);
    }
  }
  const float value = scale_value(scale);
  if (mode.chain == Chain::kTe || mode.chain == Chain::kFourOverSix) {
    elements.factor = at_most(1.0f / (value * level.decode), kLargest);
  } else if (mode.chain == Chain::kTorchao) {
    elements.factor = level.decode / value;
  } else if (scale == 0) {
    elements.zeros = true;
  } else if (mode.chain == Chain::kCublas) {
    elements.factor = 1.0f / value;
  } else {
    set_product(value, tensor, elements);
    MX_UNROLL
    for (int i = 0; i < kSteps; ++i) {
      // Ties go to even codes.
      elements.least[i] = first_at(elements.product * (kCarries ? value_above(i) : half_way(i)),
                                   elements.exponent - 2, !kCarries && i % 2 == 0);
    }
  }
  return elements;
}

/// Elements brought to their scale, as a binary32 pattern; thresholds of the exact rule are those
/// of elements as they are.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t scaled(const Mode& mode, const Elements& elements,
                                                         std::uint32_t x) {
  if (mode.chain == Chain::kExact) return x;
  return cuda::as_bits(cuda::as_float(x) * elements.factor);
}

/// The code of an element of binary32 magnitude `x` by thresholds, and the status bits that it
/// causes.
[[nodiscard]] MX_HOST_DEVICE inline cuda::Encoded encode(const Mode& mode, const Elements& elements,
                                                         std::uint32_t x, bool negative) {
  const std::uint32_t sign = negative ? 8u : 0u;
  if (elements.zeros) return {sign, 0};
  const std::uint32_t y = scaled(mode, elements, x);
  if (y > kInfBits) return {mode.nan_code, 0};
  std::uint32_t code = 0;
  MX_UNROLL
  for (int i = 0; i < kSteps - 1; ++i) code += y >= elements.least[i] ? 1u : 0u;
  // A product that is infinite saturates without a report, as infinities do.
  const bool saturates = y >= elements.least[kSteps - 1] && y != kInfBits;
  const std::uint32_t report = saturates             ? cuda::kSaturated
                               : code == 0 && y != 0 ? cuda::kUnderflow
                                                     : 0u;
  return {code | sign, report};
}

/// Word of a source as a binary32 magnitude; infinities and NaN keep their order.
template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t magnitude_of(std::uint32_t word) {
  if constexpr (Source::kBias == 127) return cuda::wide_magnitude<Source>(word);
  const std::uint32_t magnitude = word & Source::kMagnitudeMask;
  if (magnitude >= Source::kInf) return magnitude > Source::kInf ? kInfBits + 1 : kInfBits;
  return cuda::wide_magnitude<Source>(word);
}

/// code * scale * tensor scale, rounded once, ties to even; a NaN scale's words are NaN.
template <class Words>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t decode_word(std::uint32_t code,
                                                              std::uint32_t scale,
                                                              std::uint32_t tensor) {
  constexpr std::uint32_t kQuiet = Words::kInf | Words::kHiddenBit >> 1;
  if (scale >= kNanScale) return kQuiet;
  const std::uint32_t sign = (code & 8u) != 0 ? Words::kMagnitudeMask + 1 : 0u;
  const std::uint32_t halves = halves_of(code & 7u);
  if (halves == 0 || scale == 0) return sign;
  const cuda::Normalized s = cuda::normalize<cuda::Fp32>(cuda::as_bits(scale_value(scale)));
  const cuda::Normalized g = cuda::normalize<cuda::Fp32>(tensor);
  const std::uint64_t number = std::uint64_t{halves} * (s.significand >> 26) * (g.significand >> 6);
  if (number == 0) return sign;
  const int exponent = s.exponent - 3 + g.exponent - 23 - 1;
  const auto high = static_cast<std::uint32_t>(number >> 32);
  const int top = high != 0 ? 63 - cuda::leading_zeros(high)
                            : 31 - cuda::leading_zeros(static_cast<std::uint32_t>(number));
  constexpr int kEmin = 1 - Words::kBias;
  const int binade = top + exponent < kEmin ? kEmin : top + exponent;
  const int shift = binade - Words::kManBits - exponent;
  const std::uint64_t base = static_cast<std::uint64_t>(binade - kEmin) << Words::kManBits;
  std::uint64_t magnitude = base;
  if (shift <= 0) {
    magnitude += number << -shift;
  } else if (shift < 63) {
    const std::uint64_t odd = (base + (number >> shift)) & 1;
    magnitude += (number + ((std::uint64_t{1} << (shift - 1)) - 1) + odd) >> shift;
  }
  if (magnitude > Words::kInf) magnitude = Words::kInf;
  return sign | static_cast<std::uint32_t>(magnitude);
}

}  // namespace mx::fast::cuda_nvfp4
