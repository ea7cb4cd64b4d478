#include "backend/open/open_blocks.hpp"

#include "reference/number/philox.hpp"
#include "reference/tensor/layout.hpp"

namespace mx::backend {

Masks open_masks(Masks masks, const ConversionConfig& conversion, std::uint64_t source_code) {
  if (!is_masked(masks, conversion, source_code)) return 0;
  return open_fields(masks, conversion, source_code).elements[0];
}

void OpenBlocks::draw() {
  const QuantizerConfig& c = quantizer_.config();
  const bool stochastic = is_stochastic(c.element.rounding);
  words_.clear();
  if (!stochastic && !facts_of(c.block.rule).draws) return;
  const int bits = stochastic ? c.element.random_bits : 32;
  for (const std::uint64_t index : indices_) {
    words_.push_back(counter_random(random_.seed, random_.tensor, index, bits));
  }
}

OpenFields OpenBlocks::of(std::uint64_t block) {
  const QuantizerConfig& c = quantizer_.config();
  block_indices(shape_, block, indices_);
  lanes_.clear();
  for (const std::uint64_t index : indices_) {
    lanes_.push_back(layout::load_word(source_, index, storage_bytes(c.source)));
  }
  draw();
  codes_.resize(lanes_.size());
  const BlockResult result = quantizer_.quantize_block(lanes_, words_, codes_);
  const MaskedBlock masked = masked_block(masks_, c, lanes_, result);
  if (!masked.scale && !masked.codes && masked.lanes == 0) return {};
  return open_fields(masks_, c, lanes_, result);
}

}  // namespace mx::backend
