#include "golden/certificates/rules.hpp"

#include <stdexcept>

namespace mx::golden {
namespace {

enum class Result : std::uint8_t { kExtreme, kInfinity, kNan };
enum class Origin : std::uint8_t { kFinite, kInfinite };

/// One question to the overflow table: which policy, which rounding, which sign, from what.
struct Case {
  Overflow overflow;
  Rounding rounding;
  bool negative;
  Origin origin;
};

/// Directed inward: the thresholds rises where the next value is reached and not before.
bool is_inward(const Case& c) {
  return c.origin == Origin::kFinite && ladder_of(c.rounding, c.negative) == LadderKind::kTz;
}

/// The P3109 table of v4.0, row by row; kNan where a row says NaN.
Result p3109_v4(const ElementFormat& f, const Case& c) {
  const bool extended = f.inf != InfKind::kNone;
  if (c.origin == Origin::kInfinite) {
    if (!c.negative) return extended ? Result::kInfinity : Result::kExtreme;  // 1, 2
    if (f.is_signed && extended) return Result::kInfinity;                    // 3
    return f.is_signed ? Result::kExtreme : Result::kNan;                     // 5, 4
  }
  const bool odd_to_max = c.rounding == Rounding::kToOdd && !f.is_signed && extended;
  if (odd_to_max && !c.negative) return Result::kExtreme;  // 6
  if (is_inward(c)) return Result::kExtreme;               // 7, 8
  if (c.negative) {
    if (!f.is_signed) return Result::kNan;                   // 10
    return extended ? Result::kInfinity : Result::kExtreme;  // 9, 11
  }
  return extended ? Result::kInfinity : Result::kExtreme;  // 12, 13
}

Result result_of(const ElementFormat& f, const Case& c) {
  const Result beyond = f.inf != InfKind::kNone ? Result::kInfinity : Result::kNan;
  const bool is_infinite = c.origin == Origin::kInfinite;
  switch (c.overflow) {
    case Overflow::kSatFinite:
      return Result::kExtreme;
    case Overflow::kSatFiniteKeepInf:
      return is_infinite ? beyond : Result::kExtreme;
    case Overflow::kPropagateInf:
      if (!is_infinite || f.inf == InfKind::kNone) return Result::kExtreme;
      return c.negative && !f.is_signed ? Result::kExtreme : Result::kInfinity;
    case Overflow::kNoneInfOrNan:
    case Overflow::kNoneP310920260714:
      return is_inward(c) ? Result::kExtreme : beyond;
    case Overflow::kNoneP3109V4:
      return p3109_v4(f, c);
    default:
      throw std::invalid_argument("an overflow policy that certificates do not hold");
  }
}

std::uint64_t sign_of(const ElementFormat& f, bool negative) {
  return negative && f.is_signed ? std::uint64_t{1} << (f.bits - 1) : 0;
}

std::uint8_t extreme(const ElementFormat& f, bool negative, IntMin int_min) {
  if (!negative) return static_cast<std::uint8_t>(f.max_code);
  if (!f.is_signed) return 0;
  if (f.kind != FormatKind::kTwosComplement) {
    return static_cast<std::uint8_t>(f.max_code + sign_of(f, true));
  }
  const std::uint64_t least = f.max_code + 1;  // the code of the most negative integer
  return static_cast<std::uint8_t>(int_min == IntMin::kAllow ? least : least + 1);
}

std::uint8_t nan_of_sign(const ElementFormat& f, bool negative) {
  const bool two_signs = f.nan == NanKind::kIeeeAll || f.nan == NanKind::kOuterOnePerSign;
  return static_cast<std::uint8_t>(f.canonical_nan + (two_signs ? sign_of(f, negative) : 0));
}

std::uint8_t overflow_code(const ElementFormat& f, const Case& c, IntMin int_min) {
  const bool has_nan = f.nan != NanKind::kNone;
  Result result = result_of(f, c);
  // No unsigned format has -Inf; a format with neither stays at its extreme.
  if (result == Result::kInfinity && c.negative && !f.is_signed) result = Result::kNan;
  if (result == Result::kNan && !has_nan) result = Result::kExtreme;
  switch (result) {
    case Result::kExtreme:
      return extreme(f, c.negative, int_min);
    case Result::kInfinity:
      return static_cast<std::uint8_t>(f.inf_code() + sign_of(f, c.negative));
    case Result::kNan:
      return nan_of_sign(f, c.negative);
  }
  return 0;
}

std::uint8_t nan_code(const ElementFormat& f, NanPolicy policy, bool negative) {
  const bool has_nan = f.nan != NanKind::kNone;
  switch (policy) {
    case NanPolicy::kCanonicalPositive:
      return static_cast<std::uint8_t>(has_nan ? f.canonical_nan : f.max_code);
    case NanPolicy::kKeepSign:
      if (has_nan) return nan_of_sign(f, negative);
      return extreme(f, negative && f.is_signed, IntMin::kClampSymmetric);
    case NanPolicy::kToPositiveMax:
      return static_cast<std::uint8_t>(f.max_code);
    case NanPolicy::kToSignedMax:
      return extreme(f, negative && f.is_signed, IntMin::kClampSymmetric);
    case NanPolicy::kToOppositeZero:
      return static_cast<std::uint8_t>(
          !negative && f.zero == ZeroKind::kPosAndNeg ? sign_of(f, true) : 0);
    case NanPolicy::kToMin:
      break;  // in no certificate
  }
  return 0;
}

void fill_zeros(const ElementFormat& f, SpecialCodes& special) {
  const auto minus =
      static_cast<std::uint8_t>(f.zero == ZeroKind::kPosAndNeg ? sign_of(f, true) : 0);
  for (std::size_t zero_in = 0; zero_in < tokens<ZeroIn>().size(); ++zero_in) {
    special.zero[0][zero_in] = {0, minus};  // keep
    special.zero[1][zero_in] = {0, 0};      // flush_positive
    special.zero[2][zero_in] = {0, 0};      // flush_input
  }
  special.underflow = {SignPair{0, minus}, SignPair{0, 0}, SignPair{0, minus}};
  if (f.zero != ZeroKind::kNone || f.nan == NanKind::kNone) return;
  const auto nan = static_cast<std::uint8_t>(f.canonical_nan);
  for (auto& by_zero_in : special.zero) {
    by_zero_in[static_cast<std::size_t>(ZeroIn::kNan)] = {nan, nan};
  }
}

void fill_overflows(const ElementFormat& f, SpecialCodes& special) {
  for (std::size_t o = 0; o < special.overflow.size(); ++o) {
    for (std::size_t m = 0; m < tokens<IntMin>().size(); ++m) {
      for (std::size_t sign = 0; sign < 2; ++sign) {
        const auto int_min = static_cast<IntMin>(m);
        Case c{kCertifiedOverflows[o], Rounding::kTiesToEven, sign == 1, Origin::kInfinite};
        special.infinity[o][m][sign] = overflow_code(f, c, int_min);
        c.origin = Origin::kFinite;
        for (std::size_t r = 0; r < kDeterministic; ++r) {
          c.rounding = deterministic_rounding(r);
          special.overflow[o][m][r][sign] = overflow_code(f, c, int_min);
        }
      }
    }
  }
}

}  // namespace

SpecialCodes special_codes(const ElementFormat& f) {
  SpecialCodes special;
  fill_zeros(f, special);
  fill_overflows(f, special);
  for (std::size_t p = 0; p < special.nan.size(); ++p) {
    const NanPolicy policy = kCertifiedNans[p];
    const SignPair codes = {nan_code(f, policy, false), nan_code(f, policy, true)};
    special.nan[p] = {codes, codes};
  }
  if (!f.is_signed && f.nan != NanKind::kNone) {
    special.negative_to_nan = static_cast<std::uint8_t>(f.canonical_nan);
  }
  return special;
}

std::array<std::uint32_t, kCertifiedFlushes.size()> first_kept_ranks(const ElementFormat& f) {
  if (f.zero == ZeroKind::kNone) return {0, 0, 0};
  if (f.kind != FormatKind::kFloat) return {1, 1, 1};
  const auto normal = static_cast<std::uint32_t>(std::uint64_t{1} << f.man_bits);
  const std::uint32_t kept = f.has_subnormal ? 1 : normal;
  return {kept, kept, normal};
}

}  // namespace mx::golden
