#include "golden/deviation/deviating_answers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "golden/answers/verdict.hpp"

namespace mx::golden {
namespace {

/// Room for whatever a reading makes of the codes of a format: one exponent bit more.
ElementFormat widened(const ElementFormat& f) {
  const int exp_bits = f.exp_bits + 1;
  const std::uint64_t top = (std::uint64_t{1} << exp_bits) - 1;
  ElementFormat wide = f;
  wide.name = "as read";
  wide.bits = f.bits + 1;
  wide.storage_bits = 64;
  wide.exp_bits = exp_bits;
  wide.bias = (1 << (exp_bits - 1)) - 1;
  wide.max_code = (top << f.man_bits) - 1;
  wide.canonical_nan = top << f.man_bits | std::uint64_t{1} << (f.man_bits - 1);
  return wide;
}

/// The code of the widened format that a code of `f` is read as.
std::uint64_t as_read(const ElementFormat& f, const DeviatingConfiguration& changed,
                      std::uint64_t code) {
  const ElementFormat wide = widened(f);
  const std::uint64_t top = (std::uint64_t{1} << f.exp_bits) - 1;
  const std::uint64_t field = code >> f.man_bits & top;
  std::uint64_t trailing = code & f.man_mask();
  const std::uint64_t sign = (code & f.sign_bit()) != 0 ? wide.sign_bit() : 0;
  const auto with = [&](std::int64_t exponent) {
    return sign | static_cast<std::uint64_t>(exponent + wide.bias) << f.man_bits | trailing;
  };
  if (field == top && changed.specials == SpecialReading::kAsSpecified) {
    return sign | ((std::uint64_t{1} << wide.exp_bits) - 1) << f.man_bits | trailing;
  }
  if (field != 0) return with(static_cast<std::int64_t>(field) - f.bias);
  if (trailing == 0) return sign;
  if (changed.subnormals == SubnormalReading::kLeadingOne) return with(-f.bias);
  if (changed.subnormals == SubnormalReading::kForcedOne) return with(1 - f.bias);
  const int shift = f.man_bits + 1 - static_cast<int>(std::bit_width(trailing));
  trailing = trailing << shift & f.man_mask();
  return with((changed.subnormals == SubnormalReading::kHalf ? 0 : 1) - f.bias - shift);
}

const QuantizerConfig* block_of(const Configuration& configuration) {
  return std::get_if<QuantizerConfig>(&configuration.what);
}

void set_source(Configuration& configuration, const ElementFormat& source) {
  if (auto* const block = std::get_if<QuantizerConfig>(&configuration.what)) {
    block->source = source;
  } else if (auto* const conversion = std::get_if<ConversionConfig>(&configuration.what)) {
    conversion->source = source;
  }
}

int highest_scale(const BlockFormat& format) {
  const std::uint64_t code = format.scale_limit == 0 ? format.scale.max_code : format.scale_limit;
  return static_cast<int>(code) - format.scale.bias;
}

/// Scales from 2^lowest to 2^highest, whatever the format's own range.
void set_scale_range(BlockFormat& format, int lowest, int highest) {
  ScaleFormat& scale = format.scale;
  scale.name = "held";
  scale.bits = scale.exp_bits = 10;
  scale.storage_bits = 16;
  scale.bias = -lowest;
  const std::uint64_t top = scale.code_mask();
  scale.max_code = scale.has_nan() ? top - 1 : top;
  scale.canonical_nan = scale.has_nan() ? top : 0;
  format.scale_limit = static_cast<std::uint64_t>(highest - lowest);
}

/// One record with the fields that an answer is made of or has.
RecordBatch record_like(const RecordBatch& batch) {
  RecordShape shape;
  for (std::size_t each = 0; each < kFields; ++each) {
    const Field field{static_cast<std::uint8_t>(each)};
    const bool is_told = field == Field::kConfig || field == Field::kTuser || field == Field::kOpen;
    if (batch.has(field) && !is_told) {
      shape.fields.push_back({field, static_cast<int>(batch.lanes(field)), sizeof(std::uint64_t)});
    }
  }
  return RecordBatch(shape, 1);
}

void replace(const std::map<std::uint64_t, std::uint64_t>& others, std::span<std::uint64_t> codes) {
  if (others.empty()) return;
  for (std::uint64_t& code : codes) {
    const auto found = others.find(code);
    if (found != others.end()) code = found->second;
  }
}

}  // namespace

const ElementFormat* source_of(const Configuration& configuration) {
  if (const QuantizerConfig* const block = block_of(configuration)) return &block->source;
  const auto* const conversion = std::get_if<ConversionConfig>(&configuration.what);
  return conversion == nullptr ? nullptr : &conversion->source;
}

bool is_ieee_like(const ElementFormat& f) {
  return f.kind == FormatKind::kFloat && f.is_signed && f.has_subnormal &&
         f.zero == ZeroKind::kPosAndNeg && f.inf == InfKind::kIeeeTop &&
         f.nan == NanKind::kIeeeAll && f.bits < 63;
}

bool has_exponent_scale(const Configuration& configuration) {
  const QuantizerConfig* block = block_of(configuration);
  if (block == nullptr) return false;
  const BlockFormat& format = block->format;
  const ScaleFormat& scale = format.scale;
  return scale.kind == FormatKind::kFloat && scale.man_bits == 0 && !scale.is_signed &&
         scale.zero == ZeroKind::kNone && !scale.has_inf() && scale.exp_bits <= 8 &&
         format.sublevels == std::array{0, 0};
}

DeviatingAnswers::DeviatingAnswers(const VectorHeader& header, DeviatingConfiguration changed)
    : changed_(std::move(changed)) {
  Configuration& configuration = changed_.configuration;
  for (const Structure* const each : changed_.structures) {
    if (each->configure) each->configure(configuration);
  }
  const bool is_read_differently = changed_.subnormals != SubnormalReading::kAsSpecified ||
                                   changed_.specials != SpecialReading::kAsSpecified;
  if (is_read_differently) {
    source_ = *source_of(configuration);
    set_source(configuration, widened(*source_));
  }
  if (changed_.lowest || changed_.highest) {
    BlockFormat& format = std::get<QuantizerConfig>(configuration.what).format;
    scale_ = format.scale;
    const int lowest = changed_.lowest.value_or(-scale_->bias);
    const int highest = changed_.highest.value_or(highest_scale(format));
    if (lowest > highest) return;
    set_scale_range(format, lowest, highest);
    held_ = format.scale;
  }
  // Not a copy: the other configurations may be thousands.
  header_.catalog = header.catalog;
  header_.op = header.op;
  header_.configs.push_back(configuration);
  header_.lanes = header.lanes;
  header_.lengths = header.lengths;
  header_.random_words = header.random_words;
  header_.count = 1;
  if (!problem_of(configuration).empty() || !header_.problem().empty()) return;
  if (changed_.scale_offset != 0 || !changed_.structures.empty()) {
    elements_.emplace(header_.configs[0]);
  }
  reference_ = std::make_unique<ReferenceAnswerer>(header_);
}

bool DeviatingAnswers::gives(const RecordBatch& expected, const RecordBatch& actual, std::size_t i,
                             const OpenAnswer& open) {
  assert(is_possible());
  // A unit that sums whole groups gives nothing for other numbers of products.
  if (expected.elements(Field::kA, i) % whole_group(changed_.configuration) != 0) return false;
  answer(expected, i);
  change_answer();
  for (const Field field : {Field::kScale, Field::kCode, Field::kFlags}) {
    if (!own_.has(field)) continue;
    const auto own = own_.of(field, 0);
    const auto given = actual.of(field, i);
    for (std::size_t lane = 0; lane < given.size(); ++lane) {
      if (is_wrong(open, field, lane, own[lane], given[lane])) return false;
    }
  }
  return true;
}

void DeviatingAnswers::answer(const RecordBatch& operands, std::size_t i) {
  if (own_.empty()) own_ = record_like(operands);
  for (std::size_t each = 0; each < kFields; ++each) {
    const Field field{static_cast<std::uint8_t>(each)};
    if (own_.has(field) && !is_result(field)) {
      std::ranges::copy(operands.of(field, i), own_.of(field, 0).begin());
    }
  }
  for (const Structure* const each : changed_.structures) {
    if (each->operands) each->operands(changed_.configuration, own_);
  }
  if (source_) {
    for (std::uint64_t& code : own_.of(Field::kSource, 0)) code = as_read(*source_, changed_, code);
  }
  reference_->answer(own_, 0, 1);
}

void DeviatingAnswers::change_answer() {
  for (const Structure* const each : changed_.structures) {
    if (each->answer) each->answer(*elements_, own_);
  }
  if (changed_.scale_offset != 0) move_scale();
  if (own_.has(Field::kScale)) {
    std::uint64_t& scale = own_.word(Field::kScale, 0);
    if (scale_) scale = as_format(scale);
    scale += static_cast<std::uint64_t>(std::int64_t{changed_.shown_scale_offset});
    replace(changed_.scale_codes, own_.of(Field::kScale, 0));
  }
  replace(changed_.codes, own_.of(Field::kCode, 0));
  if (own_.has(Field::kFlags)) {
    std::uint64_t& flags = own_.word(Field::kFlags, 0);
    flags = (flags & ~changed_.flags_missing) | changed_.flags_set;
  }
}

// Codes and flags once more under the other scale; the flags of the block itself stay.
void DeviatingAnswers::move_scale() {
  const BlockFormat& format = elements_->quantizer().config().format;
  const std::uint64_t scale = own_.word(Field::kScale, 0);
  if (format.scale.has_nan() && scale == format.scale.canonical_nan) return;
  const std::int64_t moved =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(scale) + changed_.scale_offset, 0,
                               static_cast<std::int64_t>(format.scale.max_code));
  if (moved == static_cast<std::int64_t>(scale)) return;
  elements_->recode(own_, static_cast<std::uint64_t>(moved));
}

/// A code of the wider range of scales in the format's own.
std::uint64_t DeviatingAnswers::as_format(std::uint64_t code) const {
  if (held_.has_nan() && code == held_.canonical_nan) return scale_->canonical_nan;
  const std::int64_t shown = static_cast<std::int64_t>(code) - held_.bias + scale_->bias;
  const bool is_code = shown >= 0 && static_cast<std::uint64_t>(shown) <= scale_->code_mask();
  return is_code ? static_cast<std::uint64_t>(shown) : kNoCode;
}

}  // namespace mx::golden
