// SPDX-License-Identifier: Apache-2.0
#include "golden/config_word/unit_words.hpp"

#include <algorithm>

#include "golden/bytes/number_text.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

using Values = std::vector<std::string_view>;

std::string_view text_of(std::string_view name) { return name; }
template <typename E>
std::string_view text_of(E value) {
  return token_of(value);
}

template <typename Codes>
Values values_of(const Codes& codes) {
  Values values;
  for (const auto& each : codes) values.push_back(text_of(each));
  return values;
}

Values with(Values values, std::string_view last) {
  values.push_back(last);
  return values;
}

UnitWord quantizer_word() {
  namespace f = config_word_field;
  return {"mx_quantizer",
          32,
          {{"format", f::kFormat, values_of(kFormatCodes)},
           {"rounding", f::kRounding, with(values_of(kRoundingCodes), kStochasticName)},
           {"rule", f::kRule, values_of(kRuleCodes)},
           {"source", f::kSource, values_of(kSourceCodes)},
           {"overflow", f::kOverflow, values_of(kOverflowCodes)},
           {"amax_over", f::kAmaxOver, values_of(kAmaxOverCodes)},
           {"inf_block", f::kInfBlock, values_of(kInfBlockCodes)},
           {"elem_codes_when_nan_scale", f::kNanScaleCodes, values_of(kNanScaleCodesCodes)},
           {"even_carry", f::kEvenCarry, values_of(kEvenCarryCodes)},
           {"nan", f::kNan, values_of(kNanCodes)},
           {"zero_block_scale", f::kZeroBlockScale, values_of(kZeroBlockScaleCodes)},
           {"scale_sat", f::kScaleSat, values_of(kScaleSatCodes)},
           {"int_min", f::kIntMin, values_of(kIntMinCodes)},
           {"zero_sign", f::kZeroSign, values_of(kZeroSignCodes)},
           {"src_ftz", f::kSrcFtz, values_of(kSrcFtzCodes)}}};
}

Values formats_with_nvfp4() { return with(values_of(kFormatCodes), "nvfp4"); }

UnitWord dequantizer_word() {
  namespace f = dequantizer_field;
  return {"mx_dequantizer",
          16,
          {{"scale", f::kScale, {}},
           {"format", f::kFormat, formats_with_nvfp4()},
           {"result", f::kResult, values_of(kSourceCodes)},
           {"dequant_overflow", f::kOverflow, values_of(kDequantOverflowCodes)}}};
}

UnitWord nvfp4_word() {
  namespace f = nvfp4_field;
  const Values sources = values_of(kSourceCodes);
  return {"mx_nvfp4_quantizer",
          33,
          {{"tensor_scale", f::kTensorScale, {}},
           {"source", f::kSource, {sources.begin(), sources.begin() + 2}}}};
}

UnitWord dot_word() {
  namespace f = dot_field;
  return {"mx_dot",
          64,
          {{"scale_a", f::kScaleA, {}},
           {"scale_b", f::kScaleB, {}},
           {"format_a", f::kFormatA, formats_with_nvfp4()},
           {"format_b", f::kFormatB, formats_with_nvfp4()},
           {"c", f::kAddend, {}}}};
}

std::uint64_t mask(int width) { return width == 64 ? ~std::uint64_t{0} : (1ULL << width) - 1; }

std::string bits_text(int lsb, int width) {
  return width == 1 ? std::to_string(lsb) : filled("{}:{}", lsb + width - 1, lsb);
}

}  // namespace

std::string UnitField::bits() const { return bits_text(place.lsb, place.width); }

std::uint64_t UnitField::code_of(std::uint64_t word) const {
  return word >> place.lsb & mask(place.width);
}

const UnitField* UnitWord::field(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &UnitField::name);
  return found == fields.end() ? nullptr : &*found;
}

std::string UnitWord::problem(std::uint64_t word) const {
  if ((word & ~mask(width)) != 0) {
    return filled("s_axis_tuser of {} has {} bits; give {} hexadecimal digits", unit, width,
                  (width + 3) / 4);
  }
  int next = 0;
  const auto idle = [&](int end) -> std::string {
    const std::uint64_t code = word >> next & mask(end - next);
    if (end == next || code == 0) return {};
    return filled("bits {}, which no field of {} has, are {}; they are 0",
                  bits_text(next, end - next), unit, code);
  };
  for (const UnitField& field : fields) {
    if (const std::string problem = idle(field.place.lsb); !problem.empty()) return problem;
    next = field.place.lsb + field.place.width;
    const std::uint64_t code = field.code_of(word);
    if (field.values.empty() || code < field.values.size()) continue;
    std::string known;
    for (std::size_t i = 0; i < field.values.size(); ++i) {
      known += filled("{}{} {}", i == 0 ? "" : ", ", i, field.values[i]);
    }
    return filled("bits {}, {}, are {}, which means nothing to {}; codes: {}", field.bits(),
                  field.name, code, unit, known);
  }
  return next == width ? std::string() : idle(width);
}

std::span<const UnitWord> unit_words() {
  static const std::vector<UnitWord> kWords = {quantizer_word(), dequantizer_word(), nvfp4_word(),
                                               dot_word()};
  return kWords;
}

}  // namespace mx::golden
