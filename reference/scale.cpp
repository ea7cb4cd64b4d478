#include "scale.hpp"

namespace mx {
namespace {

/// The significand of amax with the hidden bit cleared: the fraction f of 2^e (1 + f), in 2^-63.
std::uint64_t fraction_of(const Unpacked& x) { return x.significand << 1; }

/// Does the rule add one to the exponent of the maximum?
bool rule_carries(const Unpacked& amax, const ElementFormat& element, ScaleRule rule) {
  const std::uint64_t fraction = fraction_of(amax);
  // The even rules look at the top m + 1 fraction bits: are all of them ones?
  const int m = element.rule_man_bits();
  const std::uint64_t ones = ~std::uint64_t{0} << (63 - m);
  switch (rule) {
    case ScaleRule::kFloor:
      return false;
    case ScaleRule::kCeil:
      return fraction != 0;
    case ScaleRule::kRceil:
      return fraction > fraction_of(decode(element, element.max_code));
    case ScaleRule::kEvenUp:
      return (fraction & ones) == ones;
    case ScaleRule::kEvenDown:
      return (fraction & ones) == ones && (fraction & ~ones) != 0;
  }
  return false;
}

ScaleChoice clamp_to_format(int unclamped, const ScaleFormat& scale, ScaleSat sat) {
  ScaleChoice choice{.unclamped = unclamped};
  const int top = static_cast<int>(scale.max_code);
  choice.clamped = unclamped < 0 || unclamped > top;
  if (unclamped < 0) {
    choice.code = 0;
  } else if (unclamped <= top) {
    choice.code = static_cast<std::uint64_t>(unclamped);
  } else {
    choice.code = sat == ScaleSat::kToNan && scale.has_nan() ? scale.canonical_nan : scale.max_code;
  }
  return choice;
}

}  // namespace

ScaleChoice choose_scale(const Unpacked& amax, const ElementFormat& element,
                         const ScaleFormat& scale, const BlockPolicy& policy) {
  const bool carries = rule_carries(amax, element, policy.rule);
  const int exponent = amax.exponent + (carries ? 1 : 0);
  const bool is_even = policy.rule == ScaleRule::kEvenUp || policy.rule == ScaleRule::kEvenDown;
  if (is_even && exponent >= 128 && policy.even_carry == EvenCarry::kToNan) {
    return {.code = scale.canonical_nan,
            .unclamped = exponent + scale.bias - element.emax(),
            .clamped = true};
  }
  return clamp_to_format(exponent + scale.bias - element.emax(), scale, policy.scale_sat);
}

ScaleChoice choose_scale_as_e255(const ElementFormat& element, const ScaleFormat& scale,
                                 const BlockPolicy& policy) {
  const Unpacked two_to_128{
      .cls = ValueClass::kFinite, .exponent = 128, .significand = std::uint64_t{1} << 63};
  return choose_scale(two_to_128, element, scale, policy);
}

}  // namespace mx
