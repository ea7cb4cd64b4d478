// AMD's third matrix unit: products are cut to one alignment and added; their sum and C are floored
// to another, added, floored once more and rounded: spec U2, mi300.
#include <span>

#include "reference/element/encode.hpp"
#include "reference/unit/terms.hpp"

namespace mx::unit {
namespace {

// Fraction bits below the exponents that the steps align to: spec U2.
constexpr int kProductBits = 24;
constexpr int kDotBits = 32;
constexpr int kAddendBits = 24;
constexpr int kSumBits = 31;
constexpr int kDroppedBelow = 25;  ///< C of FP8 counts as 0 where its exponent lies lower by more

/// The products of a group that were cut and added: sum * 2^last; nothing where all are zero.
struct Dot {
  std::int64_t sum = 0;
  std::optional<int> exponent;
  [[nodiscard]] int last() const { return *exponent - kProductBits; }
};

Dot dot_of(const Terms& products) {
  Dot dot{.exponent = largest_exponent(products)};
  for (const Term& term : products.numbers) dot.sum += cut_toward_zero(term, dot.last());
  return dot;
}

/// Even and odd products, brought to the larger exponent of the two.
Dot joined(const Dot& even, const Dot& odd) {
  if (!even.exponent) return odd;
  if (!odd.exponent) return even;
  Dot dot{.exponent = std::max(*even.exponent, *odd.exponent)};
  dot.sum = floor_to(even.sum, even.last(), dot.last()) + floor_to(odd.sum, odd.last(), dot.last());
  return dot;
}

/// A product of 2^128 or more is an infinity.
void overflow_products(Terms& terms) {
  std::vector<Term> kept;
  for (const Term& term : terms.numbers) {
    const int leading = term.last + static_cast<int>(std::bit_width(term.magnitude)) - 1;
    if (leading > formats::fp32.emax()) {
      terms.add_infinity(term.negative);
    } else {
      kept.push_back(term);
    }
  }
  terms.numbers = std::move(kept);
}

/// sum * 2^last, floored to 31 bits below its leading one, then to the nearest binary32.
std::uint64_t rounded(std::int64_t sum, int last) {
  const Unpacked exact = unpack_signed(sum, last);
  if (exact.cls == ValueClass::kZero) return 0;
  const int lowest = std::max(exact.exponent, formats::fp32.emin()) - kSumBits;
  const bool is_wider = lowest > last;
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  const Unpacked floored = is_wider ? unpack_signed(floor_to(sum, last, lowest), lowest) : exact;
  return encode(floored, formats::fp32, policy, 0).code;
}

std::uint64_t add_c(const UnitConfig& config, const Dot& dot, std::uint64_t c) {
  const Unpacked addend = decode(config.result, c);
  const int emin = formats::fp32.emin();
  const int c_exponent = addend.cls == ValueClass::kZero ? emin : std::max(addend.exponent, emin);
  const int top = std::max(dot.exponent.value_or(c_exponent), c_exponent);
  const int last = top - kDotBits;
  std::int64_t sum = dot.exponent ? floor_to(dot.sum, dot.last(), last) : 0;
  const bool is_apart = config.unit.sum == UnitSum::kTwoStagesApart;
  const bool is_dropped = is_apart && c_exponent < top - kDroppedBelow;
  if (addend.cls == ValueClass::kFinite && !is_dropped) {
    const Term term = term_of(addend, emin);
    const auto magnitude = static_cast<std::int64_t>(term.magnitude);
    const int c_last = top - kAddendBits;
    sum +=
        floor_to(floor_to(term.negative ? -magnitude : magnitude, term.last, c_last), c_last, last);
  }
  return rounded(sum, last);
}

}  // namespace

std::uint64_t sum_in_two_stages(const UnitConfig& config, const DotOperand& a, const DotOperand& b,
                                std::uint64_t c) {
  const bool is_apart = config.unit.sum == UnitSum::kTwoStagesApart;
  const auto group = static_cast<std::size_t>(config.unit.group);
  for (std::size_t at = 0; at < a.codes.size(); at += group) {
    Terms parts[2];
    for (std::size_t i = at; i < std::min(at + group, a.codes.size()); ++i) {
      add_product(config, a, b, i, std::nullopt, parts[is_apart ? i % 2 : 0]);
    }
    Terms specials;
    for (Terms& part : parts) {
      overflow_products(part);
      specials.has_nan = specials.has_nan || part.has_nan;
      specials.has_positive_inf = specials.has_positive_inf || part.has_positive_inf;
      specials.has_negative_inf = specials.has_negative_inf || part.has_negative_inf;
    }
    add_code(config.result, c, specials);
    c = specials.is_special() ? special_code(config, specials)
                              : add_c(config, joined(dot_of(parts[0]), dot_of(parts[1])), c);
  }
  return c;
}

}  // namespace mx::unit
