#include "reference/profiles/masks.hpp"

#include <algorithm>

namespace mx {
namespace {

std::vector<std::string_view> tokens_of(Masks masks) {
  std::vector<std::string_view> tokens;
  for (const MaskFacts& each : kMaskFacts) {
    if ((masks & each.bit) != 0) tokens.push_back(each.token);
  }
  return tokens;
}

std::optional<Masks> parse(std::string_view list, Masks allowed) {
  if (list == "none") return 0;
  Masks masks = 0;
  while (true) {
    const std::size_t end = list.find(',');
    const auto* const found = std::ranges::find(kMaskFacts, list.substr(0, end), &MaskFacts::token);
    if (found == kMaskFacts.end() || (found->bit & allowed & ~masks) == 0) return std::nullopt;
    masks |= found->bit;
    if (end == std::string_view::npos) return masks;
    list.remove_prefix(end + 1);
  }
}

}  // namespace

std::vector<std::string_view> element_mask_tokens(Masks masks) {
  return tokens_of(masks & kElementMasks);
}

std::vector<std::string_view> block_mask_tokens(Masks masks) { return tokens_of(masks); }

std::string mask_list(Masks masks) {
  std::string list;
  for (const std::string_view token : tokens_of(masks)) {
    if (!list.empty()) list += ',';
    list += token;
  }
  return list.empty() ? "none" : list;
}

std::string mask_text(Masks masks) {
  std::string text;
  for (const MaskFacts& each : kMaskFacts) {
    if ((masks & each.bit) == 0) continue;
    if (!text.empty()) text += ", ";
    text += each.text;
  }
  return text;
}

std::optional<Masks> parse_element_masks(std::string_view comma_list) {
  return parse(comma_list, kElementMasks);
}

std::optional<Masks> parse_block_masks(std::string_view comma_list) {
  return parse(comma_list, kElementMasks | kBlockMasks);
}

}  // namespace mx
