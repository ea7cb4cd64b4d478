#include "tests/external/testfloat/agreement.hpp"

namespace mx::external {
namespace {

constexpr unsigned kInvalid = testfloat_flags(kFlagInvalid);

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

bool agrees_but_for_nan(const TestfloatModel& model, std::span<const std::uint64_t> operands,
                        const Encoded& ours, const TestfloatAnswer& theirs) {
  unsigned differ = testfloat_flags(ours.flags) ^ theirs.flags;
  if (differ != 0 && operands.size() == 3 && is_invalid_open(model.from(), operands)) {
    differ &= ~kInvalid;
  }
  if (differ != 0) return false;
  if (ours.code == theirs.code) return true;
  const Unpacked our_value = decode(model.to(), ours.code);
  return decode(model.to(), theirs.code).cls == ValueClass::kNan &&
         our_value.cls == ValueClass::kNan && !our_value.signaling;
}

}  // namespace mx::external
