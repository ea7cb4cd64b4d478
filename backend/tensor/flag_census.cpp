#include "backend/tensor/flag_census.hpp"

#include <algorithm>

#include "reference/block/scaling.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/layout.hpp"

namespace mx::backend {
namespace {

constexpr unsigned kSmallFlags = unsigned{kFlagUnderflow} | kFlagToZero;
constexpr unsigned kLargeFlags = unsigned{kFlagOverflow} | kFlagSaturated;
// Status bits of spec R6 that tell of elements; the others stand where the reference has them.
constexpr std::uint16_t kStatusToZero = 1 << 12;
constexpr std::uint16_t kStatusSaturated = 1 << 13;
constexpr std::uint16_t kStatusPlain = kStatusToZero | kStatusSaturated | 0xFF;

/// The flags that a status word tells of. Infinities and NaN are left to the reference.
unsigned told_by(std::uint16_t status) {
  if ((status & (kBlockHasInf | kBlockHasNan)) != 0) return 0xFFFF;
  unsigned flags = status & (kBlockZero | kBlockScaleClamped);
  if ((status & kStatusToZero) != 0) flags |= kFlagToZero;
  if ((status & kStatusSaturated) != 0) flags |= kLargeFlags;
  return flags;
}

}  // namespace

FlagCensus::FlagCensus(const Quantizer& reference, const QuantizedTensor& tensor, Flags& seen)
    : reference_(reference),
      tensor_(tensor),
      seen_(seen),
      word_bytes_(storage_bytes(reference.config().source)),
      is_scaled_(facts_of(reference.config().block.rule).kind == RuleKind::kReal) {
  const ElementFormat& f = reference.config().format.element;
  const bool is_twos = f.kind == FormatKind::kTwosComplement;
  magnitude_ = static_cast<std::uint8_t>(f.magnitude_mask());
  inverted_ = static_cast<std::uint8_t>(is_twos ? f.magnitude_mask() : 0);
  small_limit_ = static_cast<std::uint8_t>(f.kind == FormatKind::kFloat ? 1 << f.man_bits : 0);
  large_limit_ = static_cast<std::uint8_t>(f.max_code - (is_twos ? 1 : 0));
  relevant_ = static_cast<std::uint16_t>(kFlagInexact | kFlagToZero);
  if (f.kind == FormatKind::kFloat) relevant_ |= kFlagUnderflow;
  // rceil keeps the maximum within the range; where its scale is clamped, the scale is special.
  if (reference.config().block.rule != ScaleRule::kRceil) relevant_ |= kLargeFlags;
  for (std::uint64_t code = 0; code < values_.size(); ++code) {
    values_[code] = decode(f, code & f.code_mask());
  }
}

std::uint16_t FlagCensus::missing() const {
  return static_cast<std::uint16_t>(~seen_.load(std::memory_order_relaxed));
}

/// Zero blocks, clamped scales and NaN scales have these codes; others may have them too.
bool FlagCensus::is_special(std::byte scale) const {
  const BlockFormat& format = reference_.config().format;
  const auto code = std::to_integer<std::uint64_t>(scale);
  const std::uint64_t highest =
      format.scale_limit != 0 ? format.scale_limit : format.scale.max_code;
  return code <= 1 || code >= highest ||
         reference_.config().block.zero_block_scale == ZeroBlockScale::kOne;
}

bool FlagCensus::is_small(std::uint64_t element) const {
  const auto code = std::to_integer<std::uint8_t>(tensor_.codes[element]);
  const std::uint64_t word = load_word(tensor_.source.data() + element * word_bytes_, word_bytes_);
  return (code & magnitude_) <= small_limit_ &&
         (word & reference_.config().source.magnitude_mask()) != 0;
}

FlagCensus::Extremes FlagCensus::extremes(std::span<const std::byte> codes) const {
  // Whole arrays without a branch or a member, so that compilers use vectors.
  const std::uint8_t mask = magnitude_;
  const std::uint8_t inverted = inverted_;
  const std::uint8_t small_limit = small_limit_;
  const std::uint8_t large_limit = large_limit_;
  std::uint8_t any_small = 0;
  std::uint8_t any_large = 0;
  for (const std::byte byte : codes) {
    const auto code = std::to_integer<std::uint8_t>(byte);
    const std::uint8_t turned = (code & ~mask) != 0 ? inverted : 0;
    const auto magnitude = static_cast<std::uint8_t>((code ^ turned) & mask);
    any_small |= static_cast<std::uint8_t>(magnitude <= small_limit);
    any_large |= static_cast<std::uint8_t>(magnitude >= large_limit);
  }
  return {any_small != 0, any_large != 0};
}

bool FlagCensus::may_add(std::uint64_t first_element, std::uint64_t elements,
                         std::uint64_t first_block, std::uint64_t blocks,
                         std::span<const std::uint16_t> status) const {
  const unsigned unseen = missing() & relevant_;
  if ((unseen & kFlagInexact) != 0) return true;
  if (is_scaled_) {
    unsigned all = 0;
    for (const std::uint16_t word : status) all |= word;
    if ((told_by(static_cast<std::uint16_t>(all)) & missing()) != 0) return true;
    if (std::ranges::any_of(status, [&](std::uint16_t word) {
          return has_undefined_codes(reference_.config(), word & 0xFF);
        })) {
      return true;
    }
    return (unseen & kFlagUnderflow) != 0 && any_small(first_element, elements);
  }
  if (std::ranges::any_of(tensor_.scales.subspan(first_block, blocks),
                          [&](std::byte scale) { return is_special(scale); })) {
    return true;
  }
  if ((unseen & (kSmallFlags | kLargeFlags)) == 0) return false;
  const Extremes found = extremes(tensor_.codes.subspan(first_element, elements));
  if ((unseen & kLargeFlags) != 0 && found.any_large) return true;
  return (unseen & kSmallFlags) != 0 && found.any_small && any_small(first_element, elements);
}

bool FlagCensus::any_small(std::uint64_t first_element, std::uint64_t elements) const {
  for (std::uint64_t i = first_element; i < first_element + elements; ++i) {
    if (is_small(i)) return true;
  }
  return false;
}

/// Are the codes of a block its elements, and is there a small one among those that are not?
FlagCensus::Roundings FlagCensus::roundings(std::uint64_t block, std::uint8_t scale) const {
  const layout::BlockPlace place = layout::place_of(tensor_.shape, block);
  const QuantizerConfig& config = reference_.config();
  // Under powers of two the scale's exponent says all of it. Rules that round on their way may be
  // inexact whatever code and scale say.
  Unpacked factor = decode(config.format.scale, scale);
  if (!is_scaled_) factor = unpack_integer(false, 1, factor.exponent);
  if (is_scaled_) factor = multiply(factor, decode(formats::fp32, config.tensor.scale));
  const bool rounds = is_scaled_ && config.block.rule != ScaleRule::kNvfp4Exact;
  Roundings found;
  for (std::uint64_t i = 0; i < place.count; ++i) {
    const std::uint64_t at =
        layout::element_index(tensor_.shape, tensor_.shape.length, place, place.width, i);
    const auto code = std::to_integer<std::uint8_t>(tensor_.codes[at]);
    const Unpacked x = decode(reference_.config().source,
                              load_word(tensor_.source.data() + at * word_bytes_, word_bytes_));
    const Unpacked y = multiply(values_[code], factor);
    const bool is_exact =
        x.cls == y.cls &&
        (x.significand == 0 || (x.significand == y.significand && x.exponent == y.exponent));
    if (is_exact && (!rounds || x.significand == 0)) continue;
    found.any = true;
    found.any_small = found.any_small || is_small(at);
  }
  return found;
}

/// Every flag that a block of this status may raise, or more.
std::uint16_t FlagCensus::possible(std::uint64_t block, std::uint16_t status) const {
  const BlockFormat& format = reference_.config().format;
  if ((status & ~0xFF) == kBlockZero) return kBlockZero;
  if (is_scaled_ && told_by(status) == 0xFFFF) return 0xFFFF;
  const auto scale = static_cast<std::uint8_t>(status);
  if (has_undefined_codes(reference_.config(), scale)) return 0xFFFF;
  const bool is_nan = format.scale.has_nan() && scale == format.scale.canonical_nan;
  if (is_nan || (!is_scaled_ && (status & ~kStatusPlain) != 0)) return 0xFFFF;
  unsigned flags = told_by(status);
  if ((missing() & (kFlagInexact | kFlagUnderflow)) != 0) {
    const Roundings found = roundings(block, scale);
    if (found.any) flags |= kFlagInexact;
    if (found.any_small) flags |= kFlagUnderflow;
  }
  return static_cast<std::uint16_t>(flags);
}

void FlagCensus::add(std::uint64_t block, std::uint16_t status) {
  if ((possible(block, status) & missing()) == 0) return;
  const Checked<TensorSummary> answer =
      quantize_tensor(reference_, tensor_.shape, Tail::kShort, tensor_.source, tensor_.random,
                      tensor_.codes, tensor_.scales, block, block + 1);
  seen_.fetch_or(answer.value().flags, std::memory_order_relaxed);
}

}  // namespace mx::backend
