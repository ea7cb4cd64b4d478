#include "reference/arithmetic/arithmetic.hpp"

#include "reference/arithmetic/integral.hpp"
#include "reference/arithmetic/remainder.hpp"
#include "reference/arithmetic/round_kernel.hpp"
#include "reference/arithmetic/selection.hpp"
#include "reference/format/integers.hpp"
#include "reference/format/table.hpp"

namespace mx {

Arithmetic Arithmetic::ieee(const ElementFormat& format, Rounding rounding) {
  ElementPolicy policy;
  policy.rounding = rounding;
  policy.overflow = Overflow::kNoneInfOrNan;
  return {format, policy};
}

std::string_view Arithmetic::problem() const {
  if (const std::string_view why = invalid_reason(format); !why.empty()) return why;
  if (format.kind != FormatKind::kFloat) return "arithmetic takes floats";
  if (format.man_bits + 1 > 53) return "arithmetic takes at most 53 bits of precision";
  if (is_stochastic(policy.rounding)) return "arithmetic takes no stochastic rounding";
  if (policy.staging != Staging::kNone) return "arithmetic rounds once: staging must be none";
  if (policy.src_ftz != SourceSubnormals::kKeep) return "arithmetic takes src_ftz = keep";
  return {};
}

const ElementFormat& Arithmetic::operand_format(ArithmeticOperation operation) const {
  const bool is_whole = kind_of(operation) == OperationKind::kFromInteger;
  return is_whole ? formats::integer(integer.type) : format;
}

const ElementFormat& Arithmetic::result_format(ArithmeticOperation operation) const {
  if (kind_of(operation) == OperationKind::kCompared) return formats::truth;
  if (kind_of(operation) == OperationKind::kToInteger) return formats::integer(integer.type);
  return format;
}

Encoded Arithmetic::operator()(ArithmeticOperation operation,
                               std::span<const std::uint64_t> x) const {
  switch (operation) {
    case ArithmeticOperation::kFma:
      return fma(x[0], x[1], x[2]);
    case ArithmeticOperation::kSqrt:
      return sqrt(x[0]);
    case ArithmeticOperation::kRoundToIntegral:
      return round_to_integral(x[0]);
    case ArithmeticOperation::kToInteger:
      return to_integer(decode(format, x[0]), policy.rounding, integer);
    case ArithmeticOperation::kFromInteger:
      return from_integer(x[0]);
    default:
      return with_two(operation, x[0], x[1]);
  }
}

Encoded Arithmetic::with_two(ArithmeticOperation operation, std::uint64_t a,
                             std::uint64_t b) const {
  switch (operation) {
    case ArithmeticOperation::kAdd:
      return add(a, b);
    case ArithmeticOperation::kSubtract:
      return subtract(a, b);
    case ArithmeticOperation::kMultiply:
      return multiply(a, b);
    case ArithmeticOperation::kDivide:
      return divide(a, b);
    case ArithmeticOperation::kRemainder:
      return remainder(a, b);
    default:
      break;
  }
  if (kind_of(operation) == OperationKind::kSelected) {
    return finish(exact_select(operation, decode(format, a), decode(format, b)));
  }
  const Comparison result = compare(operation, decode(format, a), decode(format, b));
  return {result.holds ? std::uint64_t{1} : std::uint64_t{0},
          result.invalid ? std::uint8_t{kFlagInvalid} : std::uint8_t{0}};
}

Encoded Arithmetic::finish(const RealResult& result) const {
  return kernel::round_once(result, format, policy);
}

Encoded Arithmetic::add(std::uint64_t a, std::uint64_t b) const {
  return finish(exact_add(decode(format, a), decode(format, b), policy.rounding));
}

Encoded Arithmetic::subtract(std::uint64_t a, std::uint64_t b) const {
  Unpacked minus_b = decode(format, b);
  if (minus_b.cls != ValueClass::kNan) minus_b.negative = !minus_b.negative;
  return finish(exact_add(decode(format, a), minus_b, policy.rounding));
}

Encoded Arithmetic::multiply(std::uint64_t a, std::uint64_t b) const {
  return finish(exact_multiply(decode(format, a), decode(format, b)));
}

Encoded Arithmetic::divide(std::uint64_t a, std::uint64_t b) const {
  return finish(exact_divide(decode(format, a), decode(format, b)));
}

Encoded Arithmetic::fma(std::uint64_t a, std::uint64_t b, std::uint64_t c) const {
  return finish(
      exact_fma(decode(format, a), decode(format, b), decode(format, c), policy.rounding));
}

Encoded Arithmetic::sqrt(std::uint64_t a) const { return finish(exact_sqrt(decode(format, a))); }

Encoded Arithmetic::remainder(std::uint64_t a, std::uint64_t b) const {
  return finish(exact_remainder(decode(format, a), decode(format, b)));
}

Encoded Arithmetic::round_to_integral(std::uint64_t a) const {
  return finish(exact_round_to_integral(decode(format, a), policy.rounding));
}

Encoded Arithmetic::from_integer(std::uint64_t a) const {
  return finish({decode(formats::integer(integer.type), a)});
}

}  // namespace mx
