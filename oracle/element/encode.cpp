#include "oracle/element/encode.hpp"

#include <stdexcept>

#include "oracle/element/real.hpp"
#include "reference/format/table.hpp"

namespace mx::oracle {
namespace {

/// The extremes a finite result or an infinity is driven to.
enum class Extreme : std::uint8_t { kMax, kInfinity, kNan };

struct Facts {
  const ElementFormat& format;
  const LadderShape& shape;
  const ElementPolicy& policy;

  [[nodiscard]] bool twos() const { return format.kind == FormatKind::kTwosComplement; }
  [[nodiscard]] bool fixed() const { return twos() || format.kind == FormatKind::kSignMagnitude; }
  [[nodiscard]] bool has_nan() const { return format.nan != NanKind::kNone; }
  [[nodiscard]] bool has_inf() const { return format.inf != InfKind::kNone; }
  [[nodiscard]] bool two_nan_signs() const {
    return format.nan == NanKind::kIeeeAll || format.nan == NanKind::kOuterOnePerSign;
  }
  [[nodiscard]] std::uint64_t sign_bit() const { return std::uint64_t{1} << (format.bits - 1); }

  /// The magnitude code `step` of a sign. A zero of either sign comes out as 0.
  [[nodiscard]] std::uint64_t signed_code(std::uint64_t magnitude, bool negative) const {
    if (magnitude == 0 || !negative || !format.is_signed) return magnitude;
    return twos() ? 2 * sign_bit() - magnitude : magnitude + sign_bit();
  }
  /// The largest finite code of a sign: M_hi and M_lo.
  [[nodiscard]] std::uint64_t max_code(bool negative) const {
    if (!twos()) return negative && !format.is_signed ? 0 : signed_code(format.max_code, negative);
    if (negative && !format.is_signed) return 0;
    return signed_code(largest_step(negative), negative);
  }
  /// The last step that is not an overflow.
  [[nodiscard]] std::uint64_t largest_step(bool negative) const {
    if (!twos()) return shape.top - 1;
    if (!format.is_signed) return shape.top - 1;
    const bool extra = negative && policy.int_min == IntMin::kAllow;
    return shape.top - (extra ? 1 : 2);
  }
  [[nodiscard]] std::uint64_t nan_code(bool negative) const {
    return format.canonical_nan |
           (negative && format.is_signed && two_nan_signs() ? sign_bit() : 0);
  }
};

std::uint64_t code_of_nan(const Facts& f, bool negative) {
  // The most negative integer is never chosen here, whatever int_min says.
  const std::uint64_t top_integer = f.format.is_signed ? f.sign_bit() - 1 : 2 * f.sign_bit() - 1;
  const std::uint64_t max_positive = f.twos() ? top_integer : f.format.max_code;
  NanPolicy policy = f.policy.nan;
  if (!f.has_nan()) {
    if (policy == NanPolicy::kCanonicalPositive) policy = NanPolicy::kToPositiveMax;
    if (policy == NanPolicy::kKeepSign) policy = NanPolicy::kToSignedMax;
  }
  switch (policy) {
    case NanPolicy::kCanonicalPositive:
      return f.format.canonical_nan;
    case NanPolicy::kKeepSign:
      return f.nan_code(negative);
    case NanPolicy::kToPositiveMax:
      return max_positive;
    case NanPolicy::kToSignedMax:
      return f.signed_code(max_positive, negative);
    case NanPolicy::kToOppositeZero:
      return !negative && f.format.zero == ZeroKind::kPosAndNeg ? f.sign_bit() : 0;
    case NanPolicy::kToMin:
      if (!f.format.is_signed) return 0;
      if (f.format.kind == FormatKind::kTwosComplement) return f.sign_bit();
      return f.sign_bit() + max_positive;
  }
  throw std::logic_error("NaN policy outside the enum");
}

/// Does the rounding leave a value of this sign at its lower neighbour, however near the upper one?
bool drives_inward(Rounding rounding, bool negative) {
  if (is_stochastic(rounding)) return false;
  const Position nearly{.exact = false, .half = 1, .odd = false};
  return !goes_up(rounding, negative, nearly, 1, 0);
}

/// spec F10.1, the general policies. `negative` is the sign of the result.
Extreme overflow_extreme(const Facts& f, bool infinite, bool negative) {
  const Extreme inf_or_nan = f.has_inf() ? Extreme::kInfinity : Extreme::kNan;
  const bool inward = !infinite && drives_inward(f.policy.rounding, negative);
  const bool below_unsigned = negative && !f.format.is_signed;
  switch (f.policy.overflow) {
    case Overflow::kSatFinite:
      return Extreme::kMax;
    case Overflow::kSatFiniteKeepInf:
      return infinite ? inf_or_nan : Extreme::kMax;
    case Overflow::kPropagateInf:
      return infinite && f.has_inf() && !below_unsigned ? Extreme::kInfinity : Extreme::kMax;
    case Overflow::kNoneInfOrNan:
      return inward ? Extreme::kMax : inf_or_nan;
    case Overflow::kNoneP3109V4:
      if (!negative) {
        if (infinite) return f.has_inf() ? Extreme::kInfinity : Extreme::kMax;  // rows 1, 2
        if (f.policy.rounding == Rounding::kToOdd && !f.format.is_signed && f.has_inf()) {
          return Extreme::kMax;  // row 6
        }
        if (inward) return Extreme::kMax;                         // row 7
        return f.has_inf() ? Extreme::kInfinity : Extreme::kMax;  // rows 12, 13
      }
      if (inward) return Extreme::kMax;                                  // row 8
      if (f.format.is_signed && f.has_inf()) return Extreme::kInfinity;  // rows 3, 9
      return f.format.is_signed ? Extreme::kMax : Extreme::kNan;         // 4, 5, 10, 11
    case Overflow::kNoneP310920260714:
      if (inward) return Extreme::kMax;                         // rows 1, 2
      return f.has_inf() ? Extreme::kInfinity : Extreme::kNan;  // rows 3 to 7
    case Overflow::kAlwaysInfOrNan:
      return inf_or_nan;
  }
  throw std::logic_error("overflow policy outside the enum");
}

std::uint64_t code_of_overflow(const Facts& f, bool infinite, bool negative, bool& saturated) {
  Extreme extreme = overflow_extreme(f, infinite, negative);
  if (f.fixed() || (!f.has_inf() && !f.has_nan())) extreme = Extreme::kMax;
  // No unsigned format has -Inf.
  if (extreme == Extreme::kInfinity && negative && !f.format.is_signed) extreme = Extreme::kNan;
  saturated = extreme == Extreme::kMax;
  switch (extreme) {
    case Extreme::kMax:
      return f.max_code(negative);
    case Extreme::kInfinity:
      return infinity_code(f.format, negative);
    case Extreme::kNan:
      return f.nan_code(negative);
  }
  return 0;
}

/// spec F8.1: |x| rounded to P bits with unbounded exponent is below 2^emin.
bool is_tiny(const Facts& f, bool negative, const Placement& place, std::uint32_t random) {
  if (f.fixed() || !place.below_normal) return false;
  if (f.policy.tininess == Tininess::kBeforeRounding || !place.last_gap) return true;
  return !goes_up(f.policy.rounding, negative, place.tiny_gap, f.policy.random_bits, random);
}

/// Is the value of `code` exactly the finite x that lies at `place`?
bool represents(const Facts& f, std::uint64_t code, const Real& x, const Placement& place) {
  const Real y = value_of(f.format, code);
  if (!y.finite()) return false;
  if (y.zero() || x.zero()) return y.zero() && x.zero();
  if (y.negative != x.negative || !place.gap.exact || place.beyond) return false;
  const std::uint64_t magnitude =
      !y.negative ? code : (f.twos() ? 2 * f.sign_bit() - code : code - f.sign_bit());
  return f.shape.step_of(magnitude) == place.lower;
}

/// inexact and to_zero of a finite x; underflow is judged where the rounded value is the result.
std::uint8_t finite_flags(const Facts& f, std::uint64_t code, const Real& x,
                          const Placement& place) {
  if (represents(f, code, x, place)) return 0;
  const bool vanished = !x.zero() && value_of(f.format, code).zero();
  return static_cast<std::uint8_t>(kFlagInexact | (vanished ? kFlagToZero : 0));
}

Outcome conclude_nan(const Facts& f, const Real& x) {
  Outcome out{code_of_nan(f, x.negative), 0};
  if (x.signaling || value_of(f.format, out.code).kind != Kind::kNan) out.flags |= kFlagInvalid;
  return out;
}

Outcome conclude_zero(const Facts& f, const Real& x, const Placement& place) {
  Outcome out;
  if (f.format.zero == ZeroKind::kNone) {
    out.code = f.policy.zero_in == ZeroIn::kNan ? f.format.canonical_nan : 0;
  } else if (x.negative && f.format.zero == ZeroKind::kPosAndNeg &&
             f.policy.zero_sign == ZeroSign::kKeep) {
    out.code = f.sign_bit();
  }
  out.flags = finite_flags(f, out.code, x, place);
  return out;
}

/// What was rounded, and how far up the ladder it came.
struct Rounded {
  bool negative = false;
  std::uint32_t random = 0;
  std::uint64_t step = 0;
};

/// Flushed results are zeros: spec F8 step 9. Formats without subnormals always flush after
/// rounding. Without an end of the exponent the last gap below the normal numbers is half as wide.
bool flushes(const Facts& f, const Placement& place, const Rounded& rounded) {
  if (f.format.kind != FormatKind::kFloat || f.format.zero == ZeroKind::kNone) return false;
  switch (f.policy.dst_ftz) {
    case ResultSubnormals::kKeep:
      break;
    case ResultSubnormals::kFlushBeforeRounding:
      if (place.below_normal) return true;
      break;
    case ResultSubnormals::kFlushAfterRounding:
      return rounded.step >> f.format.man_bits == 0;
    case ResultSubnormals::kFlushAfterUnboundedRounding:
      if (place.below_normal &&
          !(place.last_gap && goes_up(f.policy.rounding, rounded.negative, place.tiny_gap,
                                      f.policy.random_bits, rounded.random))) {
        return true;
      }
  }
  return !f.format.has_subnormal && rounded.step >> f.format.man_bits == 0;
}

/// x as step 4 leaves it; `source` is what came in, which the code is compared with.
Outcome conclude_finite(const Facts& f, const Real& x, const Real& source, const Placement& place,
                        std::uint32_t random) {
  const bool up = !place.beyond &&
                  goes_up(f.policy.rounding, x.negative, place.gap, f.policy.random_bits, random);
  const std::uint64_t step = place.lower + (up ? 1 : 0);
  Outcome out;
  const bool below_unsigned = x.negative && !f.format.is_signed && step > 0;
  const bool is_flushed = flushes(f, place, {x.negative, random, step});
  if (step > f.largest_step(x.negative) || (below_unsigned && !is_flushed)) {
    bool saturated = false;
    out.code = code_of_overflow(f, false, x.negative, saturated);
    out.flags = static_cast<std::uint8_t>(kFlagOverflow | (saturated ? kFlagSaturated : 0));
    out.flags |= finite_flags(f, out.code, source, place);
    return out;
  }
  if (step <= f.shape.virtual_steps || is_flushed) {
    out.code = 0;
    const bool is_zero = f.format.zero != ZeroKind::kNone;
    if (is_zero && x.negative && f.format.zero == ZeroKind::kPosAndNeg &&
        f.policy.zero_sign != ZeroSign::kFlushPositive) {
      out.code = f.sign_bit();
    }
  } else {
    out.code = f.signed_code(f.shape.code_of(step), x.negative);
  }
  out.flags = finite_flags(f, out.code, source, place);
  if (out.flags != 0 && is_tiny(f, x.negative, place, random)) out.flags |= kFlagUnderflow;
  return out;
}

}  // namespace

bool goes_up(Rounding rounding, bool negative, const Position& gap, int random_bits,
             std::uint32_t random) {
  if (gap.exact) return false;
  const std::uint64_t one = std::uint64_t{1} << random_bits;
  const std::uint64_t r = random;
  switch (rounding) {
    case Rounding::kTiesToEven:
      return gap.half > 0 || (gap.half == 0 && gap.odd);
    case Rounding::kTiesToAway:
      return gap.half >= 0;
    case Rounding::kTiesToZero:
      return gap.half > 0;
    case Rounding::kTiesTowardPositive:
      return gap.half > 0 || (gap.half == 0 && !negative);
    case Rounding::kTowardZero:
      return false;
    case Rounding::kTowardNegative:
      return negative;
    case Rounding::kTowardPositive:
      return !negative;
    case Rounding::kAwayFromZero:
      return true;
    case Rounding::kToOdd:
      return !gap.odd;
    case Rounding::kStochasticA:
      return gap.floor_n + r >= one;
    case Rounding::kStochasticB:
      return gap.floor_n1 + 2 * r + 1 >= 2 * one;
    case Rounding::kStochasticC:
      return gap.rint_even + r >= one;
    case Rounding::kStochasticCOdd:
      return gap.rint_odd + r >= one;
  }
  throw std::logic_error("rounding outside the enum");
}

Outcome conclude(const ElementFormat& format, const LadderShape& shape, const Real& x,
                 const Placement& place, const ElementPolicy& policy, std::uint32_t random) {
  const Facts f{format, shape, policy};
  if (x.kind == Kind::kNan) return conclude_nan(f, x);

  Real y = x;
  if (!format.is_signed && x.negative && !x.zero()) {  // spec F8 step 4
    if (policy.unsigned_negative == UnsignedNegative::kMagnitude) y.negative = false;
    const bool to_nan = policy.unsigned_negative == UnsignedNegative::kToNan;
    if (to_nan || policy.unsigned_negative == UnsignedNegative::kToMin) {
      Outcome out{to_nan ? format.canonical_nan : 0, 0};
      if (to_nan) out.flags = kFlagInvalid;
      if (x.finite()) out.flags |= finite_flags(f, out.code, x, place);
      return out;
    }
  }
  if (y.kind == Kind::kInf) {
    bool saturated = false;
    Outcome out{code_of_overflow(f, true, y.negative, saturated), 0};
    if (saturated) out.flags = kFlagSaturated;
    return out;
  }
  if (y.zero()) return conclude_zero(f, y, place);
  return conclude_finite(f, y, x, place, random);
}

Real flushed_value(const ElementFormat& source, const ElementPolicy& policy, std::uint64_t code) {
  Real x = value_of(source, code);
  if (policy.src_ftz == SourceSubnormals::kFlush && x.subnormal) x.significand = 0;
  return x;
}

Real source_value(const ElementFormat& source, const ElementFormat& destination,
                  const ElementPolicy& policy, std::uint64_t code) {
  return staged(flushed_value(source, policy, code), policy, destination);
}

Real staged(const Real& x, const ElementPolicy& policy, const ElementFormat& destination) {
  if (policy.staging == Staging::kNone || x.kind == Kind::kNan) return x;
  if (policy.staging == Staging::kViaUnbounded) {
    if (!x.finite()) return x;
    const auto first =
        before_denormalising(dyadic(x.significand, x.exponent), x.negative, policy, destination);
    Real out = x;
    if (first) out.significand = first->n;
    if (first) out.exponent = first->exponent;
    return out;
  }

  static const ElementOracle<RationalField> via_fp16(formats::fp16);
  static const ElementOracle<RationalField> via_bf16(formats::bf16);
  static const ElementOracle<RationalField> via_fp32(formats::fp32);
  const ElementOracle<RationalField>& stage = policy.staging == Staging::kViaFp16   ? via_fp16
                                              : policy.staging == Staging::kViaBf16 ? via_bf16
                                                                                    : via_fp32;
  ElementPolicy nearest;  // ties_to_even, everything else kept
  nearest.overflow = Overflow::kNoneInfOrNan;
  return value_of(stage.ladder().format(), stage.encode(x, nearest, 0).code);
}

}  // namespace mx::oracle
