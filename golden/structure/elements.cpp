// SPDX-License-Identifier: Apache-2.0
#include "golden/structure/elements.hpp"

#include <algorithm>
#include <vector>

#include "golden/config_word/config_word.hpp"

namespace mx::golden {
namespace {

/// Of the flags of a block, those that elements decide.
constexpr std::uint64_t kOfElements = 0x30;

std::uint64_t element_flags(std::uint16_t flags) {
  BlockResult result;
  result.flags = flags;
  return status_bits_of(result) & kOfElements;
}

std::vector<std::uint32_t> randoms_of(const RecordBatch& record, std::size_t n) {
  std::vector<std::uint32_t> random(n);
  if (!record.has(Field::kRandom)) return random;
  for (std::size_t lane = 0; lane < n; ++lane) {
    random[lane] = static_cast<std::uint32_t>(record.of(Field::kRandom, 0)[lane]);
  }
  return random;
}

}  // namespace

Encoded with_magnitude(const Element& element, std::uint64_t magnitude) {
  const ElementFormat& f = element.format;
  if (magnitude > f.max_code) return element.encoded;
  constexpr unsigned kDecided = kFlagToZero | kFlagOverflow | kFlagSaturated;
  const unsigned kept = element.encoded.flags & ~kDecided;
  const auto flags =
      static_cast<std::uint8_t>(kept | (magnitude == 0 ? unsigned{kFlagToZero} : 0U));
  const bool negative = element.value.negative;
  if (f.kind == FormatKind::kTwosComplement) {
    return {negative ? (0 - magnitude) & f.code_mask() : magnitude, flags};
  }
  const bool drops_sign = magnitude == 0 && (f.zero != ZeroKind::kPosAndNeg ||
                                             element.policy.zero_sign == ZeroSign::kFlushPositive);
  return {negative && !drops_sign ? f.sign_bit() | magnitude : magnitude, flags};
}

Elements::Elements(const Configuration& configuration) : configuration_(&configuration) {
  if (const auto* const block = std::get_if<QuantizerConfig>(&configuration.what)) {
    quantizer_ = Quantizer::make(*block).value();
  } else if (const auto* const cvt = std::get_if<ConversionConfig>(&configuration.what)) {
    conversion_ = Conversion::make(*cvt).value();
  }
}

bool Elements::are_in(const Configuration& configuration) {
  if (const auto* const block = std::get_if<QuantizerConfig>(&configuration.what)) {
    // Of sbfp the unrounded ratio decides, which no scale code says.
    return block->block.rule != ScaleRule::kSbfp && block->format.extent == BlockExtent::kElements;
  }
  return std::holds_alternative<ConversionConfig>(configuration.what);
}

bool Elements::has_number_scale(const RecordBatch& record) const {
  const ScaleFormat& scale = quantizer_->config().format.scale;
  const std::uint64_t code = record.word(Field::kScale, 0) & scale.code_mask();
  return decode(scale, code).cls == ValueClass::kFinite;
}

void Elements::change(RecordBatch& record, const Change& change) const {
  const std::size_t n = record.elements(Field::kSource, 0);
  const auto codes = record.of(Field::kCode, 0);
  const auto source = record.of(Field::kSource, 0);
  const std::vector<std::uint32_t> random = randoms_of(record, n);
  if (conversion_) {
    const ConversionConfig& config = conversion_->config();
    Element element{config.destination, config.policy, {}, random[0], {}, {}};
    element.value = seen_source(config, source[0]);
    element.encoded = (*conversion_)(source[0], random[0], element.trace);
    const Encoded changed = change(element);
    codes[0] = changed.code;
    record.word(Field::kFlags, 0) = changed.flags;
    return;
  }
  if (!quantizer_ || !has_number_scale(record)) return;
  const QuantizerConfig& config = quantizer_->config();
  const std::uint64_t scale = record.word(Field::kScale, 0);
  const std::uint64_t keep =
      record.has(Field::kKeep) ? record.word(Field::kKeep, 0) : ~std::uint64_t{0};
  std::uint16_t flags = 0;
  for (std::size_t lane = 0; lane < n; ++lane) {
    if (lane < 64 && (keep >> lane & 1) == 0) continue;
    Element element{config.format.element, config.element, {}, random[lane], {}, {}};
    element.value = quantizer_->scaled_element(source[lane], scale, lane);
    element.encoded =
        quantizer_->explain_element(source[lane], scale, random[lane], element.trace, lane);
    const Encoded changed = change(element);
    codes[lane] = changed.code;
    flags |= changed.flags;
  }
  std::uint64_t& all = record.word(Field::kFlags, 0);
  all = (all & ~kOfElements) | element_flags(flags);
}

void Elements::recode(RecordBatch& record, std::uint64_t scale) const {
  record.word(Field::kScale, 0) = scale;
  change(record, [](const Element& element) { return element.encoded; });
}

Elements::Scale Elements::scale_of(const RecordBatch& record,
                                   std::span<const std::uint64_t> source) const {
  const std::vector<std::uint32_t> random = randoms_of(record, source.size());
  std::vector<std::uint64_t> codes(source.size());
  const BlockResult result = quantizer_->quantize_block(source, random, codes);
  return {result.scale_code, status_bits_of(result)};
}

}  // namespace mx::golden
