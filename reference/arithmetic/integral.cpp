#include "reference/arithmetic/integral.hpp"

#include "reference/format/integers.hpp"
#include "reference/number/rounding.hpp"

namespace mx {
namespace {

/// A magnitude below 2^64 rounded to an integer.
struct Integral {
  std::uint64_t magnitude = 0;
  bool inexact = false;
};

/// x is finite and below 2^64, where no rounding carries beyond 64 bits: what is not integral lies
/// below 2^63.
Integral integral_of(const Unpacked& x, Rounding rounding) {
  std::uint64_t whole = 0;
  Discarded rest;
  if (x.exponent >= 0) {
    whole = x.significand >> (63 - x.exponent);
    rest.fraction = x.exponent == 63 ? 0 : x.significand << (x.exponent + 1);
  } else if (x.exponent >= -64) {
    const int below = -1 - x.exponent;  // zeros between the point and the leading one
    rest.fraction = x.significand >> below;
    rest.below = below != 0 && x.significand << (64 - below) != 0;
  } else {
    rest.below = true;
  }
  const bool up = round_up(rounding, x.negative, (whole & 1) != 0, rest, 1, 0);
  return {whole + (up ? 1 : 0), !rest.exact()};
}

std::uint64_t code_out_of_range(const Unpacked& x, const ElementFormat& format, OutOfRange rule) {
  const std::uint64_t least = format.sign_bit();
  if (rule == OutOfRange::kIndefinite) return format.is_signed ? least : format.max_code;
  if (x.cls == ValueClass::kNan) return rule == OutOfRange::kSaturateNanMax ? format.max_code : 0;
  return x.negative ? least : format.max_code;
}

}  // namespace

RealResult exact_round_to_integral(const Unpacked& x, Rounding rounding) {
  if (const auto nan = propagate_nan({&x})) return *nan;
  if (x.cls != ValueClass::kFinite || x.exponent >= 63) return {x};
  const Integral integral = integral_of(x, rounding);
  return {.value = unpack_integer(x.negative, integral.magnitude, 0), .inexact = integral.inexact};
}

Encoded to_integer(const Unpacked& x, Rounding rounding, const IntegerConversion& conversion) {
  const ElementFormat& format = formats::integer(conversion.type);
  const Encoded beyond{code_out_of_range(x, format, conversion.out_of_range), kFlagInvalid};
  if (x.cls == ValueClass::kZero) return {};
  if (x.cls != ValueClass::kFinite || x.exponent > 63) return beyond;
  const Integral integral = integral_of(x, rounding);
  // An unsigned type has no sign bit: its only negative integer is none.
  const std::uint64_t most = x.negative ? format.sign_bit() : format.max_code;
  if (integral.magnitude > most) return beyond;
  const std::uint64_t code = x.negative ? ~integral.magnitude + 1 : integral.magnitude;
  return {code & format.code_mask(),
          integral.inexact ? std::uint8_t{kFlagInexact} : std::uint8_t{0}};
}

}  // namespace mx
