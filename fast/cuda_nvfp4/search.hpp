// nvfp4_ggml: ggml's own conversion of a scale to E4M3, and elements that are searched. spec F11.4.
//
// A search takes the first code of least error. Below 2^32 the errors tell all codes apart, so that
// thresholds half way between them say what it finds.
#pragma once

#include "fast/cuda_nvfp4/arithmetic.hpp"

namespace mx::fast::cuda_nvfp4 {

/// 2^32 as a binary32 pattern: from here on differences in binary32 may be equal.
inline constexpr std::uint32_t kLost = 0x4F800000;

/// The scale of a block whose largest magnitude is `amax`.
[[nodiscard]] MX_HOST_DEVICE inline BlockScale searched_scale(std::uint32_t amax) {
  if (amax >= kInfBits) return nan_scale(amax);
  std::uint32_t status = zero_status(amax);
  const float sixth = cuda::as_float(amax) / 6.0f;
  const float x = at_most(sixth, 448.0f);
  if (x != sixth) status |= cuda::kScaleClamped;
  const std::uint32_t bits = cuda::as_bits(x);
  const int field = static_cast<int>(bits >> 23) - 127 + 7;
  if (field <= 0) {
    const float half_up = x * 512.0f + 0.5f;
    const auto integer = static_cast<std::uint32_t>(half_up);
    return {integer < 7 ? integer : 7u, status};
  }
  // Three fraction bits and the next one, half up; from field 15 on everything is the largest code.
  const std::uint32_t code =
      (static_cast<std::uint32_t>(field) << 3) + (bits >> 20 & 7u) + (bits >> 19 & 1u);
  return {code >= 15u << 3 ? kLargestScale : code, status};
}

/// Elements of a block with scale 0 lie below 1/128, so below all thresholds of scale 1.
[[nodiscard]] MX_HOST_DEVICE inline Elements elements_searched(std::uint32_t scale) {
  Elements elements;
  if (scale != 0) set_product(scale_value(scale), kOneBits, elements);
  MX_UNROLL
  for (int i = 0; i < kSteps - 1; ++i) {
    // Half way the smaller magnitude comes first.
    elements.least[i] = first_at(elements.product * half_way(i), elements.exponent - 2, true);
  }
  return elements;
}

/// The first code whose value under scale 448, which blocks with such an element have, is nearest.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t nearest_of(float x) {
  float least = x;
  std::uint32_t best = 0;
  for (std::uint32_t code = 1; code < 8; ++code) {
    const float difference = x - static_cast<float>(halves_of(code)) * 224.0f;
    if (difference < least) {
      least = difference;
      best = code;
    }
  }
  return best;
}

/// A zero has no sign, and nothing is too large.
[[nodiscard]] MX_HOST_DEVICE inline cuda::Encoded encode_searched(const Elements& elements,
                                                                  std::uint32_t x, bool negative) {
  std::uint32_t code = 0;
  MX_UNROLL
  for (int i = 0; i < kSteps - 1; ++i) code += x >= elements.least[i] ? 1u : 0u;
  if (x >= kLost) code = nearest_of(cuda::as_float(x));
  if (code == 0) return {0, x != 0 ? cuda::kUnderflow : 0u};
  return {code | (negative ? 8u : 0u), 0};
}

}  // namespace mx::fast::cuda_nvfp4
