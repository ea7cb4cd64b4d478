// The accumulator model of reference/dot/model.hpp.
#include <algorithm>
#include <bit>
#include <vector>

#include "reference/block/scaling.hpp"
#include "reference/dot/evaluation.hpp"

namespace mx {
namespace {

/// The products of a step, in the model's order.
std::vector<std::size_t> step_products(const AccumulatorModel& m, std::size_t n, std::size_t steps,
                                       std::size_t step) {
  std::vector<std::size_t> products;
  for (std::size_t j = 0; j < static_cast<std::size_t>(m.group); ++j) {
    const std::size_t place = step * static_cast<std::size_t>(m.group) + j;
    const std::size_t i = m.order == DotOrder::kStrided ? step + j * steps : place;
    if (i < n) products.push_back(m.order == DotOrder::kReversed ? n - 1 - i : i);
  }
  return products;
}

/// The exponent that a factor brings to a sum of exponents.
int stored_exponent(const ElementFormat& f, const Unpacked& x) {
  if (f.is_fixed()) return f.emax();
  return f.kind == FormatKind::kTapered ? x.exponent : std::max(x.exponent, f.emin());
}

int side_exponent(const BlockFormat& f, const DotOperand& side, std::size_t block_size,
                  std::size_t i) {
  const std::uint64_t scale_code = side.scales[i / block_size];
  const Unpacked scale = decode(f.scale, scale_code & f.scale.code_mask());
  int exponent = stored_exponent(f.scale, scale) +
                 stored_exponent(f.element, decode(f.element, side.codes[i]));
  if (f.sublevels[0] != 0) exponent += sublevel_shift(f, scale_code, i % block_size);
  if (f.tensor_scale != TensorScale::kNone)
    exponent += stored_exponent(formats::fp32, decode(formats::fp32, side.tensor_scale));
  return exponent;
}

/// x rounded to a multiple of 2^unit: the codes of a fixed-point format with that step, which is
/// wide enough for every term of a step.
Encoded cut_term(const Unpacked& x, const ElementFormat& grid, Rounding rounding) {
  ElementPolicy policy;
  policy.rounding = rounding;
  return encode(x, grid, policy, 0);
}

ElementFormat grid_of(int unit) {
  return {.bits = 64,
          .storage_bits = 64,
          .kind = FormatKind::kTwosComplement,
          .frac_bits = -unit,
          .zero = ZeroKind::kPosOnly,
          .max_code = ~std::uint64_t{0} >> 1};
}

/// The weight of the last one of a finite number.
int last_one(const Unpacked& x) { return x.exponent - 63 + std::countr_zero(x.significand); }

struct Term {
  std::size_t index;
  int exponent;  ///< that it is aligned by
  Unpacked value;
};

bool counts(const Unpacked& x) { return x.cls == ValueClass::kFinite; }

/// The signs of the terms of a step, as they are added: what decides the sign of a zero.
struct TermSigns {
  bool any_positive = false;
  bool any_negative = false;

  void look_at(const Unpacked& x) { (x.negative ? any_negative : any_positive) = true; }
  /// IEEE 754, its section 6.3, of a sum that is exactly zero.
  [[nodiscard]] bool zero_is_negative(Rounding rounding) const {
    if (any_positive != any_negative) return any_negative;
    return rounding == Rounding::kTowardNegative;
  }
};

}  // namespace

int DotProduct::exponent_sum(const Evaluation& evaluation, std::size_t i) const {
  return side_exponent(config_.a, evaluation.a, evaluation.block_size, i) +
         side_exponent(config_.b, evaluation.b, evaluation.block_size, i);
}

Unpacked DotProduct::accumulate(Evaluation& evaluation) const {
  const AccumulatorModel& m = config_.accumulator;
  ElementPolicy policy;
  policy.rounding = m.rounding;
  policy.overflow = m.overflow;
  policy.dst_ftz = m.ftz;
  const std::size_t n = evaluation.size();
  const auto group = static_cast<std::size_t>(m.group);
  const std::size_t steps = (n + group - 1) / group;
  Unpacked sum;
  if (evaluation.addend) sum = evaluation.round(*evaluation.addend, m.format, policy);
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<Term> terms;
    for (const std::size_t i : step_products(m, n, steps, step)) {
      const Unpacked value = product(evaluation, i);
      const bool by_sum = counts(value) && m.align == DotAlign::kExponentSum;
      terms.push_back({i, by_sum ? exponent_sum(evaluation, i) : value.exponent, value});
    }
    if (m.carry == DotCarry::kAligned) terms.push_back({n, sum.exponent, sum});
    std::optional<int> largest;
    for (const Term& term : terms) {
      if (counts(term.value)) largest = std::max(largest.value_or(term.exponent), term.exponent);
    }
    const int unit = largest.value_or(0) - m.alignment_bits + 1;
    const bool added = m.carry == DotCarry::kAfterwards && counts(sum);
    // Six significands below 2 make a term that lies less than 6 binades above its exponent.
    ExactSum total(added ? std::min(unit, last_one(sum)) : unit,
                   std::max(largest.value_or(0) + 6, added ? sum.exponent : unit));
    const ElementFormat grid = grid_of(unit);
    TermSigns signs;
    for (const Term& term : terms) {
      signs.look_at(term.value);
      if (!counts(term.value)) {
        total.add(term.value);
        continue;
      }
      const Encoded cut = cut_term(term.value, grid, m.align_rounding);
      evaluation.flags |= cut.flags & kFlagInexact;
      const Unpacked value = decode(grid, cut.code);
      evaluation.note(DotStep::What::kCut, term.index, term.value, value, unit);
      total.add(value);
    }
    if (m.carry == DotCarry::kAfterwards) {
      signs.look_at(sum);
      total.add(sum);
    }
    Unpacked exact = total.value();
    if (exact.cls == ValueClass::kZero && m.zero_sign == DotZeroSign::kIeee) {
      exact.negative = signs.zero_is_negative(m.rounding);
    }
    const bool rounds = m.normalize == DotNormalize::kEveryStep || step + 1 == steps;
    sum = rounds ? evaluation.round(exact, m.format, policy) : exact;
    evaluation.note(DotStep::What::kSum, step, exact, sum);
  }
  return sum;
}

}  // namespace mx
