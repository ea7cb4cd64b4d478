#include "tests/external/testfloat/agreement.hpp"

namespace mx::external {
namespace {

/// TestFloat's flag bits.
enum : unsigned { kInexact = 1, kUnderflow = 2, kOverflow = 4, kInfinite = 8, kInvalid = 16 };

/// Does IEEE 754-2019 section 7.2 leave invalid open: 0 * Inf + quiet NaN?
bool is_invalid_open(const ElementFormat& format, std::span<const std::uint64_t> x) {
  const Unpacked a = decode(format, x[0]);
  const Unpacked b = decode(format, x[1]);
  const Unpacked c = decode(format, x[2]);
  const bool no_product = (a.cls == ValueClass::kInf && b.cls == ValueClass::kZero) ||
                          (a.cls == ValueClass::kZero && b.cls == ValueClass::kInf);
  return no_product && c.cls == ValueClass::kNan && !c.signaling;
}

}  // namespace

unsigned testfloat_flags(std::uint8_t flags) {
  return ((flags & kFlagInexact) != 0 ? kInexact : 0U) |
         ((flags & kFlagUnderflow) != 0 ? kUnderflow : 0U) |
         ((flags & kFlagOverflow) != 0 ? kOverflow : 0U) |
         ((flags & kFlagDivideByZero) != 0 ? kInfinite : 0U) |
         ((flags & kFlagInvalid) != 0 ? kInvalid : 0U);
}

bool agrees(const TestfloatModel& model, std::span<const std::uint64_t> operands,
            const Encoded& ours, const TestfloatAnswer& theirs) {
  unsigned differ = testfloat_flags(ours.flags) ^ theirs.flags;
  if (ours.code == theirs.code && differ == 0) return true;
  if (operands.size() == 3 && is_invalid_open(model.from(), operands)) {
    differ &= ~static_cast<unsigned>(kInvalid);
  }
  if (differ != 0) return false;
  if (ours.code == theirs.code) return true;
  const Unpacked our_value = decode(model.to(), ours.code);
  return decode(model.to(), theirs.code).cls == ValueClass::kNan &&
         our_value.cls == ValueClass::kNan && !our_value.signaling;
}

}  // namespace mx::external
