#include "cli/tensors/open.hpp"
#include "cli/base/made.hpp"

#include <fmt/format.h>

#include <mutex>
#include <vector>

#include "cli/base/chunks.hpp"
#include "reference/number/philox.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::cli {
namespace {

std::uint64_t word_at(const Tensor& tensor, std::uint64_t index) {
  const std::size_t size = storage_bytes(*tensor.format);
  return load_word(tensor.data.data() + index * size, size);
}

OpenCount open_values(Masks masks, const ConversionConfig& conversion, const Tensor& tensor,
                      std::uint64_t first, std::uint64_t last) {
  OpenCount count;
  for (std::uint64_t i = first; i < last; ++i) {
    const std::uint64_t code = word_at(tensor, i);
    if (!is_masked(masks, conversion, code)) continue;
    ++count.elements;
    count.masks |= open_fields(masks, conversion, code).elements[0];
  }
  return count;
}

/// Blocks of one tensor, quantized again to know what of each answer is open.
class OpenBlocks {
 public:
  OpenBlocks(Masks masks, const Recipe& recipe, const Tensor& tensor, const BlockedShape& shape,
             const TensorLevel& level)
      : masks_(masks),
        seed_(recipe.seed),
        tensor_(tensor),
        shape_(shape),
        quantizer_(made(Quantizer::make(recipe.config(*tensor.format, level)))) {}

  OpenCount count(std::uint64_t first, std::uint64_t last) const {
    OpenCount total;
    std::vector<std::uint64_t> indices;
    std::vector<std::uint64_t> lanes;
    for (std::uint64_t block = first; block < last; ++block) {
      block_indices(shape_, block, indices);
      lanes.clear();
      for (const std::uint64_t index : indices) lanes.push_back(word_at(tensor_, index));
      total += of_block(lanes, random_of(indices));
    }
    return total;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> random_of(
      const std::vector<std::uint64_t>& indices) const {
    const QuantizerConfig& c = quantizer_.config();
    const bool stochastic = is_stochastic(c.element.rounding);
    std::vector<std::uint32_t> random;
    if (!stochastic && !facts_of(c.block.rule).draws) return random;
    for (const std::uint64_t index : indices) {
      random.push_back(
          counter_random(seed_, tensor_.index, index, stochastic ? c.element.random_bits : 32));
    }
    return random;
  }

  [[nodiscard]] OpenCount of_block(const std::vector<std::uint64_t>& lanes,
                                   const std::vector<std::uint32_t>& random) const {
    const QuantizerConfig& c = quantizer_.config();
    std::vector<std::uint64_t> codes(lanes.size());
    const BlockResult result = quantizer_.quantize_block(lanes, random, codes);
    const MaskedBlock masked = masked_block(masks_, c, lanes, result);
    if (!masked.scale && !masked.codes && masked.lanes == 0) return {};  // most blocks
    const OpenFields open = open_fields(masks_, c, lanes, result);
    OpenCount count{.scales = open.scale != 0 ? 1U : 0U, .masks = open.scale};
    for (const Masks each : open.elements) {
      count.elements += each != 0 ? 1U : 0U;
      count.masks |= each;
    }
    count.blocks = count.masks != 0 ? 1U : 0U;
    return count;
  }

  Masks masks_;
  std::uint64_t seed_;
  const Tensor& tensor_;
  const BlockedShape& shape_;
  Quantizer quantizer_;
};

}  // namespace

OpenCount& OpenCount::operator+=(const OpenCount& other) {
  elements += other.elements;
  scales += other.scales;
  blocks += other.blocks;
  masks |= other.masks;
  return *this;
}

Masks masks_of(const Recipe& recipe, const ElementFormat& source) {
  const ProfileChoice profile = require_profile(recipe.profile);
  return recipe.format.block != nullptr
             ? block_masks(*profile.profile, recipe.block(), source, profile.variant)
             : element_masks(*profile.profile, source, *recipe.format.element, profile.variant);
}

OpenCount count_open(const Recipe& recipe, const Tensor& tensor, const BlockedShape& shape,
                     const TensorLevel& level, int threads) {
  const Masks masks = masks_of(recipe, *tensor.format);
  if (masks == 0) return {};
  const bool has_blocks = recipe.format.block != nullptr;
  const ConversionConfig conversion{*tensor.format, recipe.element(), recipe.policies.element};
  const OpenBlocks blocks(masks, recipe, tensor, shape, level);
  const std::uint64_t work = has_blocks ? shape.scales : tensor.elements;
  const std::uint64_t step =
      has_blocks ? chunk_blocks(shape.block_size * shape.tile_lines) : 1U << 17;
  std::mutex mutex;
  OpenCount total;
  for_each_chunk(work, step, threads, [&](std::uint64_t first, std::uint64_t last) {
    const OpenCount part = has_blocks ? blocks.count(first, last)
                                      : open_values(masks, conversion, tensor, first, last);
    const std::lock_guard lock(mutex);
    total += part;
  });
  return total;
}

std::string open_text(const OpenCount& open, std::uint64_t elements, std::uint64_t blocks) {
  const std::string scales =
      blocks == 0 ? "" : fmt::format(" and {} of {} scales", open.scales, blocks);
  return fmt::format("{} of {} values{} ({})", open.elements, elements, scales,
                     mask_text(open.masks));
}

void add_open(const OpenCount& open, std::map<std::string, std::string>& metadata) {
  metadata["open_elements"] = std::to_string(open.elements);
  metadata["open_scales"] = std::to_string(open.scales);
  metadata["open_masks"] = mask_list(open.masks);
}

}  // namespace mx::cli
