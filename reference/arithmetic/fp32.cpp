#include "reference/arithmetic/fp32.hpp"

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/element/encode_kernel.hpp"

namespace mx::fp32 {
namespace {

constexpr ElementPolicy ieee_policy() {
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  policy.nan = NanPolicy::kKeepSign;
  return policy;
}

constexpr ElementPolicy kIeee = ieee_policy();

}  // namespace

Bits round(const Unpacked& x) {
  return static_cast<Bits>(kernel::encode_with(x, formats::fp32, kIeee, 0, kernel::NoTrace{}).code);
}

Unpacked value(Bits bits) { return kernel::decode(formats::fp32, bits); }

Bits from_integer(std::uint32_t integer) { return round(unpack_integer(false, integer, 0)); }

Bits add(Bits a, Bits b) {
  return round(exact_add(value(a), value(b), Rounding::kTiesToEven).value);
}
Bits subtract(Bits a, Bits b) { return add(a, is_nan(b) ? b : b ^ kSignBit); }
Bits multiply(Bits a, Bits b) { return round(exact_multiply(value(a), value(b)).value); }
Bits divide(Bits a, Bits b) { return round(exact_divide(value(a), value(b)).value); }

}  // namespace mx::fp32
