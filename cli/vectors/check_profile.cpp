#include "cli/vectors/check_profile.hpp"
#include "cli/base/made.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "golden/answers/expected.hpp"
#include "golden/config_word/config_word.hpp"
#include "reference/block/quantizer.hpp"

namespace mx::cli {
namespace {

FormatChoice block_choice(const ElementFormat& element) {
  for (const BlockFormat& format : mx_block_formats()) {
    if (format.element == element) return {format.name, &format, &format.element};
  }
  fail(Exit::kUsage, "no MX block format has elements {}", element.name);
}

}  // namespace

ProfileJudge::ProfileJudge(std::string_view profile, const golden::VectorHeader& header)
    : profile_(require_profile(profile)), header_(header) {
  if (header.op != golden::RecordKind::kCvt) return;
  const FormatChoice format{header.destination.name, nullptr, &header_.destination};
  const ProfiledFormat chosen = profiled(profile_, format, header.source);
  conversion_ = {header.source, chosen.element, chosen.policies.element};
  if (is_stochastic(conversion_.policy.rounding) &&
      header.random_words != golden::RandomWords::kPresent) {
    fail(Exit::kUsage, "profile {} rounds stochastically, but the vectors hold no random words",
         profile_.name());
  }
  element_masks_ =
      element_masks(*profile_.profile, header.source, header.destination, profile_.variant);
}

QuantizerConfig ProfileJudge::config_of(std::uint32_t config_word) const {
  const auto config = golden::config_of(config_word, header_.context);
  if (!config) {
    throw std::invalid_argument(fmt::format("{:08x} is not a configuration word", config_word));
  }
  const FormatChoice format = block_choice(config->format.element);
  const ProfiledFormat chosen = profiled(profile_, format, config->source);
  QuantizerConfig result{config->source, *format.block, chosen.policies.element,
                         chosen.policies.block};
  result.format.element = chosen.element;
  result.format.block_size = header_.context.block_size;
  return result;
}

void ProfileJudge::answer(golden::CvtBatch& expected, std::size_t first, std::size_t last) const {
  golden::fill_expected(expected, conversion_, first, last);
}

void ProfileJudge::answer(golden::BlockBatch& expected, std::size_t first, std::size_t last) const {
  for (std::size_t i = first; i < last; ++i) {
    const QuantizerConfig config = config_of(expected.config_word[i]);
    if (is_stochastic(config.element.rounding) && expected.random_of(i).empty()) {
      fail(Exit::kUsage, "profile {} rounds stochastically, but the vectors hold no random words",
           profile_.name());
    }
    const BlockResult result =
        made(Quantizer::make(config))
            .quantize_block(expected.source_of(i), expected.random_of(i), expected.codes_of(i));
    expected.status[i] = golden::status_of(result);
  }
}

bool ProfileJudge::agrees(const golden::CvtBatch& expected, const golden::CvtBatch& actual,
                          std::size_t i) const {
  return is_masked(element_masks_, conversion_, actual.source[i]) ||
         (expected.code[i] == actual.code[i] && expected.flags[i] == actual.flags[i]);
}

bool ProfileJudge::agrees(const golden::BlockBatch& expected, const golden::BlockBatch& actual,
                          std::size_t i) const {
  const QuantizerConfig config = config_of(actual.config_word[i]);
  const Masks masks = block_masks(
      *profile_.profile,
      *block_choice(golden::config_of(actual.config_word[i], header_.context)->format.element)
           .block,
      config.source, profile_.variant);
  std::vector<std::uint64_t> codes(expected.lanes());
  const BlockResult result =
      made(Quantizer::make(config)).quantize_block(actual.source_of(i), actual.random_of(i), codes);
  const MaskedBlock masked = masked_block(masks, config, actual.source_of(i), result);
  // The flags are those of all elements, so they say nothing where some are open.
  const std::uint16_t looked_at = masked.scale                        ? 0
                                  : masked.codes || masked.lanes != 0 ? 0xFF
                                                                      : 0xFFFF;
  if (((expected.status[i] ^ actual.status[i]) & looked_at) != 0) return false;
  for (std::size_t lane = 0; lane < expected.lanes(); ++lane) {
    if (is_lane_masked(masked, config, actual.source_of(i)[lane])) continue;
    if (expected.codes_of(i)[lane] != actual.codes_of(i)[lane]) return false;
  }
  return true;
}

}  // namespace mx::cli
