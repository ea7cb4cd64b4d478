#include "mx/oracle/value.hpp"

namespace mx::oracle {
namespace {

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

}  // namespace

Real value_of(const ElementFormat& format, std::uint64_t code) {
  if (format.kind == FormatKind::kTwosComplement) return integer_value(format, code);

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
  if (format.inf == InfKind::kIeeeTop) return sign + (ones(format.exp_bits) << format.man_bits);
  return sign + (format.is_signed ? ones(format.bits - 1) : ones(format.bits) - 1);
}

Real scaled(Real x, int shift) {
  x.exponent += shift;
  return x;
}

}  // namespace mx::oracle
