#include "oracle/dot/dot.hpp"

#include <algorithm>
#include <stdexcept>

#include "oracle/block/block.hpp"

namespace mx::oracle {
namespace {

/// Everything about one dot product that its modes ask for.
struct Work {
  const DotConfig& config;
  const DotSide& a;
  const DotSide& b;
  std::size_t block = 0;
  std::vector<Extended> products;
  std::optional<Extended> addend;
  std::uint8_t flags = 0;
};

Extended round_to(Work& work, const Extended& x, const ElementFormat& format,
                  const ElementPolicy& policy) {
  const Outcome out = encode_extended(format, x, policy);
  work.flags |= out.flags;
  Extended value = extended(value_of(format, out.code));
  value.signaling = false;
  return value;
}

Extended round32(Work& work, const Extended& x) {
  ElementPolicy policy;
  policy.rounding = work.config.rounding;
  policy.overflow = Overflow::kNoneInfOrNan;
  return round_to(work, x, formats::fp32, policy);
}

/// IEEE 754-2019 section 6.3: an exact zero sum of unlike signs is -0 under toward_negative only.
Extended ieee_sum(const Extended& a, const Extended& b, Rounding rounding) {
  Extended sum = plus(a, b);
  if (sum.zero() && a.negative != b.negative) {
    sum.negative = rounding == Rounding::kTowardNegative;
  }
  return sum;
}

/// The sum of any number of terms; zero sums are +0.
Extended exact_sum(const std::vector<Extended>& terms) {
  Extended sum;
  for (const Extended& term : terms) sum = plus(sum, term);
  if (sum.zero()) sum.negative = false;
  return sum;
}

Extended sequential(Work& work) {
  Extended sum = work.addend ? round32(work, *work.addend) : Extended{};
  for (const Extended& product : work.products) {
    const Extended rounded = round32(work, product);
    sum = round32(work, ieee_sum(sum, rounded, work.config.rounding));
  }
  return sum;
}

Extended pairwise(Work& work, std::span<const Extended> products) {
  if (products.size() == 1) return round32(work, products[0]);
  const std::size_t left = products.size() - products.size() / 2;
  const Extended first = pairwise(work, products.first(left));
  const Extended second = pairwise(work, products.subspan(left));
  return round32(work, ieee_sum(first, second, work.config.rounding));
}

Extended tree(Work& work) {
  const Extended root = pairwise(work, work.products);
  if (!work.addend) return root;
  const Extended start = round32(work, *work.addend);
  return round32(work, ieee_sum(start, root, work.config.rounding));
}

Extended exact_blocks(Work& work) {
  Extended sum = work.addend ? round32(work, *work.addend) : Extended{};
  for (std::size_t at = 0; at < work.products.size(); at += work.block) {
    const std::size_t end = std::min(at + work.block, work.products.size());
    const Extended block =
        round32(work, exact_sum({work.products.begin() + static_cast<long>(at),
                                 work.products.begin() + static_cast<long>(end)}));
    sum = round32(work, ieee_sum(sum, block, work.config.rounding));
  }
  return sum;
}

/// The same of any number of terms. Zeros of one sign add up to a zero of that sign; otherwise an
/// exact zero has the sign of the rounding.
Extended ieee_sum(const std::vector<Extended>& terms, Rounding rounding) {
  Extended sum = exact_sum(terms);
  if (!sum.zero()) return sum;
  const auto negatives =
      std::count_if(terms.begin(), terms.end(), [](const Extended& x) { return x.negative; });
  if (negatives == 0) return sum;
  sum.negative = negatives == static_cast<std::ptrdiff_t>(terms.size()) ||
                 rounding == Rounding::kTowardNegative;
  return sum;
}

/// The exponent a factor has in its own format.
int factor_exponent(const ElementFormat& format, const Extended& x) {
  if (format.kind == FormatKind::kTwosComplement || format.kind == FormatKind::kSignMagnitude) {
    return floor_log2(dyadic(format.max_code, -format.frac_bits));
  }
  const int own = floor_log2(x.magnitude);
  if (format.kind == FormatKind::kTapered) return own;
  const int smallest = format.zero == ZeroKind::kNone ? -format.bias : 1 - format.bias;
  return std::max(own, smallest);
}

int sublevels_set(const BlockFormat& format, std::uint64_t code, std::size_t lane) {
  int set = 0;
  int at = format.scale.bits;
  for (const int group : format.sublevels) {
    if (group == 0) continue;
    const auto width = static_cast<std::size_t>(group);
    set += static_cast<int>((code >> (static_cast<std::size_t>(at) + lane / width)) & 1);
    at += (format.block_size + group - 1) / group;
  }
  return set;
}

std::uint64_t low_bits(std::uint64_t code, int bits) {
  return bits >= 64 ? code : code & ((std::uint64_t{1} << bits) - 1);
}

int side_exponent(const BlockFormat& format, const DotSide& side, std::size_t block,
                  std::size_t i) {
  const std::uint64_t code = side.scales[i / block];
  const Extended scale = extended(value_of(format.scale, low_bits(code, format.scale.bits)));
  int exponent = factor_exponent(format.scale, scale);
  exponent += factor_exponent(format.element, extended(value_of(format.element, side.codes[i])));
  exponent += sublevels_set(format, code, i % block);
  if (format.tensor_scale == TensorScale::kFp32) {
    exponent +=
        factor_exponent(formats::fp32, extended(value_of(formats::fp32, side.tensor_scale)));
  }
  return exponent;
}

/// x as a multiple of 2^unit.
Extended cut(Work& work, const Extended& x, int unit, Rounding rounding) {
  if (x.kind != Kind::kFinite) return x;
  const Rational ratio = x.magnitude * dyadic(1, -unit);
  const Integer whole = mp::numerator(ratio) / mp::denominator(ratio);
  const Rational rest = ratio - Rational(whole);
  Position gap;
  gap.exact = rest == 0;
  const Rational half(Integer(1), Integer(2));
  gap.half = rest < half ? -1 : rest == half ? 0 : 1;
  gap.odd = whole % 2 != 0;
  const bool up = !gap.exact && goes_up(rounding, x.negative, gap, 0, 0);
  if (!gap.exact) work.flags |= kFlagInexact;
  Extended out = x;
  out.magnitude = Rational(Integer(whole + (up ? 1 : 0))) * dyadic(1, unit);
  return out;
}

/// Which products step `step` of `steps` takes.
std::vector<std::size_t> chosen(const AccumulatorModel& m, std::size_t n, std::size_t steps,
                                std::size_t step) {
  const auto width = static_cast<std::size_t>(m.group);
  std::vector<std::size_t> all;
  switch (m.order) {
    case DotOrder::kSequential:
      for (std::size_t i = step * width; i < std::min(n, (step + 1) * width); ++i) all.push_back(i);
      break;
    case DotOrder::kReversed:
      for (std::size_t i = step * width; i < std::min(n, (step + 1) * width); ++i)
        all.push_back(n - 1 - i);
      break;
    case DotOrder::kStrided:
      for (std::size_t i = step; i < n; i += steps) all.push_back(i);
      break;
  }
  return all;
}

Extended accumulator(Work& work) {
  const AccumulatorModel& m = work.config.accumulator;
  ElementPolicy policy;
  policy.rounding = m.rounding;
  policy.overflow = m.overflow;
  policy.dst_ftz = m.ftz;
  const std::size_t n = work.products.size();
  const std::size_t steps =
      (n + static_cast<std::size_t>(m.group) - 1) / static_cast<std::size_t>(m.group);
  Extended sum = work.addend ? round_to(work, *work.addend, m.format, policy) : Extended{};
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<Extended> terms;
    std::optional<int> largest;
    const auto take = [&](const Extended& term, int exponent) {
      terms.push_back(term);
      if (term.kind == Kind::kFinite && !term.zero()) {
        largest = std::max(largest.value_or(exponent), exponent);
      }
    };
    for (const std::size_t i : chosen(m, n, steps, step)) {
      const Extended& product = work.products[i];
      const bool counts = product.kind == Kind::kFinite && !product.zero();
      int exponent = 0;
      if (counts) {
        exponent = m.align == DotAlign::kLeadingOne
                       ? floor_log2(product.magnitude)
                       : side_exponent(work.config.a, work.a, work.block, i) +
                             side_exponent(work.config.b, work.b, work.block, i);
      }
      take(product, exponent);
    }
    const bool sum_counts = sum.kind == Kind::kFinite && !sum.zero();
    if (m.carry == DotCarry::kAligned) take(sum, sum_counts ? floor_log2(sum.magnitude) : 0);
    const int unit = largest.value_or(0) - m.alignment_bits + 1;
    for (Extended& term : terms) term = cut(work, term, unit, m.align_rounding);
    if (m.carry == DotCarry::kAfterwards) terms.push_back(sum);
    sum = m.zero_sign == DotZeroSign::kIeee ? ieee_sum(terms, m.rounding) : exact_sum(terms);
    if (m.normalize == DotNormalize::kEveryStep || step + 1 == steps) {
      sum = round_to(work, sum, m.format, policy);
    }
  }
  return sum;
}

/// What a NaN result says about its operands.
struct Nans {
  bool any = false;
  bool signaling = false;
  void look(const ElementFormat& format, std::uint64_t code) {
    const Real x = value_of(format, code);
    any = any || x.kind == Kind::kNan;
    signaling = signaling || (x.kind == Kind::kNan && x.signaling);
  }
};

Nans nans_of(const DotConfig& config, const DotSide& a, const DotSide& b,
             std::optional<std::uint64_t> addend) {
  Nans nans;
  const auto side = [&](const BlockFormat& format, const DotSide& operand) {
    for (const std::uint64_t code : operand.scales) {
      nans.look(format.scale, low_bits(code, format.scale.bits));
    }
    for (const std::uint64_t code : operand.codes) nans.look(format.element, code);
    if (format.tensor_scale == TensorScale::kFp32) nans.look(formats::fp32, operand.tensor_scale);
  };
  side(config.a, a);
  side(config.b, b);
  if (addend) nans.look(config.addend, *addend);
  return nans;
}

Extended sum_by_mode(Work& work) {
  switch (work.config.mode) {
    case DotMode::kExactOnce: {
      std::vector<Extended> terms = work.products;
      if (work.addend) terms.push_back(*work.addend);
      return exact_sum(terms);
    }
    case DotMode::kFp32Seq:
      return sequential(work);
    case DotMode::kFp32Tree:
      return tree(work);
    case DotMode::kBlockExactFp32Seq:
      return exact_blocks(work);
    case DotMode::kAccumulator:
      return accumulator(work);
  }
  throw std::logic_error("mode outside the enum");
}

std::size_t block_length(const BlockFormat& format, std::size_t n) {
  return format.extent == BlockExtent::kElements ? static_cast<std::size_t>(format.block_size) : n;
}

}  // namespace

std::vector<Extended> side_values(const BlockFormat& format, const DotSide& side) {
  std::vector<Extended> values;
  const std::size_t block = block_length(format, side.codes.size());
  for (std::size_t i = 0; i < side.codes.size(); ++i) {
    const std::uint64_t code = side.scales[i / block];
    Extended scale = extended(value_of(format.scale, low_bits(code, format.scale.bits)));
    if (scale.kind == Kind::kFinite) {
      scale.magnitude *= dyadic(1, sublevels_set(format, code, i % block));
    }
    if (format.tensor_scale == TensorScale::kFp32) {
      scale = times(scale, extended(value_of(formats::fp32, side.tensor_scale)));
    }
    values.push_back(times(scale, extended(value_of(format.element, side.codes[i]))));
  }
  return values;
}

Outcome dot(const DotConfig& config, const DotSide& a, const DotSide& b,
            std::optional<std::uint64_t> addend) {
  Work work{config, a, b, block_length(config.a, a.codes.size()), {}, {}};
  const std::vector<Extended> x = side_values(config.a, a);
  const std::vector<Extended> y = side_values(config.b, b);
  for (std::size_t i = 0; i < x.size(); ++i) {
    work.products.push_back(times(x[i], y[i]));
    work.products.back().signaling = false;
  }
  if (addend) work.addend = extended(value_of(config.addend, *addend));
  Extended sum = sum_by_mode(work);
  sum.signaling = false;
  if (sum.nan()) sum.negative = false;
  ElementPolicy policy;
  policy.rounding = config.rounding;
  policy.overflow = config.overflow;
  Outcome out = encode_extended(config.result, sum, policy);
  out.flags |= work.flags;
  const Nans nans = nans_of(config, a, b, addend);
  if (sum.nan() && (nans.signaling || !nans.any)) out.flags |= kFlagInvalid;
  return out;
}

}  // namespace mx::oracle
