// FP4 under block scales on B200: groups of 16 products are summed exactly, and what their scales
// make of them is aligned by the exponents of the scales: spec U2.
#include "reference/unit/terms.hpp"

namespace mx::unit {
namespace {

constexpr std::size_t kProducts = 16;  ///< that are summed exactly

/// A scale: its significand as an integer at 2^last, and the exponent of its format's fields.
struct Scale {
  bool is_nan = false;
  std::int64_t significand = 0;
  int last = 0;
  int exponent = 0;
};

Scale scale_of(const ScaleFormat& format, std::uint64_t code) {
  const Unpacked x = decode(format, code);
  if (x.cls != ValueClass::kFinite) return {.is_nan = x.cls == ValueClass::kNan};
  const Term term = term_of(x, format.emin());
  return {.significand = static_cast<std::int64_t>(term.magnitude),
          .last = term.last,
          .exponent = term.exponent};
}

/// The products of elements `at` to `end`, exactly, at 2^last; `has_product` if one is not zero.
struct Group {
  std::int64_t sum = 0;
  int last = 0;
  bool has_product = false;
};

Group group_of(const UnitConfig& config, const DotOperand& a, const DotOperand& b, std::size_t at,
               std::size_t end) {
  const ElementFormat& format = config.a.element;
  Group group{.last = 2 * (format.emin() - format.man_bits)};
  Terms terms;
  for (std::size_t i = at; i < end; ++i) add_product(config, a, b, i, std::nullopt, terms);
  for (const Term& term : terms.numbers) group.sum += cut_toward_zero(term, group.last);
  group.has_product = !terms.numbers.empty();
  return group;
}

/// A group under its scales; a sum that cancels keeps its exponent.
void add_group(const UnitConfig& config, const DotOperand& a, const DotOperand& b, std::size_t at,
               std::size_t end, Terms& terms) {
  const std::size_t block = at / static_cast<std::size_t>(config.a.scale->block_size);
  const Scale one = scale_of(config.a.scale->format, a.scales[block]);
  const Scale other = scale_of(config.b.scale->format, b.scales[block]);
  if (one.is_nan || other.is_nan) {
    terms.has_nan = true;
    return;
  }
  const Group group = group_of(config, a, b, at, end);
  if (!group.has_product || one.significand == 0 || other.significand == 0) {
    terms.has_zero = true;
    return;
  }
  const std::int64_t value = group.sum * one.significand * other.significand;
  terms.numbers.push_back({.negative = value < 0,
                           .magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value)
                                                  : static_cast<std::uint64_t>(value),
                           .last = group.last + one.last + other.last,
                           .exponent = one.exponent + other.exponent});
}

}  // namespace

std::uint64_t sum_scaled_groups(const UnitConfig& config, const DotOperand& a, const DotOperand& b,
                                std::uint64_t c) {
  const auto step = static_cast<std::size_t>(config.unit.group);
  for (std::size_t at = 0; at < a.codes.size(); at += step) {
    Terms terms;
    add_code(config.result, c, terms);
    const std::size_t end = std::min(at + step, a.codes.size());
    for (std::size_t i = at; i < end; i += kProducts) {
      add_group(config, a, b, i, std::min(i + kProducts, end), terms);
    }
    c = add_terms(config, terms);
  }
  return c;
}

}  // namespace mx::unit
