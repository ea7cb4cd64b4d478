#include "golden/config_word/config_word.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "golden/config_word/table.hpp"
#include "golden/text/filled.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/fields.hpp"

namespace mx::golden {
namespace {

constexpr std::uint32_t field_mask(ConfigWordField field) { return (1U << field.width) - 1; }

constexpr std::uint32_t used_bits() {
  std::uint32_t bits = 0;
  for (const ConfigWordField& field : kConfigWordFields) bits |= field_mask(field) << field.lsb;
  return bits;
}

/// Builds the word. A value without a code becomes code 0, which reading back shows.
class Encoder {
 public:
  template <typename Codes, typename Value>
  void put(ConfigWordField field, const Codes& codes, const Value& value) {
    const auto found = std::ranges::find(codes, value);
    const bool has_code = found != codes.end();
    put(field, has_code ? static_cast<std::uint32_t>(found - codes.begin()) : 0);
  }
  void put(ConfigWordField field, std::uint32_t code) { word_ |= code << field.lsb; }
  [[nodiscard]] std::uint32_t word() const { return word_; }

 private:
  std::uint32_t word_ = 0;
};

/// Reads fields of a word; remembers whether every code was legal.
class Decoder {
 public:
  explicit Decoder(std::uint32_t word) : word_(word), legal_((word & ~used_bits()) == 0) {}
  [[nodiscard]] std::uint32_t code(ConfigWordField field) const {
    return (word_ >> field.lsb) & field_mask(field);
  }
  template <typename Codes>
  typename Codes::value_type get(ConfigWordField field, const Codes& codes) {
    const std::uint32_t index = code(field);
    if (index < codes.size()) return codes[index];
    legal_ = false;
    return codes[0];
  }
  [[nodiscard]] bool legal() const { return legal_; }

 private:
  std::uint32_t word_;
  bool legal_;
};

const BlockFormat* block_format_with(std::string_view element) {
  for (const BlockFormat& row : mx_block_formats()) {
    if (row.element.name == element) return &row;
  }
  return nullptr;
}

/// Can this field change nothing in the scale, the codes or the status of such a block?
bool is_idle(std::string_view field, const QuantizerConfig& config) {
  const ScaleRuleFacts& rule = facts_of(config.block.rule);
  if (field == "random_bits") return !is_stochastic(config.element.rounding) && !rule.draws;
  if (field == "ratio_op") return !rule.reads_ratio_op;
  if (field == "even_carry") return !rule.reads_even_carry;
  // All elements are signed and have a zero, the scale is a power of two, conversions to e8m0 have
  // a rule of their own, and a NaN block has one code.
  constexpr std::array<std::string_view, 9> kIdle{
      "tininess",       "unsigned_negative", "zero_in",     "dequant_overflow", "four_over_six",
      "scale_rounding", "scale_overflow",    "scale_floor", "nan_block"};
  return std::ranges::find(kIdle, field) != kIdle.end();
}

bool same_facts(ElementFormat a, const ElementFormat& b) {
  a.name = b.name;
  return a == b;
}

/// What reading the word back did not give again; "" if nothing.
std::string lost(const QuantizerConfig& config, const QuantizerConfig& back) {
  const auto differs = [](std::string_view what, std::string_view value) {
    return filled("{} {} has no code", what, value);
  };
  const BlockFormat& format = config.format;
  if (!same_facts(config.source, back.source)) return differs("source", config.source.name);
  if (!same_facts(format.element, back.format.element)) {
    return differs("element", format.element.name);
  }
  if (!same_facts(format.scale, back.format.scale)) return differs("scale", format.scale.name);
  const bool is_plain = format.tile_lines == 1 && format.extent == BlockExtent::kElements &&
                        format.tensor_scale == TensorScale::kNone && format.sublevels[0] == 0 &&
                        format.cut_from == 0 && format.negative_zero == NegativeZeroDatum::kZero &&
                        !format.rule_emax && format.scale_limit == 0;
  if (!is_plain) return differs("block format", format.name);
  const Policies given{config.element, config.block};
  const Policies read{back.element, back.block};
  for (const PolicyField& field : policy_fields()) {
    if (field.read(given) != field.read(read) && !is_idle(field.name, config)) {
      return differs(field.name, field.read(given));
    }
  }
  return {};
}

}  // namespace

ConfigWordContext context_of(const QuantizerConfig& config) {
  ConfigWordContext context;
  context.block_size = config.format.block_size;
  context.random_bits = config.element.random_bits;
  if (is_stochastic(config.element.rounding)) context.stochastic = config.element.rounding;
  return context;
}

ConfigWord config_word_of(const QuantizerConfig& config) {
  namespace f = config_word_field;
  const ElementPolicy& element = config.element;
  const BlockPolicy& block = config.block;
  Encoder word;
  word.put(f::kFormat, kFormatCodes, config.format.element.name);
  word.put(f::kSource, kSourceCodes, config.source.name);
  if (is_stochastic(element.rounding)) {
    word.put(f::kRounding, kStochasticCode);
  } else {
    word.put(f::kRounding, kRoundingCodes, element.rounding);
  }
  word.put(f::kRule, kRuleCodes, block.rule);
  word.put(f::kOverflow, kOverflowCodes, element.overflow);
  word.put(f::kAmaxOver, kAmaxOverCodes, block.amax_over);
  word.put(f::kInfBlock, kInfBlockCodes, block.inf_block);
  word.put(f::kNanScaleCodes, kNanScaleCodesCodes, block.nan_scale_codes);
  word.put(f::kEvenCarry, kEvenCarryCodes, block.even_carry);
  word.put(f::kNan, kNanCodes, element.nan);
  word.put(f::kZeroBlockScale, kZeroBlockScaleCodes, block.zero_block_scale);
  word.put(f::kScaleSat, kScaleSatCodes, block.scale_sat);
  word.put(f::kIntMin, kIntMinCodes, element.int_min);
  word.put(f::kZeroSign, kZeroSignCodes, element.zero_sign);
  word.put(f::kSrcFtz, kSrcFtzCodes, element.src_ftz);
  const auto back = config_of(word.word(), context_of(config));
  return {word.word(), back ? lost(config, *back) : "the word read back is illegal"};
}

std::optional<QuantizerConfig> config_of(std::uint32_t config_word,
                                         const ConfigWordContext& context) {
  namespace f = config_word_field;
  Decoder word(config_word);
  QuantizerConfig config;
  ElementPolicy& element = config.element;
  BlockPolicy& block = config.block;
  const std::string_view format_name = word.get(f::kFormat, kFormatCodes);
  const std::string_view source_name = word.get(f::kSource, kSourceCodes);
  if (word.code(f::kRounding) == kStochasticCode) {
    element.rounding = context.stochastic;
  } else {
    element.rounding = word.get(f::kRounding, kRoundingCodes);
  }
  element.random_bits = context.random_bits;
  element.overflow = word.get(f::kOverflow, kOverflowCodes);
  element.nan = word.get(f::kNan, kNanCodes);
  element.zero_sign = word.get(f::kZeroSign, kZeroSignCodes);
  element.int_min = word.get(f::kIntMin, kIntMinCodes);
  element.src_ftz = word.get(f::kSrcFtz, kSrcFtzCodes);
  block.rule = word.get(f::kRule, kRuleCodes);
  block.scale_sat = word.get(f::kScaleSat, kScaleSatCodes);
  block.even_carry = word.get(f::kEvenCarry, kEvenCarryCodes);
  block.amax_over = word.get(f::kAmaxOver, kAmaxOverCodes);
  block.inf_block = word.get(f::kInfBlock, kInfBlockCodes);
  block.zero_block_scale = word.get(f::kZeroBlockScale, kZeroBlockScaleCodes);
  block.nan_scale_codes = word.get(f::kNanScaleCodes, kNanScaleCodesCodes);

  const ElementFormat* source = find_format(source_name);
  const BlockFormat* format = block_format_with(format_name);
  if (!word.legal() || source == nullptr || format == nullptr) return std::nullopt;
  config.source = *source;
  config.format = *format;
  config.format.block_size = context.block_size;
  return config;
}

std::uint8_t status_bits_of(const BlockResult& result) {
  const auto bit = [&](unsigned flag, int position) {
    return (result.flags & flag) != 0 ? 1U << position : 0U;
  };
  unsigned bits =
      bit(kBlockScaleClamped, 0) | bit(kBlockZero, 1) | bit(kBlockHasInf, 2) | bit(kBlockHasNan, 3);
  if ((result.flags & kBlockNanScale) == 0) bits |= bit(kFlagToZero, 4) | bit(kFlagOverflow, 5);
  return static_cast<std::uint8_t>(bits);
}

std::uint16_t status_of(const BlockResult& result) {
  return static_cast<std::uint16_t>(unsigned{status_bits_of(result)} << 8 |
                                    (result.scale_code & 0xFF));
}

}  // namespace mx::golden
