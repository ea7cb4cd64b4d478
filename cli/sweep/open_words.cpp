#include "cli/sweep/open_words.hpp"

#include <algorithm>

#include "reference/format/table.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::cli {

OpenWords::OpenWords(const golden::Configuration& configuration, const SweepSpace& space)
    : masks_(configuration.origin.masks),
      conversion_(std::get<ConversionConfig>(configuration.what)),
      scale_(space.scale) {
  if (masks_ == 0 || scale_ == kScaleOne) return;
  const auto row = std::ranges::find(mx_block_formats(), conversion_.destination,
                                     [](const BlockFormat& format) { return format.element; });
  blocks_.emplace();
  blocks_->source = conversion_.source;
  blocks_->format = *row;
  blocks_->element = conversion_.policy;
}

bool OpenWords::has(std::uint64_t word) const {
  if (!blocks_) return is_masked(masks_, conversion_, word);
  const MaskedBlock masked{.lanes = masks_, .scale_code = scale_};
  return is_lane_masked(masked, *blocks_, word);
}

std::uint64_t OpenWords::count(const std::vector<WordRange>& ranges) const {
  std::uint64_t open = 0;
  if (!any()) return open;
  for (const WordRange& range : ranges) {
    for (std::uint64_t word = range.first; word < range.last; ++word) open += has(word) ? 1U : 0U;
  }
  return open;
}

}  // namespace mx::cli
