// The two scales of nvfp4_4over6 and the errors that they leave: spec F11.4.
#pragma once

#include "fast/cuda_nvfp4/arithmetic.hpp"
#include "fast/cuda_nvfp4/rounding.hpp"

namespace mx::fast::cuda_nvfp4 {

/// The sum of a block's errors under a scale, in the order of its elements, each step a binary32
/// operation. `magnitude_at(i)` is a finite binary32 pattern; signs change no error.
template <class MagnitudeAt>
[[nodiscard]] MX_HOST_DEVICE inline float error_under(const Mode& mode, const Level& level,
                                                      std::uint32_t tensor, std::uint32_t scale,
                                                      int count, const MagnitudeAt& magnitude_at) {
  const Elements elements = elements_under<false>(mode, level, tensor, scale);
  const float value = scale_value(scale);
  const float amax = cuda::as_float(tensor);
  float sum = 0;
  MX_UNROLL
  for (int i = 0; i < count; ++i) {
    const std::uint32_t x = magnitude_at(i);
    const float element = rounded_element(cuda::as_float(x) * elements.factor).value();
    const float difference = element * value * amax / mode.top - cuda::as_float(x);
    const float error = difference < 0 ? -difference : difference;
    sum += mode.squares ? difference * difference : error;
  }
  return sum;
}

/// fl32(min(x, 448)) as a scale.
[[nodiscard]] MX_HOST_DEVICE inline BlockScale candidate(float x) {
  const std::uint32_t code =
      round_scale(cuda::normalize<cuda::Fp32>(cuda::as_bits(at_most(x, 448.0f))));
  return {code, x > 448.0f ? cuda::kScaleClamped : 0u};
}

/// The scale of a block of `count` elements, the largest of which is `amax`: that of amax / 6, or
/// of amax / 4 where it leaves the smaller error.
template <class MagnitudeAt>
[[nodiscard]] MX_HOST_DEVICE inline BlockScale chosen_scale(const Mode& mode, const Level& level,
                                                            std::uint32_t tensor,
                                                            std::uint32_t amax, int count,
                                                            const MagnitudeAt& magnitude_at) {
  if (amax >= kInfBits) return nan_scale(amax);
  const float base = cuda::as_float(amax) / 6.0f * level.to_scale;
  const BlockScale of_six = candidate(base);
  const BlockScale of_four = candidate(base * 1.5f);
  const float error_six = error_under(mode, level, tensor, of_six.code, count, magnitude_at);
  const float error_four = error_under(mode, level, tensor, of_four.code, count, magnitude_at);
  BlockScale chosen = error_four < error_six ? of_four : of_six;
  chosen.status |= zero_status(amax);
  return chosen;
}

}  // namespace mx::fast::cuda_nvfp4
