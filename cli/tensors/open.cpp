#include "cli/tensors/open.hpp"
#include "cli/base/made.hpp"

#include <fmt/format.h>

#include <mutex>

#include "backend/open/open_blocks.hpp"
#include "cli/base/chunks.hpp"
#include "reference/number/word_bytes.hpp"

namespace mx::cli {
namespace {

OpenCount open_values(Masks masks, const ConversionConfig& conversion, const Tensor& tensor,
                      std::uint64_t first, std::uint64_t last) {
  const std::size_t size = storage_bytes(*tensor.format);
  OpenCount count;
  for (std::uint64_t i = first; i < last; ++i) {
    const Masks open =
        backend::open_masks(masks, conversion, load_word(tensor.data.data() + i * size, size));
    count.elements += open != 0 ? 1U : 0U;
    count.masks |= open;
  }
  return count;
}

OpenCount open_blocks(backend::OpenBlocks blocks, std::uint64_t first, std::uint64_t last) {
  OpenCount total;
  for (std::uint64_t block = first; block < last; ++block) {
    const OpenFields open = blocks.of(block);
    OpenCount count{.scales = open.scale != 0 ? 1U : 0U, .masks = open.scale};
    for (const Masks each : open.elements) {
      count.elements += each != 0 ? 1U : 0U;
      count.masks |= each;
    }
    count.blocks = count.masks != 0 ? 1U : 0U;
    total += count;
  }
  return total;
}

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
  const Quantizer quantizer = made(Quantizer::make(recipe.config(*tensor.format, level)));
  const backend::OpenBlocks blocks(masks, quantizer, shape, tensor.data,
                                   {recipe.seed, tensor.index});
  const std::uint64_t work = has_blocks ? shape.scales : tensor.elements;
  const std::uint64_t step =
      has_blocks ? chunk_blocks(shape.block_size * shape.tile_lines) : 1U << 17;
  std::mutex mutex;
  OpenCount total;
  for_each_chunk(work, step, threads, [&](std::uint64_t first, std::uint64_t last) {
    const OpenCount part = has_blocks ? open_blocks(blocks, first, last)
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
