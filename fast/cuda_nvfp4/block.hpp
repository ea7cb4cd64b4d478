// One NVFP4 block of any size and layout, by one lane: what the general kernel and the host run.
// And a unit of a block along a row.
#pragma once

#include "fast/cuda/run.hpp"
#include "fast/cuda_decode/units.hpp"
#include "fast/cuda_nvfp4/arithmetic.hpp"

namespace mx::fast::cuda_nvfp4 {

using cuda::Run;

/// What all blocks of a call share.
struct Tensor {
  std::uint32_t number;
  Level level;
};
/// `on_device` is null where the plan's number holds.
[[nodiscard]] MX_HOST_DEVICE inline Tensor tensor_of(const Mode& mode,
                                                     const std::uint32_t* on_device) {
  const std::uint32_t number = on_device != nullptr ? *on_device : mode.tensor;
  return {number, level_of(mode.chain, number)};
}

template <class Source>
MX_HOST_DEVICE inline void quantize_block(const Mode& mode, const Tensor& tensor, const Run& run,
                                          std::size_t block) {
  const cuda::Place place = cuda::place_of(run, mode.block_size, block);
  const auto word_at = [&](int i) {
    return cuda::load<Source>(run.source, place.first + static_cast<std::size_t>(i) * run.inner);
  };
  std::uint32_t amax = 0;
  std::uint32_t report = 0;
  for (int i = 0; i < place.count; ++i) {
    const std::uint32_t magnitude = magnitude_of<Source>(word_at(i));
    amax = magnitude > amax ? magnitude : amax;
    if (magnitude == kInfBits) report |= cuda::kHasInf;
  }
  const BlockScale scale = scale_of(mode, tensor.level, tensor.number, amax);
  const bool fills = scale.code == kNanScale;
  Elements elements;
  if (!fills) elements = elements_under(mode, tensor.level, tensor.number, scale.code);
  const std::size_t stride = run.blocks_last ? 1 : run.inner;
  for (int quad = 0; quad < place.count; quad += 4) {
    std::uint32_t codes[4] = {0, 0, 0, 0};
    const int count = quad + 4 < place.count ? 4 : place.count - quad;
    for (int i = 0; i < count && !fills; ++i) {
      const std::uint32_t word = word_at(quad + i);
      const cuda::Encoded encoded =
          encode(mode, elements, magnitude_of<Source>(word), cuda::is_negative<Source>(word));
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

/// The codes of a lane's share of a block, packed.
template <class Source>
[[nodiscard]] MX_HOST_DEVICE inline cuda::EncodedUnit encode_unit(const Mode& mode,
                                                                  const Tensor& tensor,
                                                                  const BlockScale& scale,
                                                                  const cuda::Unit<Source>& unit,
                                                                  cuda::Packing packing) {
  std::uint32_t codes[std::size_t{cuda::Unit<Source>::kWords}] = {};
  std::uint32_t report = 0;
  if (scale.code == kNanScale) {
    report = cuda::infinities_of(unit);
  } else {
    const Elements elements = elements_under(mode, tensor.level, tensor.number, scale.code);
    MX_UNROLL
    for (int i = 0; i < cuda::Unit<Source>::kWords; ++i) {
      const std::uint32_t word = unit.word(i);
      const cuda::Encoded encoded =
          encode(mode, elements, magnitude_of<Source>(word), cuda::is_negative<Source>(word));
      codes[i] = encoded.code;
      report |= encoded.report;
    }
  }
  return {cuda::pack_unit(packing, codes), report};
}

}  // namespace mx::fast::cuda_nvfp4
