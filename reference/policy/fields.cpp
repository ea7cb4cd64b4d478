#include "reference/policy/fields.hpp"

#include <array>
#include <charconv>

namespace mx {
namespace {

template <typename E>
std::vector<std::string_view> all_tokens() {
  std::vector<std::string_view> names;
  for (const Token<E>& token : tokens<E>()) names.push_back(token.text);
  return names;
}

template <typename E, typename Policy>
bool write_token(Policy& policy, E Policy::*member, std::string_view text) {
  const std::optional<E> value = parse_token<E>(text);
  if (value) policy.*member = *value;
  return value.has_value();
}

template <auto Member>
struct Access;

template <typename E, E ElementPolicy::*Member>
struct Access<Member> {
  static bool write(Policies& p, std::string_view text) {
    return write_token(p.element, Member, text);
  }
  static std::string read(const Policies& p) { return std::string(token_of(p.element.*Member)); }
  static PolicyField field(std::string_view name, std::string_view summary) {
    return {name, FieldScope::kElement, summary, &all_tokens<E>, &write, &read};
  }
};

template <typename E, E BlockPolicy::*Member>
struct Access<Member> {
  static bool write(Policies& p, std::string_view text) {
    return write_token(p.block, Member, text);
  }
  static std::string read(const Policies& p) { return std::string(token_of(p.block.*Member)); }
  static PolicyField field(std::string_view name, std::string_view summary) {
    return {name, FieldScope::kBlock, summary, &all_tokens<E>, &write, &read};
  }
};

bool write_random_bits(Policies& p, std::string_view text) {
  int bits = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bits);
  if (error != std::errc{} || end != text.data() + text.size() || bits < 1 || bits > 32) {
    return false;
  }
  p.element.random_bits = bits;
  return true;
}

template <auto Member>
PolicyField field(std::string_view name, std::string_view summary) {
  return Access<Member>::field(name, summary);
}

using E = ElementPolicy;
using B = BlockPolicy;

}  // namespace

std::span<const PolicyField> policy_fields() {
  static const std::array kFields = {
      field<&E::rounding>("rounding", "how a value between two codes is rounded"),
      PolicyField{"random_bits", FieldScope::kElement, "N of the stochastic roundings, 1..32",
                  +[] { return std::vector<std::string_view>{}; }, &write_random_bits,
                  +[](const Policies& p) { return std::to_string(p.element.random_bits); }},
      field<&E::overflow>("overflow", "a value beyond the largest finite one, or an infinity"),
      field<&E::nan>("nan", "the code of a NaN element"),
      field<&E::zero_sign>("zero_sign", "what becomes of -0"),
      field<&E::unsigned_negative>("unsigned_negative", "a negative value, unsigned format"),
      field<&E::zero_in>("zero_in", "a zero, format without zero"),
      field<&E::int_min>("int_min", "may the most negative integer code be produced"),
      field<&E::src_ftz>("src_ftz", "subnormal sources"),
      field<&E::dst_ftz>("dst_ftz", "subnormal results"),
      field<&E::tininess>("tininess", "when a result counts as tiny (underflow flag)"),
      field<&E::staging>("staging", "a first rounding to another format"),
      field<&B::rule>("rule", "how the block maximum chooses the shared scale"),
      field<&B::ratio_op>("ratio_op", "how amax / largest element is computed"),
      field<&B::scale_sat>("scale_sat", "a scale above the largest code"),
      field<&B::even_carry>("even_carry", "even rules at a maximum that rounds up to 2^128"),
      field<&B::amax_over>("amax_over", "which elements the block maximum looks at"),
      field<&B::nan_block>("nan_block", "a block with a NaN"),
      field<&B::inf_block>("inf_block", "a block with an infinite maximum"),
      field<&B::zero_block_scale>("zero_block_scale", "the scale of a block of zeros"),
      field<&B::scale_floor>("scale_floor", "the smallest scale a real-valued rule may choose"),
      field<&B::nan_scale_codes>("elem_codes_when_nan_scale", "element codes under a NaN scale"),
      field<&B::elem_scaling>("elem_scaling", "how an element is brought to the scale"),
      field<&B::four_over_six>("four_over_six", "nvfp4_4over6: error compared, largest scale"),
      field<&B::scale_rounding>("scale_rounding", "maxabs_finite: how the scale is rounded"),
      field<&B::scale_overflow>("scale_overflow", "maxabs_finite: a scale beyond the largest"),
      field<&E::e8m0_quirk>("e8m0_quirk", "e8m0 conversions of other systems at the lowest code"),
      field<&B::src_daz_block>("src_daz_block", "blocks whose maximum is below 2^-126"),
      field<&B::dequant_overflow>("dequant_overflow", "a product beyond the output format")};
  return kFields;
}

const PolicyField* find_policy_field(std::string_view name) {
  for (const PolicyField& field : policy_fields()) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

FieldError set_policy(Policies& policies, std::string_view name, std::string_view value) {
  const PolicyField* field = find_policy_field(name);
  if (field == nullptr) return FieldError::kUnknownField;
  return field->write(policies, value) ? FieldError::kNone : FieldError::kUnknownValue;
}

}  // namespace mx
