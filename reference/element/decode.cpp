#include <cassert>

#include "reference/element/decode_kernel.hpp"

namespace mx {

Unpacked decode(const ElementFormat& format, std::uint64_t code) {
  assert(format.takes(code));
  return kernel::decode(format, code);
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
