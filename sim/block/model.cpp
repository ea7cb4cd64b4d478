#include "sim/block/model.hpp"

#include "golden/config_word/config_word.hpp"
#include "reference/block/scaling.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::sim {

ReferenceModel::ReferenceModel(const Configurations& configs)
    : configs_(configs), quantizers_(configs.size()) {}

const Quantizer& ReferenceModel::quantizer(std::uint32_t config) {
  std::optional<Quantizer>& slot = quantizers_.at(config);
  if (!slot) slot.emplace(Quantizer::make(config_at(configs_, config)).value());
  return *slot;
}

void source_codes(const BlockIn& block, const ElementFormat& source,
                  std::array<std::uint64_t, kLanes>& codes) {
  const std::uint64_t mask = source.code_mask();
  for (std::size_t i = 0; i < kLanes; ++i) codes[i] = block.source[i] & mask;
  if (block.keep == kAllLanes) return;
  for (std::size_t i = 0; i < kLanes; ++i) {
    if ((block.keep >> i & 1) == 0) codes[i] = 0;
  }
}

void make_answer(const BlockIn& block, const BlockResult& result,
                 const std::array<std::uint64_t, kLanes>& codes, BlockOut& out) {
  for (std::size_t i = 0; i < kLanes; ++i) out.codes[i] = static_cast<std::uint8_t>(codes[i]);
  if (block.keep != kAllLanes) {
    for (std::size_t i = 0; i < kLanes; ++i) {
      if ((block.keep >> i & 1) == 0) out.codes[i] = 0;
    }
  }
  out.status = golden::status_of(result);
  out.keep = block.keep;
  out.last = block.last;
}

void ReferenceModel::answer(const BlockIn& block, BlockOut& out) {
  const Quantizer& quantizer = this->quantizer(block.config);
  std::array<std::uint64_t, kLanes> source;
  std::array<std::uint64_t, kLanes> codes;
  source_codes(block, quantizer.config().source, source);
  const BlockResult result = quantizer.quantize_block(source, block.random, codes);
  make_answer(block, result, codes, out);
}

BlockOpen ReferenceModel::open(const BlockIn& block, const BlockOut& own) {
  const QuantizerConfig& config = config_at(configs_, block.config);
  const Masks masks = configs_[block.config].origin.masks;
  BlockOpen open;
  open.dont_care = (has_undefined_codes(config, own.scale()) && (own.status & kBlockZero) == 0) ||
                   (config.block.nan_scale_codes == NanScaleCodes::kDontCare &&
                    decode(config.format.scale, own.scale()).cls == ValueClass::kNan);
  if (masks == 0) return open;
  std::array<std::uint64_t, kLanes> source;
  std::array<std::uint64_t, kLanes> codes;
  source_codes(block, config.source, source);
  const BlockResult result = quantizer(block.config).quantize_block(source, block.random, codes);
  const MaskedBlock masked = masked_block(masks, config, source, result);
  open.scale = masked.scale;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const bool is_open = masked.codes || is_lane_masked(masked, config, source[lane], lane);
    if (is_open && (block.keep >> lane & 1) != 0) open.lanes |= 1U << lane;
  }
  // Under a NaN scale no code decides a flag.
  open.flags = open.scale || (open.lanes != 0 && !open.dont_care);
  return open;
}

}  // namespace mx::sim
