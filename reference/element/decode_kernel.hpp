// The decode kernel, inline so that the block loops see through it. Public face:
// reference/number/unpacked.hpp.
#pragma once

#include <bit>

#include "reference/element/hif8.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::kernel {

[[nodiscard]] inline bool is_nan_code(const ElementFormat& f, std::uint64_t code,
                                      std::uint64_t magnitude, std::uint64_t exponent_field,
                                      std::uint64_t trailing) {
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

[[nodiscard]] inline Unpacked decode_twos_complement(const ElementFormat& f, std::uint64_t code) {
  const bool negative = (code & f.sign_bit()) != 0;
  const std::uint64_t magnitude = negative ? (~code + 1) & f.code_mask() : code;
  return unpack_integer(negative, magnitude, -f.frac_bits);
}

[[nodiscard]] inline Unpacked decode(const ElementFormat& f, std::uint64_t code) {
  // Step numbers are those of spec F7.
  if (f.unused_bits == UnusedBits::kIgnored) code &= f.code_mask();                   // 1
  if (f.kind == FormatKind::kTapered) return decode_hif8(code);                       // 2
  if (f.kind == FormatKind::kTwosComplement) return decode_twos_complement(f, code);  // 3
  if (f.kind == FormatKind::kSignMagnitude) {
    return unpack_integer((code & f.sign_bit()) != 0, code & f.magnitude_mask(), -f.frac_bits);
  }
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

}  // namespace mx::kernel
