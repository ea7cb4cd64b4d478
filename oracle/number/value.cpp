#include "oracle/number/value.hpp"

#include <array>

namespace mx::oracle {
namespace {

constexpr std::uint64_t kTaperedInfinity = 0x6F;

std::uint64_t ones(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

Real integer_value(const ElementFormat& format, std::uint64_t code) {
  Real x;
  x.exponent = -format.frac_bits;
  x.significand = code;
  if (format.is_signed && ((code >> (format.bits - 1)) & 1) != 0) {
    x.negative = true;
    x.significand = (~code + 1) & ones(format.bits);  // i = code - 2^bits
  }
  return x;
}

bool is_nan(const ElementFormat& format, std::uint64_t code, std::uint64_t magnitude,
            std::uint64_t field, std::uint64_t trailing) {
  switch (format.nan) {
    case NanKind::kNone:
      return false;
    case NanKind::kIeeeAll:
      return field == ones(format.exp_bits) && trailing != 0;
    case NanKind::kOuterOnePerSign:
      return magnitude == ones(format.is_signed ? format.bits - 1 : format.bits);
    case NanKind::kNegZeroSlot:
      return code == std::uint64_t{1} << (format.bits - 1);
    case NanKind::kTopCode:
      return code == ones(format.bits);
  }
  return false;
}

bool is_inf(const ElementFormat& format, std::uint64_t code, std::uint64_t magnitude,
            std::uint64_t field, std::uint64_t trailing) {
  switch (format.inf) {
    case InfKind::kNone:
      return false;
    case InfKind::kIeeeTop:
      return field == ones(format.exp_bits) && trailing == 0;
    case InfKind::kP3109Top:
      return format.is_signed ? magnitude == ones(format.bits - 1) : code == ones(format.bits) - 1;
  }
  return false;
}

/// The rows of the code table of spec F3.3, longest prefix last.
struct TaperedRow {
  unsigned prefix;
  int prefix_bits;
  int exponent_bits;
  int mantissa_bits;
};
constexpr std::array kTaperedRows = {TaperedRow{0b11, 2, 4, 1}, TaperedRow{0b10, 2, 3, 2},
                                     TaperedRow{0b01, 2, 2, 3}, TaperedRow{0b001, 3, 1, 3},
                                     TaperedRow{0b0001, 4, 0, 3}};

Real tapered_value(std::uint64_t code) {
  Real x;
  x.negative = (code & 0x80) != 0;
  const std::uint64_t magnitude = code & 0x7F;
  if (code == 0x80) {
    x.kind = Kind::kNan;
    x.negative = false;
    return x;
  }
  if (magnitude == kTaperedInfinity) {
    x.kind = Kind::kInf;
    return x;
  }
  for (const TaperedRow& row : kTaperedRows) {
    if (magnitude >> (7 - row.prefix_bits) != row.prefix) continue;
    const std::uint64_t field = (magnitude >> row.mantissa_bits) & ones(row.exponent_bits);
    int exponent = 0;
    if (row.exponent_bits > 0) {
      // Sign and magnitude; the leading 1 of the magnitude is not stored.
      const std::uint64_t leading = std::uint64_t{1} << (row.exponent_bits - 1);
      exponent = static_cast<int>(leading | (field & (leading - 1)));
      if ((field & leading) != 0) exponent = -exponent;
    }
    x.significand = (magnitude & ones(row.mantissa_bits)) | (std::uint64_t{1} << row.mantissa_bits);
    x.exponent = exponent - row.mantissa_bits;
    return x;
  }
  x.significand = magnitude == 0 ? 0 : 1;
  x.exponent = static_cast<int>(magnitude) - 23;
  return x;
}

Real sign_magnitude_value(const ElementFormat& format, std::uint64_t code) {
  Real x;
  x.negative = ((code >> (format.bits - 1)) & 1) != 0;
  x.significand = code & ones(format.bits - 1);
  x.exponent = -format.frac_bits;
  return x;
}

}  // namespace

Real value_of(const ElementFormat& format, std::uint64_t code) {
  switch (format.kind) {
    case FormatKind::kTwosComplement:
      return integer_value(format, code);
    case FormatKind::kSignMagnitude:
      return sign_magnitude_value(format, code);
    case FormatKind::kTapered:
      return tapered_value(code);
    case FormatKind::kFloat:
      break;
  }

  if (format.kind == FormatKind::kSignMagnitude) {
    Real x;
    x.negative = code >> (format.bits - 1) != 0;
    x.significand = code & ones(format.bits - 1);
    x.exponent = -format.frac_bits;
    return x;
  }

  // Step 4 and 5: the fields.
  const int magnitude_bits = format.is_signed ? format.bits - 1 : format.bits;
  const std::uint64_t magnitude = code & ones(magnitude_bits);
  const std::uint64_t field = magnitude >> format.man_bits;
  const std::uint64_t trailing = magnitude & ones(format.man_bits);
  Real x;
  x.negative = format.is_signed && (code >> (format.bits - 1)) != 0;

  // Step 6 and 7: the special codes.
  if (is_nan(format, code, magnitude, field, trailing)) {
    x.kind = Kind::kNan;
    if (format.nan != NanKind::kIeeeAll && format.nan != NanKind::kOuterOnePerSign) {
      x.negative = false;
    }
    x.signaling = format.nan == NanKind::kIeeeAll && ((trailing >> (format.man_bits - 1)) & 1) == 0;
    return x;
  }
  if (is_inf(format, code, magnitude, field, trailing)) {
    x.kind = Kind::kInf;
    return x;
  }

  // Step 8 and 9: the finite ones.
  const std::uint64_t hidden = std::uint64_t{1} << format.man_bits;
  if (format.zero == ZeroKind::kNone || field != 0) {
    x.significand = hidden + trailing;
    x.exponent = static_cast<int>(field) - format.bias - format.man_bits;
  } else if (format.has_subnormal) {
    x.significand = trailing;
    x.exponent = 1 - format.bias - format.man_bits;
    x.subnormal = trailing != 0;
  }
  return x;
}

std::uint64_t infinity_code(const ElementFormat& format, bool negative) {
  const std::uint64_t sign =
      negative && format.is_signed ? std::uint64_t{1} << (format.bits - 1) : 0;
  if (format.kind == FormatKind::kTapered) return sign + kTaperedInfinity;
  if (format.inf == InfKind::kIeeeTop) return sign + (ones(format.exp_bits) << format.man_bits);
  return sign + (format.is_signed ? ones(format.bits - 1) : ones(format.bits) - 1);
}

Real scaled(Real x, int shift) {
  x.exponent += shift;
  return x;
}

}  // namespace mx::oracle
