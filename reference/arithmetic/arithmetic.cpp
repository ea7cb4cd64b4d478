#include "reference/arithmetic/arithmetic.hpp"

#include <array>

#include "reference/arithmetic/exact_result.hpp"
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
                               std::span<const std::uint64_t> codes) const {
  std::array<Unpacked, 3> x;
  const ElementFormat& source = operand_format(operation);
  for (std::size_t i = 0; i < codes.size(); ++i) x[i] = decode(source, codes[i]);
  switch (kind_of(operation)) {
    case OperationKind::kCompared: {
      const Comparison result = compare(operation, x[0], x[1]);
      return {result.holds ? std::uint64_t{1} : std::uint64_t{0},
              result.invalid ? std::uint8_t{kFlagInvalid} : std::uint8_t{0}};
    }
    case OperationKind::kToInteger:
      return to_integer(x[0], policy.rounding, integer);
    default:
      return finish(exact_result(operation, {x.data(), codes.size()}, policy.rounding));
  }
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
