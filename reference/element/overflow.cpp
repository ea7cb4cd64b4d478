#include "reference/element/overflow.hpp"

#include "reference/number/rounding.hpp"

namespace mx {
namespace {

std::uint64_t signed_nan(const ElementFormat& f, bool negative) {
  return f.canonical_nan | (negative && f.nan_has_sign() ? f.sign_bit() : 0);
}

/// Infinity of a sign; NaN where the format has no such infinity, the extreme where it has no NaN.
std::uint64_t inf_or_nan(const ElementFormat& f, bool negative) {
  if (f.has_inf() && (f.is_signed || !negative)) {
    return f.inf_code() | (negative ? f.sign_bit() : 0);
  }
  return f.has_nan() ? signed_nan(f, negative) : extreme_code(f, negative);
}

/// Does this rounding turn values of this sign toward zero, so that overflow stays at the extreme?
/// It does if it keeps even one that is all but the next after an even code.
bool directed_inward(Rounding rounding, bool negative) {
  const Discarded almost_all{~std::uint64_t{0}, true};
  return !round_up(rounding, negative, false, almost_all, 1, 1);
}

std::uint64_t p3109_none_v4(const ElementFormat& f, Rounding rounding, bool negative,
                            bool is_infinite) {
  const bool extended = f.has_inf();
  if (!is_infinite) {
    if (rounding == Rounding::kToOdd && !f.is_signed && extended && !negative) return f.max_code;
    if (directed_inward(rounding, negative)) return extreme_code(f, negative);
  }
  const bool to_nan = negative && !f.is_signed && f.has_nan();
  return extended || to_nan ? inf_or_nan(f, negative) : extreme_code(f, negative);
}

std::uint64_t p3109_none_20260714(const ElementFormat& f, Rounding rounding, bool negative,
                                  bool is_infinite) {
  if (!is_infinite && directed_inward(rounding, negative)) return extreme_code(f, negative);
  return inf_or_nan(f, negative);
}

}  // namespace

std::uint64_t nan_code(const ElementFormat& f, NanPolicy policy, bool negative) {
  switch (policy) {
    case NanPolicy::kCanonicalPositive:
      return f.has_nan() ? f.canonical_nan : f.max_code;
    case NanPolicy::kKeepSign:
      if (f.has_nan()) return signed_nan(f, negative);
      [[fallthrough]];
    case NanPolicy::kToSignedMax:
      return extreme_code(f, negative && f.is_signed);
    case NanPolicy::kToPositiveMax:
      return f.max_code;
    case NanPolicy::kToOppositeZero:
      return negative || f.zero != ZeroKind::kPosAndNeg ? 0 : f.sign_bit();
    case NanPolicy::kToMin:
      return extreme_code(f, true, IntMin::kAllow);
  }
  return 0;
}

std::uint64_t overflow_code(const ElementFormat& f, const ElementPolicy& policy, bool negative,
                            bool is_infinite) {
  const std::uint64_t extreme = extreme_code(f, negative, policy.int_min);
  if (!f.has_inf() && !f.has_nan()) return extreme;
  switch (policy.overflow) {
    case Overflow::kSatFinite:
      return extreme;
    case Overflow::kSatFiniteKeepInf:
      return is_infinite ? inf_or_nan(f, negative) : extreme;
    case Overflow::kPropagateInf:
      return is_infinite && f.has_inf() && (f.is_signed || !negative) ? inf_or_nan(f, negative)
                                                                      : extreme;
    case Overflow::kNoneInfOrNan:
      return !is_infinite && directed_inward(policy.rounding, negative) ? extreme
                                                                        : inf_or_nan(f, negative);
    case Overflow::kNoneP3109V4:
      return p3109_none_v4(f, policy.rounding, negative, is_infinite);
    case Overflow::kNoneP310920260714:
      return p3109_none_20260714(f, policy.rounding, negative, is_infinite);
    case Overflow::kAlwaysInfOrNan:
      return inf_or_nan(f, negative);
  }
  return extreme;
}

}  // namespace mx
