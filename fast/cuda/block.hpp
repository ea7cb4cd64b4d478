// One block of any size and layout, shared by the lanes of a group: what the general kernel and the
// host path run.
#pragma once

#include "fast/cuda/run.hpp"

namespace mx::fast::cuda {

/// A group of one: the host, and threads that have a block each.
struct SoloLane {
  static constexpr int kWidth = 1;
  int lane = 0;
  [[nodiscard]] MX_HOST_DEVICE std::uint32_t maximum(std::uint32_t own) const { return own; }
  [[nodiscard]] MX_HOST_DEVICE std::uint32_t unite(std::uint32_t own) const { return own; }
};

/// Quantizes block number `block`; all lanes of the group call it. `Lanes` offers kWidth, lane,
/// maximum() and unite() (bitwise or) over the group. A lane takes four consecutive elements at a
/// time. `takes_part` is one for the group: lanes without a block only meet the others.
template <class Source, bool kDraws, bool kStatus, class Lanes>
MX_HOST_DEVICE inline void quantize_block(const Mode& mode, const Run& run, const Lanes& lanes,
                                          std::size_t block, bool takes_part) {
  const cpu::BlockConstants& c = mode.block;
  const Place place = takes_part ? place_of(run, c.block_size, block) : Place{};
  const auto index_of = [&](int i) {
    return place.first + static_cast<std::size_t>(i) * run.inner;
  };

  // 1. Magnitudes order like their codes: the maximum finds amax, and Inf and NaN above it.
  std::uint32_t amax = 0;
  std::uint32_t report = 0;
  for (int quad = 4 * lanes.lane; quad < place.count; quad += 4 * Lanes::kWidth) {
    const int end = quad + 4 < place.count ? quad + 4 : place.count;
    for (int i = quad; i < end; ++i) {
      const std::uint32_t magnitude =
          load<Source>(run.source, index_of(i)) & Source::kMagnitudeMask;
      amax = magnitude > amax ? magnitude : amax;
      if (magnitude == Source::kInf) report |= kHasInf;
    }
  }
  const BlockScale scale = scale_of<Source>(c, lanes.maximum(amax));

  // 2. One rounding for each element, or the same code for all.
  for (int quad = 4 * lanes.lane; quad < place.count; quad += 4 * Lanes::kWidth) {
    std::uint32_t codes[4] = {c.nan_fill, c.nan_fill, c.nan_fill, c.nan_fill};
    const int count = quad + 4 < place.count ? 4 : place.count - quad;
    for (int i = 0; i < count && !scale.fills; ++i) {
      const std::size_t index = index_of(quad + i);
      const std::uint32_t word = load<Source>(run.source, index);
      const std::uint32_t random = kDraws ? run.random.of(index, mode.random_bits) : 0u;
      const Encoded encoded = encode<kDraws>(mode, normalize<Source>(word & Source::kMagnitudeMask),
                                             is_negative<Source>(word), scale.exponent, random);
      codes[i] = encoded.code;
      report |= encoded.report;
    }
    const std::size_t stride = run.blocks_last ? 1 : run.inner;
    store_codes(run.out.codes, run.packing, place.code + static_cast<std::size_t>(quad) * stride,
                stride, codes, count);
  }
  if constexpr (kStatus) report = lanes.unite(report);
  if (lanes.lane != 0 || !takes_part) return;
  run.out.scales[place.scale] = static_cast<std::uint8_t>(scale.code);
  if constexpr (kStatus) {
    const auto code = static_cast<std::uint32_t>(scale.code);
    run.out.status[place.status] = static_cast<std::uint16_t>(code | scale.status | report);
  }
}

}  // namespace mx::fast::cuda
