#include "oracle/element/arithmetic.hpp"

#include <stdexcept>
#include <vector>

#include "oracle/element/integer.hpp"
#include "oracle/element/order.hpp"
#include "reference/format/integers.hpp"

namespace mx::oracle {
Exact from_real(const Real& x) {
  Exact out;
  out.kind = x.kind;
  out.negative = x.negative;
  if (x.finite()) out.magnitude = RationalField::make(x.significand, x.exponent);
  return out;
}

namespace {

Exact invalid_result() {
  Exact out;
  out.kind = Kind::kNan;
  out.invalid = true;
  return out;
}

/// Neither operand is NaN in what follows.
Exact add(const Exact& a, const Exact& b, Rounding rounding) {
  if (a.kind == Kind::kInf || b.kind == Kind::kInf) {
    const bool both = a.kind == b.kind;
    if (both && a.negative != b.negative) return invalid_result();
    return a.kind == Kind::kInf ? a : b;
  }
  const Rational sum = signed_value(a) + signed_value(b);
  Exact out;
  if (sum == 0) {
    // Like signs keep theirs (both are zeros); opposite ones give +0, -0 under toward_negative.
    out.negative = a.negative == b.negative ? a.negative : rounding == Rounding::kTowardNegative;
    return out;
  }
  out.negative = sum < 0;
  out.magnitude = out.negative ? Rational(-sum) : sum;
  return out;
}

Exact multiply(const Exact& a, const Exact& b) {
  Exact out;
  out.negative = a.negative != b.negative;
  if (a.kind == Kind::kInf || b.kind == Kind::kInf) {
    if (is_zero(a) || is_zero(b)) return invalid_result();
    out.kind = Kind::kInf;
    return out;
  }
  out.magnitude = a.magnitude * b.magnitude;
  return out;
}

Exact divide(const Exact& a, const Exact& b) {
  Exact out;
  out.negative = a.negative != b.negative;
  if (a.kind == Kind::kInf) {
    if (b.kind == Kind::kInf) return invalid_result();
    out.kind = Kind::kInf;
    return out;
  }
  if (b.kind == Kind::kInf) return out;
  if (is_zero(b)) {
    if (is_zero(a)) return invalid_result();
    out.kind = Kind::kInf;
    out.divide_by_zero = true;
    return out;
  }
  out.magnitude = a.magnitude / b.magnitude;
  return out;
}

Exact square_root(const Exact& a) {
  if (is_zero(a)) return a;
  if (a.negative) return invalid_result();
  if (a.kind == Kind::kInf) return a;
  // floor(sqrt(a) * 2^k): a is dyadic, so a * 4^k is an integer for a large enough k.
  constexpr int k = 1000;
  const Rational scaled = a.magnitude * RationalField::make(1, 2 * k);
  if (mp::denominator(scaled) != 1) throw std::range_error("operand too small for the oracle");
  const Integer square = mp::numerator(scaled);
  const Integer root = mp::sqrt(square);
  Exact out;
  out.magnitude = Rational(root) * RationalField::make(1, -k);
  if (root * root != square) out.magnitude += RationalField::make(1, -k - 1);
  return out;
}

/// a - n * b for the integer n nearest to a / b.
Exact remainder(const Exact& a, const Exact& b) {
  if (a.kind == Kind::kInf || is_zero(b)) return invalid_result();
  if (b.kind == Kind::kInf) return a;
  // The sign of b says nothing: n takes it.
  const Rational ratio = a.magnitude / b.magnitude;
  const Rational rest = a.magnitude - nearest_even(ratio) * b.magnitude;
  Exact out;
  out.magnitude = mp::abs(rest);
  out.negative = rest < 0 ? !a.negative : a.negative;
  return out;
}

}  // namespace

Exact compute(ArithmeticOperation operation, std::span<const Real> operands, Rounding rounding) {
  std::vector<Exact> x;
  bool signaling = false;
  for (const Real& operand : operands) {
    x.push_back(from_real(operand));
    signaling = signaling || operand.signaling;
  }
  if (kind_of(operation) == OperationKind::kSelected) {
    return select(operation, x[0], x[1], signaling);
  }
  // A product of an infinity and a zero is invalid, whatever is added to it (spec F1.2).
  const bool no_product = operation == ArithmeticOperation::kFma && x[0].kind != Kind::kNan &&
                          x[1].kind != Kind::kNan && multiply(x[0], x[1]).invalid;
  for (const Exact& operand : x) {
    if (operand.kind != Kind::kNan) continue;
    Exact out = operand;
    out.invalid = signaling || no_product;
    return out;
  }
  switch (operation) {
    case ArithmeticOperation::kAdd:
      return add(x[0], x[1], rounding);
    case ArithmeticOperation::kSubtract:
      return add(x[0], negated(x[1]), rounding);
    case ArithmeticOperation::kMultiply:
      return multiply(x[0], x[1]);
    case ArithmeticOperation::kDivide:
      return divide(x[0], x[1]);
    case ArithmeticOperation::kFma: {
      const Exact product = multiply(x[0], x[1]);
      return product.invalid ? product : add(product, x[2], rounding);
    }
    case ArithmeticOperation::kSqrt:
      return square_root(x[0]);
    case ArithmeticOperation::kRemainder:
      return remainder(x[0], x[1]);
    case ArithmeticOperation::kRoundToIntegral:
      return round_to_integral(x[0], rounding);
    case ArithmeticOperation::kFromInteger:
      return x[0];
    default:
      break;
  }
  throw std::logic_error("no operation whose result is a code of the operands' format");
}

Outcome operate(const ElementOracle<RationalField>& judge, ArithmeticOperation operation,
                std::span<const std::uint64_t> operands, const ElementPolicy& policy,
                const IntegerConversion& integer) {
  const std::vector<ElementFormat> own(operands.size(), judge.ladder().format());
  return operate(judge, operation, own, operands, policy, integer);
}

Outcome operate(const ElementOracle<RationalField>& judge, ArithmeticOperation operation,
                std::span<const ElementFormat> formats, std::span<const std::uint64_t> operands,
                const ElementPolicy& policy, const IntegerConversion& integer) {
  const OperationKind kind = kind_of(operation);
  std::vector<Real> values;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_whole = kind == OperationKind::kFromInteger;
    values.push_back(
        value_of(is_whole ? mx::formats::integer(integer.type) : formats[i], operands[i]));
  }
  if (kind == OperationKind::kCompared) return compare(operation, values[0], values[1]);
  if (kind == OperationKind::kToInteger) return to_integer(values[0], policy.rounding, integer);
  const Exact exact = compute(operation, values, policy.rounding);
  Real x;
  x.kind = exact.kind;
  x.negative = exact.negative;
  x.significand = exact.magnitude == 0 ? 0 : 1;  // conclude asks only whether x is a zero
  const Placement place = x.finite() ? judge.ladder().place(exact.magnitude, 0) : Placement{};
  Outcome out = judge.conclude(x, place, policy, 0);
  if (exact.invalid) out.flags |= kFlagInvalid;
  if (exact.divide_by_zero) out.flags |= kFlagDivideByZero;
  if (exact.inexact) out.flags |= kFlagInexact;
  return out;
}

}  // namespace mx::oracle
