#include "tests/device/conversions/rule.hpp"

#include <vector>

#include "reference/bulk/bulk.hpp"
#include "reference/format/table.hpp"
#include "reference/profiles/profile.hpp"
#include "tests/support/made.hpp"

namespace mx::device {

Rule Rule::of_profile(std::string_view profile, const ElementFormat& source,
                      const ElementFormat& destination, std::string_view variant) {
  Rule rule;
  rule.config_ = element_conversion(*find_profile(profile), source, destination, variant).value();
  // The profile masks the payload of binary64 NaNs in e5m2; spec F10.3 says which bit it is.
  if (source.bits == 64 && destination.name == formats::e5m2.name) rule.payload_bit_ = 50;
  return rule;
}

Rule Rule::wide(const ElementFormat& source, const ElementFormat& destination, Rounding rounding,
                Overflow overflow) {
  Rule rule;
  rule.config_ = {source, destination, {.rounding = rounding, .overflow = overflow}};
  rule.is_exact_ = source.bits <= 8;
  if (destination.name == formats::tf32.name) {
    rule.below_ = seen::kBitsBelowTf32;
  } else {
    rule.config_.destination.canonical_nan = seen::kNanOfHalves;
  }
  return rule;
}

Rule Rule::wrong() const {
  Rule rule = *this;
  if (is_exact_) {
    rule.flipped_ = 1;
    return rule;
  }
  Rounding& rounding = rule.config_.policy.rounding;
  rounding = rounding == Rounding::kTiesToEven ? Rounding::kTiesToAway : Rounding::kTiesToEven;
  return rule;
}

bool Rule::is_nan(Code input) const {
  const ElementFormat& source = config_.source;
  // Wide sources are IEEE's: above the largest finite code is Inf, and above it NaN.
  if (source.bits > 8) return (input & source.magnitude_mask()) > source.max_code + 1;
  return decode(source, input).cls == ValueClass::kNan;
}

Code Rule::word_of_nan(Code input) const {
  if (config_.policy.rounding != Rounding::kTiesToAway) return seen::kNanOfTf32Register;
  const Code cut = input >> below_;
  return (config_.policy.overflow == Overflow::kSatFinite ? cut - 1 : cut) << below_;
}

Kind Rule::kind(Code input) const {
  switch (decode(config_.source, input).cls) {
    case ValueClass::kNan:
      return Kind::kNan;
    case ValueClass::kInf:
      return Kind::kInfinity;
    case ValueClass::kZero:
      return Kind::kZero;
    default:
      return Kind::kNumber;
  }
}

void Rule::answer(std::span<const Code> inputs, std::span<Code> words) const {
  const Conversion conversion = made(config_);
  if (flipped_ == 0) {
    bulk::convert(conversion, inputs, {}, words, {});
  } else {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      words[i] = conversion(inputs[i] ^ flipped_).code;
    }
  }
  if (below_ != 0) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      words[i] = is_nan(inputs[i]) ? word_of_nan(inputs[i]) : words[i] << below_;
    }
  }
  if (payload_bit_ >= 0) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (is_nan(inputs[i])) words[i] |= inputs[i] >> payload_bit_ & 1;
    }
  }
}

Code Rule::relu(Code input, Code word) const {
  const Code sign = Code{1} << (word_bits() - 1);
  return (word & sign) == 0 || is_nan(input) ? word : seen::kReluOfNegative;
}

}  // namespace mx::device
