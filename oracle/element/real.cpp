#include "oracle/element/real.hpp"

#include <map>
#include <memory>
#include <string>

#include "reference/format/table.hpp"

namespace mx::oracle {
namespace {

/// Ladders are expensive to build: one for each format, by all that shapes it. Threads have their
/// own, since asking may build one, or another in its place.
const ElementOracle<RationalField>& judge_for(const ElementFormat& format) {
  thread_local std::map<std::string, std::unique_ptr<ElementOracle<RationalField>>> judges;
  const std::string key = std::string(format.name) + '/' + std::to_string(format.bits) + '/' +
                          std::to_string(format.bias) + '/' + std::to_string(format.frac_bits);
  auto& judge = judges[key];
  if (!judge || !(judge->ladder().format() == format)) {
    judge = std::make_unique<ElementOracle<RationalField>>(format);
  }
  return *judge;
}

/// floor(log2 v) of a positive rational, by the lengths of its parts.
int exponent_of(const Rational& v) {
  const auto top = [](const Integer& n) { return static_cast<int>(mp::msb(n)); };
  const int e = top(mp::numerator(v)) - top(mp::denominator(v));
  return v < dyadic(1, e) ? e - 1 : e;
}

Extended not_a_number() { return {Kind::kNan, false, false, 0}; }

}  // namespace

Rational dyadic(std::uint64_t numerator, int exponent) {
  return RationalField::make(numerator, exponent);
}

std::optional<Denormalised> before_denormalising(const Rational& magnitude, bool negative,
                                                 const ElementPolicy& policy,
                                                 const ElementFormat& destination) {
  const ElementFormat& f = destination;
  if (f.kind != FormatKind::kFloat || magnitude == 0) return std::nullopt;
  const int e = exponent_of(magnitude);
  if (e >= (f.zero == ZeroKind::kNone ? -f.bias : 1 - f.bias)) return std::nullopt;
  const Rational in_units = magnitude / dyadic(1, e - f.man_bits);
  const Integer whole = mp::numerator(in_units) / mp::denominator(in_units);
  const Rational rest = in_units - Rational(whole);
  // A significand of one bit takes its parity from the code (spec F9.3).
  const bool odd_code = f.parity == Parity::kImplicitOdd || (e + f.bias) % 2 != 0;
  const Position gap{.exact = rest == 0,
                     .half = rest.compare(dyadic(1, -1)),
                     .odd = f.man_bits == 0 ? odd_code : whole % 2 != 0};
  const Rounding rounding =
      is_stochastic(policy.rounding) ? Rounding::kTiesToEven : policy.rounding;
  const std::uint64_t up = goes_up(rounding, negative, gap, 0, 0) ? 1 : 0;
  return Denormalised{static_cast<std::uint64_t>(whole) + up, e - f.man_bits};
}

Extended extended(const Real& x) {
  Extended out{x.kind, x.negative, x.signaling, 0};
  if (x.finite()) out.magnitude = dyadic(x.significand, x.exponent);
  return out;
}

Extended extended(const Rational& magnitude) { return {Kind::kFinite, false, false, magnitude}; }

Extended times(const Extended& a, const Extended& b) {
  if (a.nan()) return a;
  if (b.nan()) return b;
  const bool negative = a.negative != b.negative;
  if (a.inf() || b.inf()) {
    if (a.zero() || b.zero()) return not_a_number();
    return {Kind::kInf, negative, false, 0};
  }
  return {Kind::kFinite, negative, false, a.magnitude * b.magnitude};
}

Extended over(const Extended& a, const Extended& b) {
  if (a.nan()) return a;
  if (b.nan()) return b;
  const bool negative = a.negative != b.negative;
  if ((a.inf() && b.inf()) || (a.zero() && b.zero())) return not_a_number();
  if (a.inf() || b.zero()) return {Kind::kInf, negative, false, 0};
  if (b.inf()) return {Kind::kFinite, negative, false, 0};
  return {Kind::kFinite, negative, false, a.magnitude / b.magnitude};
}

Extended plus(const Extended& a, const Extended& b) {
  if (a.nan()) return a;
  if (b.nan()) return b;
  if (a.inf() && b.inf() && a.negative != b.negative) return not_a_number();
  if (a.inf()) return a;
  if (b.inf()) return b;
  Rational sum = a.negative ? Rational(-a.magnitude) : a.magnitude;
  sum += b.negative ? Rational(-b.magnitude) : b.magnitude;
  if (sum == 0) return {Kind::kFinite, a.negative && b.negative, false, 0};
  return {Kind::kFinite, sum < 0, false, sum < 0 ? Rational(-sum) : sum};
}

Extended negated(Extended x) {
  x.negative = !x.negative;
  return x;
}

bool smaller(const Extended& a, const Extended& b) {
  if (a.nan() || b.nan() || a.inf()) return false;
  return b.inf() || a.magnitude < b.magnitude;
}

Outcome encode_extended(const ElementFormat& format, const Extended& x, const ElementPolicy& policy,
                        std::uint32_t random) {
  const ElementOracle<RationalField>& judge = judge_for(format);
  const Real real{x.kind, x.negative, x.signaling, false, x.zero() ? 0U : 1U, 0};
  const int bits = is_stochastic(policy.rounding) ? policy.random_bits : 0;
  const Placement place =
      x.kind == Kind::kFinite ? judge.ladder().place(x.magnitude, bits) : Placement{};
  return judge.conclude(real, place, policy, random);
}

Extended rounded(const ElementFormat& format, const Extended& x) {
  if (x.nan()) return x;
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  return extended(value_of(format, encode_extended(format, x, policy).code));
}

Extended fl32(const Extended& x) { return rounded(formats::fp32, x); }

}  // namespace mx::oracle
