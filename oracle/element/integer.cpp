#include "oracle/element/integer.hpp"

#include "reference/format/integers.hpp"

namespace mx::oracle {
namespace {

Rational rounded(const Rational& magnitude, Rounding rounding, bool negative) {
  const Integer below = mp::numerator(magnitude) / mp::denominator(magnitude);
  const Rational rest = magnitude - Rational(below);
  Position gap;
  gap.exact = rest == 0;
  gap.half = Rational(2 * rest).compare(Rational(1));
  gap.odd = below % 2 != 0;
  return Rational(below) + (goes_up(rounding, negative, gap, 1, 0) ? 1 : 0);
}

/// The bits of a whole number that the type holds.
std::uint64_t bits_of(const Rational& value, int bits) {
  const Integer modulus = Integer(1) << bits;
  const Integer whole = mp::numerator(value);
  return static_cast<std::uint64_t>(whole < 0 ? Integer(whole + modulus) : whole);
}

}  // namespace

Rational nearest_even(const Rational& magnitude) {
  return rounded(magnitude, Rounding::kTiesToEven, false);
}

Exact round_to_integral(const Exact& x, Rounding rounding) {
  Exact out = x;
  if (x.kind != Kind::kFinite) return out;
  out.magnitude = rounded(x.magnitude, rounding, x.negative);
  out.inexact = out.magnitude != x.magnitude;
  return out;
}

Outcome to_integer(const Real& x, Rounding rounding, const IntegerConversion& conversion) {
  const ElementFormat& type = formats::integer(conversion.type);
  const Rational all = RationalField::make(1, type.bits);
  const Rational least = type.is_signed ? Rational(-(all / 2)) : Rational(0);
  const Rational most = least + all - 1;
  Rational value;
  switch (x.kind) {
    case Kind::kNan:
      value = conversion.out_of_range == OutOfRange::kSaturateNanZero ? Rational(0) : most;
      break;
    case Kind::kInf:
      value = x.negative ? least : most;
      break;
    case Kind::kFinite: {
      const Exact whole = round_to_integral(from_real(x), rounding);
      value = signed_value(whole);
      if (least <= value && value <= most) {
        return {bits_of(value, type.bits),
                static_cast<std::uint8_t>(whole.inexact ? kFlagInexact : 0)};
      }
      value = value < least ? least : most;
      break;
    }
  }
  if (conversion.out_of_range == OutOfRange::kIndefinite) value = type.is_signed ? least : most;
  return {bits_of(value, type.bits), kFlagInvalid};
}

}  // namespace mx::oracle
