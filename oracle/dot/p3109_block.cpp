#include "oracle/dot/p3109_block.hpp"

#include <stdexcept>

namespace mx::oracle {
namespace {

using Op = P3109Operation;

const Extended& nan() {
  static const Extended value{Kind::kNan, false, false, 0};
  return value;
}

Extended zero_is_one(Extended x) {
  if (x.zero() || x.nan()) x.negative = false;
  x.signaling = false;
  return x;
}

/// -1, 0, 1 for X < Y, X = Y, X > Y.
int compare(const Extended& x, const Extended& y) {
  const auto rank = [](const Extended& v) { return !v.inf() ? 0 : v.negative ? -1 : 1; };
  if (rank(x) != rank(y)) return rank(x) < rank(y) ? -1 : 1;
  if (rank(x) != 0) return 0;
  const Rational a = x.negative ? Rational(-x.magnitude) : x.magnitude;
  const Rational b = y.negative ? Rational(-y.magnitude) : y.magnitude;
  return a < b ? -1 : a == b ? 0 : 1;
}

Extended minimum(const Extended& x, const Extended& y) {
  if (x.nan() || y.nan()) return nan();
  return compare(x, y) < 0 ? x : y;
}

Extended maximum(const Extended& x, const Extended& y) {
  if (x.nan() || y.nan()) return nan();
  return compare(x, y) < 0 ? y : x;
}

Extended absolute(Extended x) {
  x.negative = false;
  return x;
}

Extended minimum_magnitude(const Extended& x, const Extended& y) {
  if (x.nan() || y.nan()) return nan();
  if (x.inf() && y.inf()) return minimum(x, y);
  if (x.inf()) return y;
  if (y.inf()) return x;
  const int order = compare(absolute(x), absolute(y));
  if (order == 0) return minimum(x, y);
  return order < 0 ? x : y;
}

Extended maximum_magnitude(const Extended& x, const Extended& y) {
  if (x.nan() || y.nan()) return nan();
  if ((x.inf() && !x.negative) || (y.inf() && !y.negative)) return {Kind::kInf, false, false, 0};
  if (x.inf() || y.inf()) return {Kind::kInf, true, false, 0};
  const int order = compare(absolute(x), absolute(y));
  if (order == 0) return maximum(x, y);
  return order > 0 ? x : y;
}

using Binary = Extended (*)(const Extended&, const Extended&);

/// The variants ...Number: a NaN gives way.
Extended number(Binary f, const Extended& x, const Extended& y) {
  if (x.nan()) return y;
  if (y.nan()) return x;
  return f(x, y);
}

/// The variants ...Finite: an infinity gives way too.
Extended finite(Binary f, const Extended& x, const Extended& y) {
  if (x.nan()) return y;
  if (y.nan()) return x;
  if (x.inf() && !y.inf()) return y;
  if (y.inf() && !x.inf()) return x;
  return f(x, y);
}

Extended divide(const Extended& x, const Extended& y) {
  if (x.nan() || y.nan() || y.zero() || (x.inf() && y.inf())) return nan();
  return over(x, y);
}

Extended clamp(const Extended& x, const Extended& low, const Extended& high) {
  if (x.nan() || low.nan() || high.nan()) return nan();
  if (compare(low, high) > 0) return nan();
  if (compare(x, low) <= 0) return low;
  return compare(x, high) >= 0 ? high : x;
}

Extended copy_sign(const Extended& x, const Extended& y) {
  if (x.nan() || y.nan()) return nan();
  const Extended zero;
  Extended out = absolute(x);
  out.negative = compare(y, zero) < 0;
  return out;
}

Extended raw_value(Op operation, std::span<const Extended> v) {
  const Extended one = extended(Rational(1));
  switch (operation) {
    case Op::kConvert:
      return v[0];
    case Op::kAbs:
      return v[0].nan() ? nan() : absolute(v[0]);
    case Op::kNegate:
      return negated(v[0]);
    case Op::kRecip:
      return divide(one, v[0]);
    case Op::kCopySign:
      return copy_sign(v[0], v[1]);
    case Op::kAdd:
      return plus(v[0], v[1]);
    case Op::kSubtract:
      return plus(v[0], negated(v[1]));
    case Op::kMultiply:
      return times(v[0], v[1]);
    case Op::kDivide:
      return divide(v[0], v[1]);
    case Op::kMinimum:
      return minimum(v[0], v[1]);
    case Op::kMaximum:
      return maximum(v[0], v[1]);
    case Op::kMinimumNumber:
      return number(minimum, v[0], v[1]);
    case Op::kMaximumNumber:
      return number(maximum, v[0], v[1]);
    case Op::kMinimumMagnitude:
      return minimum_magnitude(v[0], v[1]);
    case Op::kMaximumMagnitude:
      return maximum_magnitude(v[0], v[1]);
    case Op::kMinimumMagnitudeNumber:
      return number(minimum_magnitude, v[0], v[1]);
    case Op::kMaximumMagnitudeNumber:
      return number(maximum_magnitude, v[0], v[1]);
    case Op::kMinimumFinite:
      return finite(minimum, v[0], v[1]);
    case Op::kMaximumFinite:
      return finite(maximum, v[0], v[1]);
    case Op::kFma:
      return plus(times(v[0], v[1]), v[2]);
    case Op::kFaa: {
      // Infinities of both signs are NaN wherever they stand; otherwise any order will do.
      return plus(plus(v[0], v[1]), v[2]);
    }
    case Op::kClamp:
      return clamp(v[0], v[1], v[2]);
  }
  throw std::logic_error("operation outside the enum");
}

}  // namespace

Extended closed_real(const ElementFormat& format, std::uint64_t code) {
  return zero_is_one(extended(value_of(format, code)));
}

std::vector<Extended> block_values(const P3109BlockFormat& format, std::uint64_t scale,
                                   std::span<const std::uint64_t> codes) {
  std::vector<Extended> values;
  const Extended s = closed_real(format.scale, scale);
  for (const std::uint64_t code : codes) {
    values.push_back(zero_is_one(times(s, closed_real(format.element, code))));
  }
  return values;
}

Extended p3109_value(P3109Operation operation, std::span<const Extended> operands) {
  return zero_is_one(raw_value(operation, operands));
}

Outcome p3109_project(const Extended& x, const ElementFormat& format,
                      const P3109Projection& projection) {
  ElementPolicy policy;
  policy.rounding = projection.rounding;
  policy.overflow = projection.saturation;
  policy.zero_sign = ZeroSign::kFlushPositive;
  return encode_extended(format, zero_is_one(x), policy);
}

Outcome p3109_project_scaled(const Extended& x, const Extended& scale, const ElementFormat& format,
                             const P3109Projection& projection) {
  Extended z;
  if (scale.nan() || x.nan()) {
    z = nan();
  } else if (scale.zero()) {
    z = {};
  } else if (scale.inf()) {
    if (!x.zero()) z = extended(Rational(1));
    z.negative = x.negative != scale.negative;
  } else {
    z = divide(x, scale);
  }
  return p3109_project(z, format, projection);
}

Extended max_abs_finite(std::span<const Extended> values) {
  Extended largest = nan();
  for (const Extended& x : values) largest = finite(maximum, largest, absolute(x));
  return largest;
}

}  // namespace mx::oracle
