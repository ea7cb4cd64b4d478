#include "golden/config_word/config_word.hpp"

#include <cstddef>
#include <string_view>

#include "golden/config_word/table.hpp"
#include "reference/format/table.hpp"

namespace mx::golden {
namespace {

constexpr std::uint32_t kScaleNan = 0xFF;

constexpr std::uint32_t field_mask(ConfigWordField field) { return (1U << field.width) - 1; }

constexpr std::uint32_t used_bits() {
  std::uint32_t bits = 0;
  for (const ConfigWordField& field : kConfigWordFields) bits |= field_mask(field) << field.lsb;
  return bits;
}

/// Builds the word; remembers whether every value had a code.
class Encoder {
 public:
  template <typename Codes, typename Value>
  void put(ConfigWordField field, const Codes& codes, const Value& value) {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (codes[i] == value) return put(field, static_cast<std::uint32_t>(i));
    }
    expressible_ = false;
  }
  void put(ConfigWordField field, std::uint32_t code) { word_ |= code << field.lsb; }
  void require(bool condition) { expressible_ = expressible_ && condition; }
  [[nodiscard]] std::optional<std::uint32_t> word() const {
    return expressible_ ? std::optional(word_) : std::nullopt;
  }

 private:
  std::uint32_t word_ = 0;
  bool expressible_ = true;
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

bool is_table_row(const ElementFormat& format) {
  const ElementFormat* row = find_format(format.name);
  return row != nullptr && *row == format;
}

const BlockFormat* block_format_with(std::string_view element) {
  for (const BlockFormat& row : mx_block_formats()) {
    if (row.element.name == element) return &row;
  }
  return nullptr;
}

}  // namespace

std::optional<std::uint32_t> config_word_of(const QuantizerConfig& config) {
  namespace f = config_word_field;
  const ElementPolicy& element = config.element;
  const BlockPolicy& block = config.block;
  Encoder word;
  word.require(is_table_row(config.source) && is_table_row(config.format.element));
  word.require(config.format.scale == formats::e8m0);
  word.require(element.staging == Staging::kNone && element.dst_ftz == ResultSubnormals::kKeep);
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
  return word.word();
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

std::uint16_t status_of(const BlockResult& result) {
  const auto bit = [&](unsigned flag, int position) {
    return (result.flags & flag) != 0 ? 1U << position : 0U;
  };
  unsigned status = static_cast<unsigned>(result.scale_code & 0xFF);
  status |= bit(kBlockScaleClamped, 8) | bit(kBlockZero, 9);
  status |= bit(kBlockHasInf, 10) | bit(kBlockHasNan, 11);
  if (result.scale_code != kScaleNan) status |= bit(kFlagToZero, 12) | bit(kFlagOverflow, 13);
  return static_cast<std::uint16_t>(status);
}

}  // namespace mx::golden
