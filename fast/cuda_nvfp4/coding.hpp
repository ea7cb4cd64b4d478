// The codings of blocks behind one face: what a kernel of any of them calls.
#pragma once

#include "fast/cuda_nvfp4/candidates.hpp"
#include "fast/cuda_nvfp4/carry.hpp"
#include "fast/cuda_nvfp4/search.hpp"

namespace mx::fast::cuda_nvfp4 {

/// What all blocks of a call share.
struct Tensor {
  std::uint32_t number;
  Level level;
};
/// `on_device` is null where the plan's number holds.
[[nodiscard]] MX_HOST_DEVICE inline Tensor tensor_of(const Mode& mode,
                                                     const std::uint32_t* on_device) {
  const std::uint32_t number = on_device != nullptr ? *on_device : mode.tensor;
  return {number, level_of(mode, number)};
}

/// The scale of a block of `count` elements with such a maximum; magnitude_at(i) is read by codings
/// that look at elements once more.
template <Coding kCoding, class MagnitudeAt>
[[nodiscard]] MX_HOST_DEVICE inline BlockScale block_scale(const Mode& mode, const Tensor& tensor,
                                                           std::uint32_t amax, int count,
                                                           const MagnitudeAt& magnitude_at) {
  if constexpr (kCoding == Coding::kSearch) return searched_scale(amax);
  if constexpr (kCoding == Coding::kCandidates) {
    return chosen_scale(mode, tensor.level, tensor.number, amax, count, magnitude_at);
  }
  return scale_of(mode, tensor.level, tensor.number, amax);
}

/// `scale` is no NaN.
template <Coding kCoding>
[[nodiscard]] MX_HOST_DEVICE inline Elements block_elements(const Mode& mode, const Tensor& tensor,
                                                            std::uint32_t scale) {
  if constexpr (kCoding == Coding::kSearch) return elements_searched(scale);
  return elements_under<kCoding == Coding::kCarries>(mode, tensor.level, tensor.number, scale);
}

template <Coding kCoding>
[[nodiscard]] MX_HOST_DEVICE inline cuda::Encoded encode_by(const Mode& mode,
                                                            const Elements& elements,
                                                            std::uint32_t x, bool negative,
                                                            std::uint32_t random) {
  if constexpr (kCoding == Coding::kSearch) return encode_searched(elements, x, negative);
  if constexpr (kCoding == Coding::kCarries) {
    return encode_carried(mode, elements, x, negative, random);
  }
  return encode(mode, elements, x, negative);
}

}  // namespace mx::fast::cuda_nvfp4
