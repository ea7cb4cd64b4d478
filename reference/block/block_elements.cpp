#include "reference/block/block_elements.hpp"

#include <algorithm>
#include <cassert>

#include "reference/element/encode_kernel.hpp"

namespace mx {
namespace {

/// Step 6 for a NaN scale: the code of every element, unless elements go on as computed.
std::uint64_t code_under_nan(const QuantizerConfig& c) {
  const ElementFormat& element = c.format.element;
  return c.block.nan_scale_codes == NanScaleCodes::kNan && element.has_nan() ? element.canonical_nan
                                                                             : 0;
}

}  // namespace

BlockElements lanes_under(const QuantizerConfig& c, const BlockScale& scale) {
  BlockElements lanes{.block = {.scale_code = scale.code, .flags = scale.flags},
                      .flushed = scale.flushed};
  if (scale.is_nan) {
    lanes.block.flags |= kBlockNanScale;
    if (c.block.nan_scale_codes == NanScaleCodes::kDontCare) lanes.block.flags |= kBlockCodesMasked;
    if (c.block.nan_scale_codes != NanScaleCodes::kAsComputed) {
      lanes.encodes = false;
      lanes.fill = code_under_nan(c);
      return lanes;
    }
  }
  const bool is_zero_block = (scale.flags & kBlockZero) != 0;
  if (!is_zero_block && has_undefined_codes(c, scale.code)) lanes.block.flags |= kBlockCodesMasked;
  lanes.scaling = element_scaling(c, scale.code, scale.scan.amax, scale.is_nan);
  return lanes;
}

std::uint8_t encode_lanes(const QuantizerConfig& c, const BlockElements& lanes, std::size_t first,
                          std::span<const std::uint64_t> source,
                          std::span<const std::uint32_t> random, std::span<std::uint64_t> codes) {
  assert(codes.size() == source.size());
  if (!lanes.encodes) {
    std::ranges::fill(codes, lanes.fill);
    return 0;
  }
  const ElementPolicy policy = element_policy(c);
  const bool draws = is_stochastic(policy.rounding);
  assert(!draws || random.size() == source.size());
  std::uint8_t flags = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    assert(c.source.takes(source[i]) && (!draws || is_drawn(policy, random[i])));
    Unpacked x = kernel::decode_flushed(c.source, c.element, source[i]);
    if (lanes.flushed) x = {.negative = x.negative};
    const Encoded encoded = encode_scaled(c, policy, lanes.scaling, lanes.block.scale_code,
                                          first + i, x, draws ? random[i] : 0, nullptr);
    codes[i] = encoded.code;
    flags |= encoded.flags;
  }
  return flags;
}

}  // namespace mx
