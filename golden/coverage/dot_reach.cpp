#include "golden/coverage/dot_reach.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "golden/points/gaps.hpp"
#include "golden/points/sort_unique.hpp"
#include "reference/arithmetic/arithmetic.hpp"

namespace mx::golden {
namespace {

/// One factor of a product: its magnitudes that are not zero.
struct Factor {
  Unpacked least, most;
  int lowest = 0;  ///< all are multiples of 2^lowest
  int width = 1;   ///< bits of their significands

  explicit Factor(const ElementFormat& f) {
    const SourceGrid grid(f);
    const bool starts_at_zero = decode(f, grid.code(false, 0)).cls == ValueClass::kZero;
    least = decode(f, grid.code(false, starts_at_zero ? 1 : 0));
    most = decode(f, grid.code(false, grid.max()));
    // Two's complement has one more on the negative side.
    if (f.kind == FormatKind::kTwosComplement && f.is_signed) most = decode(f, f.sign_bit());
    width = f.is_fixed()                     ? static_cast<int>(std::bit_width(f.max_code))
            : f.kind == FormatKind::kTapered ? 4
                                             : f.man_bits + 1;
    lowest = f.is_fixed()                     ? -f.frac_bits
             : f.kind == FormatKind::kTapered ? least.exponent
                                              : std::min(least.exponent, f.emin() - f.man_bits);
  }
  explicit Factor(const Unpacked& constant) : least(constant), most(constant) {
    least.negative = most.negative = false;
    const int trailing = std::countr_zero(constant.significand);
    width = 64 - trailing;
    lowest = constant.exponent - width + 1;
  }
};

/// A product of a `width` of 1 has the other's.
Factor times(const Factor& a, const Factor& b) {
  Factor product = a;
  product.least = multiply(a.least, b.least);
  product.most = multiply(a.most, b.most);
  product.least.negative = product.most.negative = false;
  product.lowest = a.lowest + b.lowest;
  product.width = a.width == 1 ? b.width : b.width == 1 ? a.width : a.width + b.width;
  return product;
}

Factor scale_of(const BlockFormat& f, std::uint32_t tensor_scale) {
  const Factor scale(f.scale);
  if (f.tensor_scale == TensorScale::kNone) return scale;
  const Unpacked tensor = decode(formats::fp32, tensor_scale);
  return tensor.cls == ValueClass::kFinite ? times(scale, Factor(tensor)) : scale;
}

/// The odd parts of a format's magnitudes; nothing where its codes have more than 8 bits.
std::vector<std::uint64_t> odd_parts(const ElementFormat& f) {
  std::vector<std::uint64_t> parts;
  if (f.bits > 8) return parts;
  for (std::uint64_t code = 0; code <= f.code_mask(); ++code) {
    const Unpacked x = decode(f, code);
    if (x.cls != ValueClass::kFinite) continue;
    parts.push_back(x.significand >> std::countr_zero(x.significand));
  }
  sort_unique(parts);
  return parts;
}

std::vector<std::uint64_t> odd_products(const DotConfig& dot) {
  std::vector<std::uint64_t> products{1};
  if (dot.a.tensor_scale != TensorScale::kNone || dot.b.tensor_scale != TensorScale::kNone) {
    return {};
  }
  for (const ElementFormat* f : {&dot.a.element, &dot.a.scale, &dot.b.element, &dot.b.scale}) {
    std::vector<std::uint64_t> more;
    for (const std::uint64_t part : odd_parts(*f)) {
      for (const std::uint64_t product : products) more.push_back(part * product);
    }
    sort_unique(more);
    products = std::move(more);
  }
  return products;
}

int levels_of(const BlockFormat& f) {
  return static_cast<int>(std::ranges::count_if(f.sublevels, [](int group) { return group != 0; }));
}

int top_of_many(const Unpacked& most, std::size_t n) {
  return multiply(most, unpack_integer(false, n, 0)).exponent;
}

bool has_zero_code(const ElementFormat& f) { return f.zero != ZeroKind::kNone; }

int significands_above_one(const BlockFormat& f) {
  const auto is_wide = [](const ElementFormat& each) {
    return each.is_fixed() || each.man_bits > 0;
  };
  return (is_wide(f.element) ? 1 : 0) + (is_wide(f.scale) ? 1 : 0) +
         (f.tensor_scale != TensorScale::kNone ? 1 : 0);
}

/// The largest significand of a product, from 1 to below 2.
Unpacked significand_bound(std::span<const std::uint64_t> odd) {
  Unpacked bound{.cls = ValueClass::kFinite, .significand = ~std::uint64_t{0}};
  if (odd.empty()) return bound;
  bound.significand = 0;
  for (const std::uint64_t each : odd) {
    bound.significand = std::max(bound.significand, each << std::countl_zero(each));
  }
  return bound;
}

/// The largest product of the factors' significands; fixed point counts as 2.
Unpacked factor_bound(const DotConfig& dot) {
  Unpacked bound = unpack_integer(false, 1, 0);
  for (const BlockFormat* side : {&dot.a, &dot.b}) {
    for (const ElementFormat* f : {&side->element, &side->scale}) {
      const int bits = f->kind == FormatKind::kTapered ? 3 : f->man_bits;
      bound = multiply(bound, f->is_fixed()
                                  ? unpack_integer(false, 2, 0)
                                  : unpack_integer(false, (std::uint64_t{2} << bits) - 1, -bits));
    }
    if (side->tensor_scale != TensorScale::kNone) {
      bound = multiply(bound, unpack_integer(false, 2, 0));
    }
  }
  bound.sticky = false;
  return bound;
}

int stored_bits(const BlockFormat& f) { return f.element.man_bits + f.scale.man_bits; }

Extent with(const Extent& a, const Extent& b) {
  const int lowest = std::min(a.lowest, b.lowest);
  const int highest = std::max(a.highest, b.highest) + 1;
  return {lowest, highest, highest - lowest + 1, {}, {}};
}

}  // namespace

DotReach::DotReach(const DotCase& what, std::size_t lanes) {
  const BlockFormat& fa = what.dot.a;
  const BlockFormat& fb = what.dot.b;
  const Factor elements = times(Factor(fa.element), Factor(fb.element));
  const Factor scales = times(scale_of(fa, what.a_tensor_scale), scale_of(fb, what.b_tensor_scale));
  const Factor all = times(elements, scales);
  const int levels = levels_of(fa) + levels_of(fb);
  const std::size_t blocks = blocks_in(fa, lanes);
  const std::size_t in_block = fa.extent == BlockExtent::kElements
                                   ? std::min(lanes, static_cast<std::size_t>(fa.block_size))
                                   : lanes;
  for (const ElementFormat* f : {&fa.element, &fa.scale, &fb.element, &fb.scale}) {
    has_negative = has_negative || f->is_signed;
    has_infinite_factor = has_infinite_factor || f->has_inf();
    has_zero = has_zero || has_zero_code(*f);
  }
  odd = odd_products(what.dot);
  product = {all.lowest, all.most.exponent + levels, all.width, {}, {}};
  // The sum of a block is a multiple of its scales.
  const int sum_width = top_of_many(elements.most, in_block) + levels - elements.lowest + 1;
  const int block_width = scales.width == 1 ? sum_width : sum_width + scales.width;
  block = {all.lowest, top_of_many(all.most, in_block) + levels, block_width, {}, {}};
  total = block;
  block_room = elements.most.exponent + levels + 1 - elements.lowest + scales.width;
  // Scales shift the largest and the smallest product together, by a binade more at the most.
  block_spread =
      elements.most.exponent - elements.least.exponent + levels + (scales.width > 1 ? 1 : 0);
  spread = block_spread;
  if (blocks > 1) {
    total.highest = top_of_many(all.most, lanes) + levels;
    total.width = total.highest - total.lowest + 1;
    spread = all.most.exponent + levels - all.least.exponent;
  }
  // What is left of terms that cancel is a multiple of the last place.
  depth = blocks > 1
              ? product.highest - product.lowest
              : elements.most.exponent + levels + (scales.width > 1 ? 1 : 0) - elements.lowest;
  has_infinity = has_infinite_factor;
  products = total;
  terms = lanes;
  if (what.addend == Addend::kPresent) {
    ++terms;
    const Factor c(what.dot.addend);
    start = {c.lowest, c.most.exponent, c.width, {}, {}};
    Unpacked most = multiply(all.most, unpack_integer(false, lanes, 0));
    most.exponent += levels;
    total = with(total, start);
    total.most = exact_add(most, c.most, Rounding::kTiesToEven).value;
    total.highest = total.most->exponent;
    total.width = total.highest - total.lowest + 1;
    depth = std::max(product.highest, start.highest) - total.lowest;
    has_negative = has_negative || what.dot.addend.is_signed;
    has_infinity = has_infinity || what.dot.addend.has_inf();
  }
  reach_nan(what);
  result = total;
  if (what.dot.mode != DotMode::kExactOnce) reach_steps(what, lanes);
}

void DotReach::reach_nan(const DotCase& what) {
  std::vector<const ElementFormat*> operands{&what.dot.a.element, &what.dot.a.scale,
                                             &what.dot.b.element, &what.dot.b.scale};
  has_nan_product = (has_infinite_factor && has_zero) ||
                    std::ranges::any_of(operands, [](const auto* f) { return f->has_nan(); });
  if (what.addend == Addend::kPresent) operands.push_back(&what.dot.addend);
  // Of infinities of both signs C is one at the most.
  has_both_infinities =
      has_infinite_factor && has_negative &&
      (terms > 2 || (terms > 1 && (what.addend == Addend::kAbsent || what.dot.addend.has_inf())));
  has_invalid = (has_infinite_factor && has_zero) || has_both_infinities;
  has_nan = has_invalid;
  for (const ElementFormat* f : operands) {
    has_nan = has_nan || f->has_nan();
    has_invalid = has_invalid || (f->nan == NanKind::kIeeeAll && f->man_bits > 1);
  }
}

void DotReach::reach_steps(const DotCase& what, std::size_t lanes) {
  has_stage = true;
  const bool has_start = what.addend == Addend::kPresent;
  stage = formats::fp32;
  stage_policy.rounding = what.dot.rounding;
  stage_policy.overflow = Overflow::kNoneInfOrNan;
  if (what.dot.mode == DotMode::kAccumulator) {
    stage = what.dot.accumulator.format;
    stage_policy.rounding = what.dot.accumulator.rounding;
    stage_policy.overflow = what.dot.accumulator.overflow;
    stage_policy.dst_ftz = what.dot.accumulator.ftz;
    reach_accumulator(what, lanes);
  } else {
    const bool in_blocks = what.dot.mode == DotMode::kBlockExactFp32Seq;
    const Extent& part = in_blocks ? block : product;
    steps = in_blocks ? blocks_in(what.dot.a, lanes) : lanes;
    const Extent rounded = part.in(stage);
    stage_sum = {rounded.lowest, std::min(total.highest, stage.emax()) + 1, 1, {}, {}};
    if (total.highest == stage.emax()) {
      stage_sum.highest = total.highest;
      stage_sum.most = total.most;
    }
    if (has_start) stage_sum.lowest = std::min(stage_sum.lowest, start.in(stage).lowest);
    const int reach = stage_sum.highest - stage_sum.lowest + 1;
    // Parts of few bits are rounded at most to multiples of the smallest subnormal, and each of
    // them moves by less than one of it.
    const bool is_narrow = part.width <= stage.man_bits + 1 && !has_start;
    const int narrow = std::max(total.width, static_cast<int>(std::bit_width(lanes))) + 1;
    stage_sum.width = !has_start && steps == 1 ? rounded.width
                      : is_narrow              ? std::min(reach, narrow)
                                               : reach;
  }
  result = stage_sum.in(stage);
  // Where sums beyond the range stay at its end, that has all its bits.
  const Extent largest = Extent{0, stage.emax(), 1024, {}, {}}.in(stage);
  const bool is_beyond =
      stage_sum.most ? (encode(*stage_sum.most, stage, stage_policy, 0).flags & kFlagOverflow) != 0
                     : stage_sum.highest >= stage.emax();
  if (is_beyond && saturates(false)) result.width = largest.width;
  if (is_beyond && has_negative && saturates(true)) result.width = largest.width;
  if (stage_policy.dst_ftz != ResultSubnormals::kKeep && !stage.is_fixed()) {
    result.least = stage.emin();
  }
}

bool DotReach::saturates(bool negative) const {
  Unpacked beyond = unpack_integer(negative, 1, stage.emax() + 2);
  const Encoded end = encode(beyond, stage, stage_policy, 0);
  return decode(stage, end.code).cls == ValueClass::kFinite;
}

void DotReach::reach_accumulator(const DotCase& what, std::size_t lanes) {
  const AccumulatorModel& m = what.dot.accumulator;
  const bool has_start = what.addend == Addend::kPresent;
  const auto group = static_cast<std::size_t>(m.group);
  steps = (lanes + group - 1) / group;
  const bool has_carry = steps > 1 || has_start;
  const bool is_aligned = m.carry == DotCarry::kAligned && has_carry;
  step_products = static_cast<int>(std::min(group, lanes));
  step_terms = step_products + (is_aligned ? 1 : 0);
  bits_kept = m.alignment_bits;
  const bool by_sum = m.align == DotAlign::kExponentSum;
  const int factors = significands_above_one(what.dot.a) + significands_above_one(what.dot.b);
  aligned = m.alignment_bits + (by_sum ? std::max(0, factors - 1) : 0);
  // In units of the largest exponent: products of the largest significand, and the running sum.
  Unpacked most = multiply(by_sum ? factor_bound(what.dot) : significand_bound(odd),
                           unpack_integer(false, static_cast<std::uint64_t>(step_products), 0));
  if (is_aligned) {
    most = exact_add(most, unpack_integer(false, 2, 0), Rounding::kTiesToEven).value;
  }
  const int total_width = m.alignment_bits + most.exponent;
  stage_sum = {product.lowest, total.highest + 1, 1, {}, {}};
  // A cut toward zero leaves sums at the end of the range where they are.
  const bool is_inward =
      m.align_rounding == Rounding::kTowardZero || m.align_rounding == Rounding::kToOdd;
  if (is_inward && total.highest == m.format.emax() && total.most) {
    stage_sum.highest = total.highest;
    stage_sum.most = total.most;
  }
  const Extent carry = has_start ? with(stage_sum, start.in(m.format)) : stage_sum;
  stage_sum.lowest = carry.lowest;
  const int reach = stage_sum.highest - stage_sum.lowest + 1;
  const bool is_added = m.carry == DotCarry::kAfterwards && has_carry;
  stage_sum.width = is_added ? reach : std::min(reach, total_width);
  const auto k = static_cast<std::size_t>(what.dot.a.elements());
  const bool in_blocks = what.dot.a.extent == BlockExtent::kElements;
  const bool is_inside = m.order == DotOrder::kSequential && in_blocks && k % group == 0;
  apart = is_inside ? block_spread : spread;
  // A running sum is not far above all products of the blocks that it is of.
  const std::size_t blocks = blocks_in(what.dot.a, lanes);
  const int grown = block_spread + static_cast<int>(std::bit_width(lanes));
  const bool is_mixed = m.order == DotOrder::kStrided && !has_start && blocks > 1 &&
                        grown <= m.alignment_bits - product.width;
  most_cut = step_products;
  if (is_mixed) most_cut -= step_products / static_cast<int>(blocks);
  if (is_aligned) apart = std::max(apart, carry.highest - product.lowest);
  // Stored exponents of subnormal factors lie above their leading ones.
  if (by_sum) apart += stored_bits(what.dot.a) + stored_bits(what.dot.b);
  const int top = is_aligned ? std::max(carry.highest, product.highest) : product.highest;
  room = top + (by_sum ? stored_bits(what.dot.a) + stored_bits(what.dot.b) : 0) + 1 -
         m.alignment_bits - product.lowest;
  // The scales of a block are those of all its products.
  if (is_inside && !is_aligned) room = std::min(room, block_room - m.alignment_bits);
  if (!is_aligned) return;
  carry_room = top + 1 - m.alignment_bits - carry.lowest;
  carry_apart = product.highest - carry.lowest;
  carry_width = m.normalize == DotNormalize::kAtEnd
                    ? stage_sum.width
                    : Extent{carry.lowest, carry.highest, 1024, {}, {}}.in(m.format).width;
}

std::vector<Unpacked> DotReach::numbers(const Extent& extent) const {
  std::vector<Unpacked> numbers;
  for (int e = extent.lowest; e <= extent.highest; ++e) {
    const int bits = std::min({extent.width, 64, e - extent.lowest + 1});
    const std::uint64_t ones = ~std::uint64_t{0} << (64 - bits);
    for (const std::uint64_t significand : {std::uint64_t{1} << 63, ones}) {
      for (const bool negative : {false, true}) {
        if (negative && !has_negative) continue;
        if (e == extent.highest && extent.most && significand == ones) {
          numbers.push_back(*extent.most);
          numbers.back().negative = negative;
          continue;
        }
        numbers.push_back({.cls = ValueClass::kFinite,
                           .negative = negative,
                           .exponent = e,
                           .significand = significand});
      }
    }
  }
  return numbers;
}

std::vector<Unpacked> DotReach::specials(Of of) const {
  std::vector<Unpacked> specials{{}};
  const bool infinite = of == Of::kSum ? has_infinity : has_infinite_factor;
  if (infinite) specials.push_back({.cls = ValueClass::kInf});
  if (infinite && has_negative) specials.push_back({.cls = ValueClass::kInf, .negative = true});
  if (of == Of::kSum ? has_nan : has_nan_product) specials.push_back({.cls = ValueClass::kNan});
  return specials;
}

}  // namespace mx::golden
