#include "reference/p3109/block.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "reference/dot/accumulator.hpp"
#include "reference/dot/evaluation.hpp"

namespace mx {
namespace {

using Op = P3109Operation;

constexpr std::array kOperations = {
    Token<Op>{Op::kConvert, "Convert"},
    Token<Op>{Op::kAbs, "Abs"},
    Token<Op>{Op::kNegate, "Negate"},
    Token<Op>{Op::kRecip, "Recip"},
    Token<Op>{Op::kCopySign, "CopySign"},
    Token<Op>{Op::kAdd, "Add"},
    Token<Op>{Op::kSubtract, "Subtract"},
    Token<Op>{Op::kMultiply, "Multiply"},
    Token<Op>{Op::kDivide, "Divide"},
    Token<Op>{Op::kMinimum, "Minimum"},
    Token<Op>{Op::kMaximum, "Maximum"},
    Token<Op>{Op::kMinimumNumber, "MinimumNumber"},
    Token<Op>{Op::kMaximumNumber, "MaximumNumber"},
    Token<Op>{Op::kMinimumMagnitude, "MinimumMagnitude"},
    Token<Op>{Op::kMaximumMagnitude, "MaximumMagnitude"},
    Token<Op>{Op::kMinimumMagnitudeNumber, "MinimumMagnitudeNumber"},
    Token<Op>{Op::kMaximumMagnitudeNumber, "MaximumMagnitudeNumber"},
    Token<Op>{Op::kMinimumFinite, "MinimumFinite"},
    Token<Op>{Op::kMaximumFinite, "MaximumFinite"},
    Token<Op>{Op::kFma, "FMA"},
    Token<Op>{Op::kFaa, "FAA"},
    Token<Op>{Op::kClamp, "Clamp"}};

constexpr Unpacked kNan = {.cls = ValueClass::kNan};
constexpr Unpacked kOne = {.cls = ValueClass::kFinite, .significand = std::uint64_t{1} << 63};

bool is_nan(const Unpacked& x) { return x.cls == ValueClass::kNan; }
bool is_inf(const Unpacked& x) { return x.cls == ValueClass::kInf; }
bool is_zero(const Unpacked& x) { return x.cls == ValueClass::kZero; }
bool is_finite(const Unpacked& x) { return x.cls == ValueClass::kFinite; }

/// Closed extended reals have one zero.
Unpacked real(Unpacked x) {
  if (is_zero(x) || is_nan(x)) x.negative = false;
  x.signaling = false;
  return x;
}

Unpacked negated(Unpacked x) {
  x.negative = !x.negative;
  return real(x);
}

/// x < y of extended reals; neither is NaN.
bool less(const Unpacked& x, const Unpacked& y) {
  if (x.negative != y.negative) return x.negative;
  const int order = compare_magnitude(x, y);
  return x.negative ? order > 0 : order < 0;
}

/// An exact result: a sum of at most three terms over a divisor that is finite and not zero.
struct Exact {
  std::vector<Unpacked> terms;
  Unpacked divisor = kOne;
};

Exact one_term(const Unpacked& x) { return {{x}}; }

ExactSum sum_of(std::span<const Unpacked> terms) {
  int lowest = 0, highest = 0;
  bool any = false;
  for (const Unpacked& term : terms) {
    if (!is_finite(term)) continue;
    const int last = term.exponent - 63 + std::countr_zero(term.significand);
    lowest = any ? std::min(lowest, last) : last;
    highest = any ? std::max(highest, term.exponent) : term.exponent;
    any = true;
  }
  ExactSum sum(lowest, highest);
  for (const Unpacked& term : terms) sum.add(term);
  return sum;
}

Exact divide(const Unpacked& x, const Unpacked& y) {
  if (is_nan(x) || is_nan(y) || is_zero(y) || (is_inf(x) && is_inf(y))) return one_term(kNan);
  if (is_inf(y)) return one_term({});
  return {{x}, y};
}

Unpacked minimum(const Unpacked& x, const Unpacked& y) { return less(x, y) ? x : y; }
Unpacked maximum(const Unpacked& x, const Unpacked& y) { return less(x, y) ? y : x; }

/// The one of smaller (larger) magnitude; of equals the smaller (larger) one.
Unpacked minimum_magnitude(const Unpacked& x, const Unpacked& y) {
  const int order = compare_magnitude(x, y);
  return order < 0 ? x : order > 0 ? y : minimum(x, y);
}
Unpacked maximum_magnitude(const Unpacked& x, const Unpacked& y) {
  const int order = compare_magnitude(x, y);
  return order > 0 ? x : order < 0 ? y : maximum(x, y);
}

Unpacked clamp(const Unpacked& x, const Unpacked& low, const Unpacked& high) {
  if (is_nan(x) || is_nan(low) || is_nan(high) || less(high, low)) return kNan;
  return minimum(maximum(x, low), high);
}

Unpacked choose(Op operation, const Unpacked& x, const Unpacked& y) {
  const bool counts_numbers = operation == Op::kMinimumNumber || operation == Op::kMaximumNumber ||
                              operation == Op::kMinimumMagnitudeNumber ||
                              operation == Op::kMaximumMagnitudeNumber ||
                              operation == Op::kMinimumFinite || operation == Op::kMaximumFinite;
  if (is_nan(x) || is_nan(y)) return !counts_numbers ? kNan : is_nan(x) ? y : x;
  const bool prefers_finite = operation == Op::kMinimumFinite || operation == Op::kMaximumFinite;
  if (prefers_finite && is_inf(x) != is_inf(y)) return is_inf(x) ? y : x;
  switch (operation) {
    case Op::kMinimum:
    case Op::kMinimumNumber:
    case Op::kMinimumFinite:
      return minimum(x, y);
    case Op::kMinimumMagnitude:
    case Op::kMinimumMagnitudeNumber:
      return minimum_magnitude(x, y);
    case Op::kMaximumMagnitude:
    case Op::kMaximumMagnitudeNumber:
      return maximum_magnitude(x, y);
    default:
      return maximum(x, y);
  }
}

Unpacked copy_sign(Unpacked x, const Unpacked& y) {
  if (is_nan(x) || is_nan(y)) return kNan;
  x.negative = y.negative;
  return real(x);
}

Exact evaluate(Op operation, std::span<const Unpacked> v) {
  switch (operation) {
    case Op::kConvert:
      return one_term(v[0]);
    case Op::kAbs:
      return one_term(v[0].negative ? negated(v[0]) : v[0]);
    case Op::kNegate:
      return one_term(negated(v[0]));
    case Op::kRecip:
      return divide(kOne, v[0]);
    case Op::kCopySign:
      return one_term(copy_sign(v[0], v[1]));
    case Op::kAdd:
      return {{v[0], v[1]}};
    case Op::kSubtract:
      return {{v[0], negated(v[1])}};
    case Op::kMultiply:
      return one_term(real(multiply(v[0], v[1])));
    case Op::kDivide:
      return divide(v[0], v[1]);
    case Op::kFma:
      return {{real(multiply(v[0], v[1])), v[2]}};
    case Op::kFaa:
      return {{v[0], v[1], v[2]}};
    case Op::kClamp:
      return one_term(clamp(v[0], v[1], v[2]));
    default:
      return one_term(choose(operation, v[0], v[1]));
  }
}

Encoded project(const Unpacked& x, const ElementFormat& format, const P3109Projection& projection) {
  ElementPolicy policy;
  policy.rounding = projection.rounding;
  policy.overflow = projection.saturation;
  policy.zero_sign = ZeroSign::kFlushPositive;
  return encode(real(x), format, policy, 0);
}

/// Section 5.1.2 for one element.
Encoded project_scaled(const Exact& z, const Unpacked& scale, const ElementFormat& format,
                       const P3109Projection& projection) {
  const ExactSum sum = sum_of(z.terms);
  const Unpacked value = sum.value();
  if (is_nan(scale) || is_nan(value)) return project(kNan, format, projection);
  if (is_zero(scale) || is_zero(value)) return project({}, format, projection);
  if (is_inf(scale)) {
    Unpacked sign = kOne;
    sign.negative = (value.negative != z.divisor.negative) != scale.negative;
    return project(sign, format, projection);
  }
  return project(sum.value_over(multiply(z.divisor, scale)), format, projection);
}

Unpacked value_in(const P3109BlockFormat& format, const Unpacked& scale, std::uint64_t code) {
  return real(multiply(scale, decode(format.element, code)));
}

std::vector<Unpacked> values_of(const P3109BlockFormat& format, const P3109Block& block) {
  const Unpacked scale = decode(format.scale, block.scale);
  std::vector<Unpacked> values;
  values.reserve(block.codes.size());
  for (const std::uint64_t code : block.codes) values.push_back(value_in(format, scale, code));
  return values;
}

/// The product of finite nonzero values, of any width.
Unpacked product_of(std::span<const Unpacked> values) {
  __extension__ using Uint128 = unsigned __int128;
  std::vector<std::uint64_t> words = {1};
  int exponent = 0;
  bool negative = false;
  for (const Unpacked& x : values) {
    const int trailing = std::countr_zero(x.significand);
    const std::uint64_t factor = x.significand >> trailing;
    std::uint64_t carry = 0;
    for (std::uint64_t& word : words) {
      const Uint128 part = static_cast<Uint128>(word) * factor + carry;
      word = static_cast<std::uint64_t>(part);
      carry = static_cast<std::uint64_t>(part >> 64);
    }
    if (carry != 0) words.push_back(carry);
    exponent += x.exponent - 63 + trailing;
    negative = negative != x.negative;
  }
  return unpack_words(negative, words, exponent, false);
}

}  // namespace

template <>
std::span<const Token<P3109Operation>> tokens<P3109Operation>() {
  return kOperations;
}

std::string_view p3109_problem(const P3109BlockFormat& format) {
  if (significand_bits(format.scale) + significand_bits(format.element) > 32)
    return "scale and element together have more than 32 bits of precision";
  return {};
}

std::string_view p3109_problem(const P3109Projection& projection) {
  if (is_stochastic(projection.rounding)) return "block operations do not round stochastically";
  return {};
}

std::uint8_t convert_from_block(const P3109BlockFormat& format, const P3109Block& block,
                                const ElementFormat& result, const P3109Projection& projection,
                                std::span<std::uint64_t> out) {
  const std::vector<Unpacked> values = values_of(format, block);
  std::uint8_t flags = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Encoded encoded = project(values[i], result, projection);
    out[i] = encoded.code;
    flags |= encoded.flags;
  }
  return flags;
}

std::uint8_t convert_to_block(const ElementFormat& source, std::span<const std::uint64_t> values,
                              const P3109BlockFormat& result, std::uint64_t scale,
                              const P3109Projection& projection, std::span<std::uint64_t> out) {
  const Unpacked s = decode(result.scale, scale);
  std::uint8_t flags = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Encoded encoded =
        project_scaled(one_term(real(decode(source, values[i]))), s, result.element, projection);
    out[i] = encoded.code;
    flags |= encoded.flags;
  }
  return flags;
}

P3109Scaled convert_to_block_max_abs_finite(const ElementFormat& source,
                                            std::span<const std::uint64_t> values,
                                            const P3109BlockFormat& result,
                                            const P3109Projection& scale_projection,
                                            const P3109Projection& projection,
                                            std::span<std::uint64_t> out) {
  Unpacked largest = kNan;
  for (const std::uint64_t code : values) {
    Unpacked magnitude = real(decode(source, code));
    magnitude.negative = false;
    largest = choose(Op::kMaximumFinite, largest, magnitude);
  }
  const Encoded scale = project(largest, result.scale, scale_projection);
  const std::uint8_t flags = convert_to_block(source, values, result, scale.code, projection, out);
  return {scale.code, static_cast<std::uint8_t>(scale.flags | flags)};
}

Encoded block_reduce_add(const P3109BlockFormat& format, const P3109Block& block,
                         const ElementFormat& result, const P3109Projection& projection) {
  return project(sum_of(values_of(format, block)).value(), result, projection);
}

Encoded block_reduce_multiply(const P3109BlockFormat& format, const P3109Block& block,
                              const ElementFormat& result, const P3109Projection& projection) {
  const std::vector<Unpacked> values = values_of(format, block);
  Unpacked product = kOne;  // what is not a number: multiply knows the rules
  for (const Unpacked& x : values) {
    Unpacked stand_in = is_finite(x) ? kOne : x;
    stand_in.negative = x.negative;
    product = multiply(product, stand_in);
  }
  return project(is_finite(product) ? product_of(values) : product, result, projection);
}

Encoded block_dot_product(const P3109BlockFormat& x_format, const P3109Block& x,
                          const P3109BlockFormat& y_format, const P3109Block& y,
                          const ElementFormat& result, const P3109Projection& projection) {
  std::vector<Unpacked> products = values_of(x_format, x);
  const std::vector<Unpacked> other = values_of(y_format, y);
  for (std::size_t i = 0; i < products.size(); ++i) {
    products[i] = real(multiply(products[i], other[i]));
  }
  return project(sum_of(products).value(), result, projection);
}

std::uint8_t block_operation(P3109Operation operation, std::span<const P3109Operand> operands,
                             const P3109BlockFormat& result, std::uint64_t result_scale,
                             const P3109Projection& projection, std::span<std::uint64_t> out) {
  const Unpacked scale = decode(result.scale, result_scale);
  std::array<Unpacked, 3> scales;
  for (std::size_t j = 0; j < operands.size(); ++j) {
    scales[j] = decode(operands[j].format.scale, operands[j].block.scale);
  }
  std::uint8_t flags = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::array<Unpacked, 3> values;
    for (std::size_t j = 0; j < operands.size(); ++j) {
      values[j] = value_in(operands[j].format, scales[j], operands[j].block.codes[i]);
    }
    const Exact exact = evaluate(operation, std::span(values).first(operands.size()));
    const Encoded encoded = project_scaled(exact, scale, result.element, projection);
    out[i] = encoded.code;
    flags |= encoded.flags;
  }
  return flags;
}

}  // namespace mx
