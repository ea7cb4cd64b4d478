#include "reference/bulk/bulk.hpp"

#include <cassert>

#include "reference/block/scale.hpp"
#include "reference/bulk/element_loop.hpp"

namespace mx::bulk {
namespace {

/// The element loop takes blocks that are only shifted.
bool is_plain_shift(const QuantizerConfig& c, const BlockElements& lanes) {
  return lanes.encodes && !lanes.flushed && lanes.scaling.kind == ElementScaling::Kind::kShift &&
         c.format.cut_from == 0 && c.format.negative_zero == NegativeZeroDatum::kZero &&
         c.block.inf_block != InfBlock::kAsTwoTo128;
}

}  // namespace

std::uint8_t convert(const Conversion& conversion, std::span<const std::uint64_t> source,
                     std::span<const std::uint32_t> random, std::span<std::uint64_t> codes,
                     std::span<std::uint8_t> flags) {
  const ConversionConfig& c = conversion.config();
  assert(codes.size() == source.size() && (flags.empty() || flags.size() == source.size()));
  assert(!is_stochastic(c.policy.rounding) || random.size() == source.size());
  if (c.policy.e8m0_quirk != E8m0Quirk::kNone) {
    std::uint8_t all = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const Encoded encoded = conversion(source[i], random.empty() ? 0 : random[i]);
      codes[i] = encoded.code;
      if (!flags.empty()) flags[i] = encoded.flags;
      all |= encoded.flags;
    }
    return all;
  }
  return kernel::encode_elements(c.source, c.destination, c.policy, 0, source, random, codes,
                                 flags);
}

BlockResult quantize_block(const Quantizer& quantizer, std::span<const std::uint64_t> source,
                           std::span<const std::uint32_t> random, std::span<std::uint64_t> codes) {
  const QuantizerConfig& c = quantizer.config();
  BlockElements lanes = lanes_under(c, scale_block(c, source, random));
  lanes.block.flags |= bulk::encode_lanes(c, lanes, 0, source, random, codes);
  return lanes.block;
}

std::uint8_t encode_lanes(const QuantizerConfig& c, const BlockElements& lanes, std::size_t first,
                          std::span<const std::uint64_t> source,
                          std::span<const std::uint32_t> random, std::span<std::uint64_t> codes) {
  if (!is_plain_shift(c, lanes)) return mx::encode_lanes(c, lanes, first, source, random, codes);
  assert(codes.size() == source.size());
  assert(!is_stochastic(c.element.rounding) || random.size() == source.size());
  return kernel::encode_elements(c.source, c.format.element, c.element, lanes.scaling.shift, source,
                                 random, codes, {});
}

}  // namespace mx::bulk
