#include "golden/points/random_configs.hpp"

#include "golden/config_word/table.hpp"
#include "golden/points/draw.hpp"

namespace mx::golden {
namespace {

template <typename List>
auto pick(Draw& draw, const List& list) {
  return list[draw.small(static_cast<std::uint32_t>(list.size()))];
}

QuantizerConfig draw_config(const RandomFrom& from, Draw& draw) {
  QuantizerConfig config = from.base;
  config.format = pick(draw, from.formats);
  config.format.block_size = from.base.format.block_size;
  config.element.rounding = pick(draw, from.roundings);
  config.block.rule = pick(draw, from.rules);
  config.element.overflow = pick(draw, kOverflowCodes);
  config.element.nan = pick(draw, kNanCodes);
  config.element.int_min = pick(draw, kIntMinCodes);
  config.element.zero_sign = pick(draw, kZeroSignCodes);
  config.element.src_ftz = pick(draw, kSrcFtzCodes);
  config.block.amax_over = pick(draw, kAmaxOverCodes);
  config.block.inf_block = pick(draw, kInfBlockCodes);
  config.block.nan_scale_codes = pick(draw, kNanScaleCodesCodes);
  config.block.even_carry = pick(draw, kEvenCarryCodes);
  config.block.zero_block_scale = pick(draw, kZeroBlockScaleCodes);
  config.block.scale_sat = pick(draw, kScaleSatCodes);
  return config;
}

}  // namespace

std::vector<QuantizerConfig> draw_configs(const RandomFrom& from, std::uint64_t seed,
                                          std::size_t count) {
  std::vector<QuantizerConfig> configs;
  constexpr std::uint32_t kTag = suite_tag("policy");
  for (std::size_t i = 0; i < count; ++i) {
    Draw draw(seed, kTag, i);
    configs.push_back(draw_config(from, draw));
  }
  return configs;
}

}  // namespace mx::golden
