#include "golden/coverage/arithmetic_reach.hpp"

#include "golden/points/gaps.hpp"
#include "reference/format/integers.hpp"

namespace mx::golden {
namespace {

using Op = ArithmeticOperation;

/// Are overflow, NaN and subnormals those of IEEE 754? Under other policies infinities and NaNs
/// become numbers, and the laws below are not claimed.
bool is_ieee(const ElementPolicy& policy) {
  return policy.overflow == Overflow::kNoneInfOrNan && policy.dst_ftz == ResultSubnormals::kKeep &&
         (policy.nan == NanPolicy::kCanonicalPositive || policy.nan == NanPolicy::kKeepSign);
}

bool has_signaling(const ElementFormat& format) {
  return format.nan == NanKind::kIeeeAll && format.man_bits > 1;
}

/// Is every difference of two numbers that is smaller than both a number, of either sign?
bool is_closed(const ElementFormat& format) {
  return format.is_signed && format.has_subnormal && format.zero != ZeroKind::kNone;
}

/// Sums and differences of numbers are multiples of the smallest subnormal, so that they are never
/// inexact where they are tiny; a root is never near the ends of the range; only a division has an
/// infinite result that is exact.
bool is_possible_when_rounded(const ArithmeticCase& what, std::string_view flag) {
  const Op op = what.operation;
  const ElementFormat& format = what.arithmetic.format;
  if (flag == "underflow" || flag == "to_zero") {
    return op != Op::kAdd && op != Op::kSubtract && op != Op::kSqrt;
  }
  if (flag == "overflow") return op != Op::kSqrt;
  if (flag == "saturated") {
    // Roundings that never stop at the largest number leave it to infinity or NaN.
    const Rounding rounding = what.arithmetic.policy.rounding;
    const bool has_beyond = format.has_inf() || format.has_nan();
    const bool is_left =
        facts_of(rounding).kind == RoundingKind::kNearest || rounding == Rounding::kAwayFromZero;
    return op != Op::kSqrt && !(has_beyond && is_left);
  }
  if (flag == "invalid") {
    return format.has_inf() || has_signaling(format) || op == Op::kDivide || op == Op::kSqrt;
  }
  return true;
}

bool is_nan_selected_as_invalid(Op op) {
  return op == Op::kSelectMinimum || op == Op::kSelectMaximum;
}

bool is_signaling_comparison(Op op) {
  return op == Op::kSignalingEqual || op == Op::kSignalingLess || op == Op::kSignalingLessEqual;
}

/// An integer becomes a number between 1 and the end of its type, or 0.
bool is_possible_from_integer(const ArithmeticCase& what, std::string_view flag) {
  const ElementFormat& format = what.arithmetic.format;
  const ElementFormat& integer = what.operand();
  const int magnitude_bits = integer.bits - (integer.is_signed ? 1 : 0);
  if (!format.is_signed && integer.is_signed) return true;
  if (flag == "invalid") return false;
  if (flag == "inexact")
    return magnitude_bits > format.man_bits + 1 || format.emax() < integer.bits;
  const bool is_below = flag == "underflow" || flag == "to_zero";
  if (is_below) return format.emin() > 0;
  return format.emax() < integer.bits && is_possible_when_rounded(what, flag);
}

}  // namespace

bool is_possible_flag(const ArithmeticCase& what, std::string_view flag) {
  const Op op = what.operation;
  const ElementFormat& format = what.arithmetic.format;
  if (flag == "divide_by_zero") return op == Op::kDivide;
  const bool is_invalid = flag == "invalid";
  const OperationKind kind = kind_of(op);
  // Comparisons and integers look at no policy but the rounding.
  if (kind == OperationKind::kCompared) {
    return is_invalid &&
           (has_signaling(format) || (format.has_nan() && is_signaling_comparison(op)));
  }
  if (kind == OperationKind::kToInteger) return is_invalid || flag == "inexact";
  if (!is_ieee(what.arithmetic.policy)) return true;
  if (kind == OperationKind::kFromInteger) return is_possible_from_integer(what, flag);
  if (kind == OperationKind::kSelected) {
    return is_invalid &&
           (has_signaling(format) || (format.has_nan() && is_nan_selected_as_invalid(op)));
  }
  if (op == Op::kRemainder && is_closed(format)) return is_invalid;
  if (op == Op::kRoundToIntegral) {
    if (is_invalid) return has_signaling(format);
    if (flag == "inexact") return true;
    const bool is_below = flag == "underflow" || flag == "to_zero";
    return is_below ? format.emin() > 0 : format.emax() < format.man_bits;
  }
  return is_possible_when_rounded(what, flag);
}

namespace {

/// Integers: 0 and numbers of either sign; the largest where it is a value, or where the rule of
/// what lies beyond gives it.
bool is_possible_integer(const ArithmeticCase& what, std::string_view name) {
  if (!name.ends_with("max_normal")) return true;
  const ElementFormat& integer = what.result();
  const SourceGrid grid(what.operand());
  if (grid.holds(unpack_integer(false, integer.max_code, 0))) return true;
  const OutOfRange rule = what.arithmetic.integer.out_of_range;
  return name.starts_with('+') && (rule != OutOfRange::kIndefinite || !integer.is_signed);
}

/// Results that are whole numbers, of a format whose fractions reach below 1: none is subnormal,
/// and none the least normal number.
bool is_possible_whole(const ElementFormat& format, std::string_view name) {
  if (format.emin() >= 0) return true;
  return !name.ends_with("subnormal") && !name.ends_with("min_normal");
}

bool is_possible_float_of_integer(const ArithmeticCase& what, std::string_view name) {
  const ElementFormat& format = what.arithmetic.format;
  if (name == "-zero" || name.ends_with("quiet_nan")) return !format.has_inf() && name != "-zero";
  if (name.starts_with('-') && !what.operand().is_signed) return false;
  const bool is_top = name.ends_with("max_normal") || name.ends_with("infinity");
  if (is_top && format.emax() >= what.operand().bits) return false;
  return is_possible_whole(format, name);
}

}  // namespace

bool is_possible_result(const ArithmeticCase& what, std::string_view name) {
  const Op op = what.operation;
  if (name.ends_with("signaling_nan")) return false;
  if (kind_of(op) == OperationKind::kToInteger) return is_possible_integer(what, name);
  if (kind_of(op) == OperationKind::kCompared) return true;
  const ElementPolicy& policy = what.arithmetic.policy;
  if (!is_ieee(policy)) return true;
  const ElementFormat& format = what.arithmetic.format;
  if (kind_of(op) == OperationKind::kFromInteger) return is_possible_float_of_integer(what, name);
  // Roots are zeros, or positive and far from the ends of the range.
  const bool is_root = op == Op::kSqrt;
  const bool overflows = kind_of(op) == OperationKind::kRounded && !is_root && !format.has_inf();
  // NaNs are quiet and have the policy's sign, those of an overflow the result's.
  if (name == "-quiet_nan") return overflows || policy.nan == NanPolicy::kKeepSign;
  if (op == Op::kRemainder && is_closed(format)) {
    if (name.ends_with("infinity")) return false;
    // At most half the divisor, or the dividend where that is infinite.
    return !name.ends_with("max_normal") || format.has_inf();
  }
  if (op == Op::kRoundToIntegral) {
    const bool is_largest_whole = format.emax() >= format.man_bits;
    return is_possible_whole(format, name) &&
           (!is_largest_whole || !name.ends_with("quiet_nan") || format.has_nan());
  }
  if (!is_root) return true;
  return name.ends_with("zero") || name == "+normal" || name == "+infinity" || name == "+quiet_nan";
}

}  // namespace mx::golden
