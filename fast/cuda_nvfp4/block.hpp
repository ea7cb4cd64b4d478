// One NVFP4 block of any size and layout, by one lane: what the general kernel and the host run.
// And a unit of a block along a row.
#pragma once

#include "fast/cuda/run.hpp"
#include "fast/cuda_dequantize/units.hpp"
#include "fast/cuda_nvfp4/short.hpp"

namespace mx::fast::cuda_nvfp4 {

using cuda::Run;

/// R of an element; 0 where the rounding draws nothing.
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t drawn(const Mode& mode, const Run& run,
                                                        std::size_t index) {
  return mode.drawing == cuda::Drawing::kNone ? 0u : run.random.of(index, mode.random_bits);
}

template <class Source, Coding kCoding>
MX_HOST_DEVICE inline void quantize_block(const Mode& mode, const Tensor& tensor, const Run& run,
                                          std::size_t block) {
  const cuda::Place place = cuda::place_of(run, mode.block_size, block);
  const auto index_of = [&](int i) {
    return place.first + static_cast<std::size_t>(i) * run.inner;
  };
  const auto magnitude_at = [&](int i) {
    return magnitude_of<Source>(cuda::load<Source>(run.source, index_of(i)));
  };
  std::uint32_t amax = 0;
  std::uint32_t report = 0;
  for (int i = 0; i < place.count; ++i) {
    const std::uint32_t magnitude = magnitude_at(i);
    amax = magnitude > amax ? magnitude : amax;
    if (magnitude == kInfBits) report |= cuda::kHasInf;
  }
  const BlockScale scale = block_scale<kCoding>(mode, tensor, amax, place.count, magnitude_at);
  const bool fills = scale.code == kNanScale;
  Elements elements;
  if (!fills) elements = block_elements<kCoding>(mode, tensor, scale.code);
  const std::size_t stride = run.blocks_last ? 1 : run.inner;
  for (int quad = 0; quad < place.count; quad += 4) {
    std::uint32_t codes[4] = {0, 0, 0, 0};
    const int count = quad + 4 < place.count ? 4 : place.count - quad;
    for (int i = 0; i < count && !fills; ++i) {
      const std::size_t index = index_of(quad + i);
      const std::uint32_t word = cuda::load<Source>(run.source, index);
      const std::uint32_t random = kCoding == Coding::kCarries ? drawn(mode, run, index) : 0u;
      const cuda::Encoded encoded = encode_by<kCoding>(mode, elements, magnitude_of<Source>(word),
                                                       cuda::is_negative<Source>(word), random);
      codes[i] = encoded.code;
      report |= encoded.report;
    }
    cuda::store_codes(run.out.codes, run.packing,
                      place.code + static_cast<std::size_t>(quad) * stride, stride, codes, count);
  }
  run.out.scales[place.scale] = static_cast<std::uint8_t>(scale.code);
  if (run.out.status != nullptr) {
    run.out.status[place.status] = static_cast<std::uint16_t>(scale.code | scale.status | report);
  }
}

template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline std::uint32_t widened(std::uint32_t word) {
  if constexpr (Source::kBias == 127) return word << (23 - Source::kManBits);
  return magnitude_of<Source>(word) | (cuda::is_negative<Source>(word) ? 0x80000000u : 0u);
}

/// The codes of a lane's share of a block; `first` is the place of its first element.
template <class Source, Coding kCoding>
[[nodiscard]] MX_HOST_DEVICE inline Nibbles encode_unit(const Mode& mode, const Tensor& tensor,
                                                        const Run& run, std::uint32_t scale,
                                                        const cuda::Unit<Source>& unit,
                                                        std::size_t first) {
  Elements32<cuda::Unit<Source>::kWords> block;
  MX_UNROLL
  for (int i = 0; i < cuda::Unit<Source>::kWords; ++i) {
    block.word[i] = widened<Source>(unit.word(i));
  }
  return codes_of<kCoding>(mode, tensor, scale, block, [&](int i) {
    if (mode.drawing == cuda::Drawing::kNone) return cuda::FourWords{};
    return run.random.of_four(first + static_cast<std::size_t>(i), mode.random_bits);
  });
}

}  // namespace mx::fast::cuda_nvfp4
