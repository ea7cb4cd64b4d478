#include <bit>

#include "mx/unpacked.hpp"

namespace mx {
namespace {

bool is_nan_code(const ElementFormat& f, std::uint64_t code, std::uint64_t magnitude,
                 std::uint64_t exponent_field, std::uint64_t trailing) {
  switch (f.nan) {
    case NanKind::kNone:
      return false;
    case NanKind::kIeeeAll:
      return exponent_field == (std::uint64_t{1} << f.exp_bits) - 1 && trailing != 0;
    case NanKind::kOuterOnePerSign:
      return magnitude == f.magnitude_mask();
    case NanKind::kNegZeroSlot:
      return code == f.sign_bit();
    case NanKind::kTopCode:
      return code == f.code_mask();
  }
  return false;
}

Unpacked decode_twos_complement(const ElementFormat& f, std::uint64_t code) {
  const bool negative = (code & f.sign_bit()) != 0;
  const std::uint64_t magnitude = negative ? (~code + 1) & f.code_mask() : code;
  return unpack_integer(negative, magnitude, -f.frac_bits);
}

}  // namespace

Unpacked unpack_integer(bool negative, std::uint64_t magnitude, int exponent) {
  Unpacked x;
  x.negative = negative;
  if (magnitude == 0) return x;
  const int zeros = std::countl_zero(magnitude);
  x.cls = ValueClass::kFinite;
  x.significand = magnitude << zeros;
  x.exponent = exponent + 63 - zeros;
  return x;
}

Unpacked decode(const ElementFormat& f, std::uint64_t code) {
  // Step numbers are those of formats.md section 7.
  if (f.kind == FormatKind::kTwosComplement) return decode_twos_complement(f, code);  // 3
  // 4, 5: sign, magnitude code, exponent field, trailing significand.
  const bool negative = (code & f.sign_bit()) != 0;
  const std::uint64_t magnitude = code & f.magnitude_mask();
  const std::uint64_t exponent_field = magnitude >> f.man_bits;
  const std::uint64_t trailing = magnitude & f.man_mask();
  if (is_nan_code(f, code, magnitude, exponent_field, trailing)) {  // 6
    Unpacked x;
    x.cls = ValueClass::kNan;
    x.negative = negative && f.nan_has_sign();
    x.signaling = f.nan == NanKind::kIeeeAll && (trailing >> (f.man_bits - 1)) == 0;
    return x;
  }
  if (f.has_inf() && magnitude == f.inf_code()) {  // 7
    Unpacked x;
    x.cls = ValueClass::kInf;
    x.negative = negative;
    return x;
  }
  const std::uint64_t hidden = std::uint64_t{1} << f.man_bits;
  if (f.zero == ZeroKind::kNone) {  // 8: field 0 is an ordinary binade
    return unpack_integer(negative, hidden + trailing,
                          static_cast<int>(exponent_field) - f.bias - f.man_bits);
  }
  if (exponent_field == 0) {  // 9: subnormals and zero
    return unpack_integer(negative, f.has_subnormal ? trailing : 0, 1 - f.bias - f.man_bits);
  }
  return unpack_integer(negative, hidden + trailing,
                        static_cast<int>(exponent_field) - f.bias - f.man_bits);
}

Unpacked multiply(const Unpacked& a, const Unpacked& b) {
  Unpacked product;
  product.negative = a.negative != b.negative;
  const bool has_inf = a.cls == ValueClass::kInf || b.cls == ValueClass::kInf;
  const bool has_zero = a.cls == ValueClass::kZero || b.cls == ValueClass::kZero;
  if (a.cls == ValueClass::kNan || b.cls == ValueClass::kNan || (has_inf && has_zero)) {
    product.cls = ValueClass::kNan;
    return product;
  }
  if (has_inf || has_zero) {
    product.cls = has_inf ? ValueClass::kInf : ValueClass::kZero;
    return product;
  }
  // 64 x 64 bits by halves; the top 64 bits of the product and whether anything lies below.
  const std::uint64_t al = a.significand & 0xFFFFFFFF, ah = a.significand >> 32;
  const std::uint64_t bl = b.significand & 0xFFFFFFFF, bh = b.significand >> 32;
  const std::uint64_t ll = al * bl;
  const std::uint64_t mid = ah * bl + (ll >> 32);
  const std::uint64_t mid2 = al * bh + (mid & 0xFFFFFFFF);
  std::uint64_t high = ah * bh + (mid >> 32) + (mid2 >> 32);
  std::uint64_t low = (mid2 << 32) | (ll & 0xFFFFFFFF);
  product.cls = ValueClass::kFinite;
  product.exponent = a.exponent + b.exponent + 1;
  if ((high >> 63) == 0) {
    high = (high << 1) | (low >> 63);
    low <<= 1;
    --product.exponent;
  }
  product.significand = high;
  product.sticky = low != 0 || a.sticky || b.sticky;
  return product;
}

int compare_magnitude(const Unpacked& a, const Unpacked& b) {
  const auto rank = [](const Unpacked& x) {
    return x.cls == ValueClass::kZero ? 0 : x.cls == ValueClass::kFinite ? 1 : 2;
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (rank(a) != 1) return 0;
  if (a.exponent != b.exponent) return a.exponent < b.exponent ? -1 : 1;
  if (a.significand != b.significand) return a.significand < b.significand ? -1 : 1;
  return static_cast<int>(a.sticky) - static_cast<int>(b.sticky);
}

}  // namespace mx
