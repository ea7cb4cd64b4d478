// From the maximum to the scale code, rule by rule.
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <stdexcept>

#include "oracle/block/rules.hpp"

namespace mx::oracle {
namespace {

using Wide = mp::cpp_bin_float_100;

/// fl32(log2 v) as a signed rational.
Rational log2f(const Rational& v) {
  const Wide exact = log2(Wide(mp::numerator(v)) / Wide(mp::denominator(v)));
  if (exact == 0) return 0;
  Rational magnitude(abs(exact));
  const Extended x = fl32(extended(magnitude));
  return exact < 0 ? Rational(-x.magnitude) : x.magnitude;
}

Integer floor_of(const Rational& v) {
  const Integer n = mp::numerator(v), d = mp::denominator(v);
  Integer q = n / d;
  if (n < 0 && q * d != n) --q;
  return q;
}

Extended dyadic_number(std::uint64_t n, int exponent = 0) { return extended(dyadic(n, exponent)); }

Extended least(const Extended& a, const Extended& b) { return smaller(b, a) ? b : a; }
Extended greatest(const Extended& a, const Extended& b) { return smaller(a, b) ? b : a; }

const Extended& largest_fp32() {
  static const Extended largest = extended(value_of(formats::fp32, 0x7F7FFFFF));
  return largest;
}

/// Stands for log2 of a ratio that became 0.
constexpr long kBelowAll = -150;

/// max_elem for power rules: amax / max_elem as the ratio operations have it.
Extended ratio(const BlockCase& b, const Extended& amax, RatioOp op) {
  const Extended top = extended(largest_magnitude(b.format.element));
  switch (op) {
    case RatioOp::kExact:
      return over(amax, top);
    case RatioOp::kFp32Div:
      return fl32(over(amax, top));
    case RatioOp::kFp32RcpMul:
      return fl32(times(amax, fl32(over(dyadic_number(1), top))));
    case RatioOp::kBf16Div:
      return rounded(formats::bf16, over(amax, top));
    case RatioOp::kFp16Div:
      return rounded(formats::fp16, over(amax, top));
    case RatioOp::kFp32Inverse:
      return fl32(over(dyadic_number(1), fl32(over(top, amax))));
    case RatioOp::kBf16Inverse:
      return fl32(over(dyadic_number(1), rounded(formats::bf16, over(top, amax))));
    case RatioOp::kFp16Inverse:
      return fl32(over(dyadic_number(1), rounded(formats::fp16, over(top, amax))));
    case RatioOp::kHalfRcpMul:
      break;
  }
  const bool half = b.source == formats::fp16;
  const bool wide_range = b.format.element == formats::e5m2;
  const std::uint64_t constant =
      half ? (wide_range ? 0x0125 : 0x1892) : (wide_range ? 0x3792 : 0x3B12);
  return fl32(times(amax, extended(value_of(half ? formats::fp16 : formats::bf16, constant))));
}

long ceil_ratio(const Extended& v) {
  if (v.inf()) return 128;
  return v.zero() ? kBelowAll : ceil_log2(v.magnitude);
}

long nearest_ratio(const BlockCase& b, const Extended& v) {
  if (v.inf() || v.zero()) return ceil_ratio(v);
  const int k = floor_log2(v.magnitude);
  const bool up = !(v.magnitude < dyadic(3, k - 1));
  const bool quirk = b.element.e8m0_quirk == E8m0Quirk::kMldtypesNearest ||
                     b.element.e8m0_quirk == E8m0Quirk::kOnnxNearest;
  const int bias = b.format.scale.bias;
  if (quirk && dyadic(1, -bias) < v.magnitude && v.magnitude < dyadic(1, 1 - bias)) return 1 - bias;
  return k + (up ? 1 : 0);
}

/// The smallest exponent under which the rounded maximum stays within the largest element.
long midmax(const BlockCase& b, const Rational& amax, long floor) {
  for (long s = floor - 2;; ++s) {
    const Rational scaled = amax / dyadic(1, static_cast<int>(s));
    const Outcome out = encode_extended(b.format.element, extended(scaled), ElementPolicy{});
    if ((out.flags & kFlagOverflow) == 0) return s;
  }
}

long stochastic(const BlockCase& b, const Rational& amax, std::uint32_t random, int m) {
  const std::uint64_t u = encode_extended(formats::fp32, extended(amax), ElementPolicy{}).code;
  const std::uint64_t mask = (std::uint64_t{1} << (23 - m)) - 1;
  (void)b;
  return static_cast<long>((u + (random & mask)) / 0x800000) - 127;
}

/// The exponent of the scale before any clamp.
long exponent_by_rule(const BlockCase& b, const Rational& amax, std::uint32_t random) {
  const ElementFormat& element = b.format.element;
  const int top = floor_log2(largest_magnitude(element));
  const int e_max = b.format.rule_emax ? *b.format.rule_emax : top;
  const int e = floor_log2(amax);
  const bool beyond = e > 127;
  const int m = element.kind == FormatKind::kFloat ? element.man_bits : element.frac_bits + top;
  switch (b.block.rule) {
    case ScaleRule::kFloorLog2f:
      return (beyond ? e : floor_log2f(amax)) - e_max;
    case ScaleRule::kCeilLog2f:
      return (beyond ? e : ceil_log2f(amax)) - e_max;
    case ScaleRule::kRceil: {
      const Extended v = ratio(b, extended(amax), b.block.ratio_op);
      const long s = ceil_ratio(v);
      const int second = 1 - b.format.scale.bias;
      if (b.element.e8m0_quirk == E8m0Quirk::kOnnxUp && !v.zero() && s < second) return second;
      return s;
    }
    case ScaleRule::kRceilLog2f: {
      const RatioOp op = b.block.ratio_op == RatioOp::kExact ? RatioOp::kFp32Div : b.block.ratio_op;
      const Extended v = ratio(b, extended(amax), op);
      return v.inf() || v.zero() ? ceil_ratio(v) : ceil_log2f(v.magnitude);
    }
    case ScaleRule::kNearestLog:
      return e + (amax * amax < dyadic(1, 2 * e + 1) ? 0 : 1) - e_max;
    case ScaleRule::kNearestLog2f:
      return (beyond ? e : nearest_log2f(amax)) - e_max;
    case ScaleRule::kNearestVal:
      return nearest_ratio(b, ratio(b, extended(amax), b.block.ratio_op));
    case ScaleRule::kMidmax:
      return midmax(b, amax, e - top);
    case ScaleRule::kStochExp:
      return (beyond ? e : stochastic(b, amax, random, m)) - e_max;
    case ScaleRule::kFloor:
      return e - e_max;
    case ScaleRule::kCeil:
      return ceil_log2(amax) - e_max;
    default: {
      const RuleCode code = rule_code(b.block.rule, element, amax);
      return code.code - 127 + top - e_max;
    }
  }
}

RuleScale power_scale(const BlockCase& b, const Rational& amax, std::uint32_t random) {
  const ElementFormat& scale = b.format.scale;
  const long code = exponent_by_rule(b, amax, random) + scale.bias;
  const long low = scale.zero == ZeroKind::kNone ? 0 : 1;
  const long high =
      static_cast<long>(b.format.scale_limit != 0 ? b.format.scale_limit : scale.max_code);
  const bool is_even = facts_of(b.block.rule).reads_even_carry;
  RuleScale out;
  out.clamped = code < low || code > high;
  out.code = static_cast<std::uint64_t>(code < low ? low : code > high ? high : code);
  const bool to_nan =
      code > high && b.block.scale_sat == ScaleSat::kToNan && scale.nan != NanKind::kNone;
  const bool carry = is_even && b.block.even_carry == EvenCarry::kToNan &&
                     rule_code(b.block.rule, b.format.element, amax).to_nan_carry;
  if (to_nan || carry) {
    out.code = scale.nan == NanKind::kNone ? scale.max_code : scale.canonical_nan;
    out.clamped = true;
  }
  return out;
}

/// Into the scale format, ties_to_even, saturating; raised to the floor first.
RuleScale stored(const BlockCase& b, const Extended& value, bool moved = false) {
  const ElementFormat& scale = b.format.scale;
  Extended x = value;
  const int emin = scale.zero == ZeroKind::kNone ? -scale.bias : 1 - scale.bias;
  const Extended floor = dyadic_number(1, emin);
  if (b.block.scale_floor == ScaleFloor::kMinNormal && smaller(x, floor)) {
    x = floor;
    moved = true;
  }
  const Outcome out = encode_extended(scale, x, ElementPolicy{});
  return {out.code, moved || (out.flags & (kFlagOverflow | kFlagSaturated)) != 0, x.nan()};
}

/// nvfp4_ggml's x to a ue4m3 code, on the value's own binary digits.
std::uint64_t ggml_code(const Rational& x) {
  if (x < dyadic(1, -6)) {
    const Extended scaled = fl32(times(fl32(extended(x)), dyadic_number(512)));
    const Extended sum = fl32(plus(scaled, dyadic_number(1, -1)));
    const Integer whole = floor_of(sum.magnitude);
    return whole > 7 ? 7 : static_cast<std::uint64_t>(whole);
  }
  if (!(x < dyadic(248, 0))) return 0x7E;
  const int e = floor_log2(x);
  // Half up at three fraction bits, on the fraction cut to four bits.
  const Integer sixteenths = floor_of(Rational(x / dyadic(1, e - 4)));
  const Integer eighths = (sixteenths + 1) / 2;
  return static_cast<std::uint64_t>(Integer(Integer(e + 6) * 8 + eighths));
}

/// Sum of errors of one candidate of nvfp4_4over6.
Extended candidate_error(const RulesCase& what, std::uint64_t code,
                         std::span<const Extended> values) {
  const FourOverSix kind = what.block.block.four_over_six;
  const bool squared = kind == FourOverSix::kMse448 || kind == FourOverSix::kMse256;
  const std::uint64_t most =
      kind == FourOverSix::kMae256 || kind == FourOverSix::kMse256 ? 256 : 448;
  const Extended scale = extended(value_of(what.block.format.scale, code));
  Extended error = dyadic_number(0);
  for (const Extended& x : values) {
    const Outcome q = element_by_rule(what, {}, code, false, 0, x, 0);
    const Extended element = extended(value_of(what.block.format.element, q.code));
    const Extended product = fl32(times(fl32(times(element, scale)), extended(what.tensor_amax)));
    Extended diff = fl32(plus(fl32(over(product, dyadic_number(6 * most))), negated(x)));
    if (squared) diff = fl32(times(diff, diff));
    diff.negative = false;
    error = fl32(plus(error, diff));
  }
  return error;
}

RuleScale four_over_six(const RulesCase& what, const Extended& amax,
                        std::span<const Extended> values) {
  const Extended base = fl32(times(fl32(over(amax, dyadic_number(6))), encoding_scale(what)));
  const Extended more = fl32(times(base, dyadic_number(3, -1)));
  const Extended top = dyadic_number(448);
  const RuleScale map6 = stored(what.block, least(base, top), smaller(top, base));
  const RuleScale map4 = stored(what.block, least(more, top), smaller(top, more));
  return smaller(candidate_error(what, map4.code, values), candidate_error(what, map6.code, values))
             ? map4
             : map6;
}

/// The two levels of bits above hif4's scale.
std::uint64_t hif4_bits(const BlockCase& b, std::uint64_t level1,
                        std::span<const Extended> values) {
  const Extended r =
      rounded(formats::bf16, over(dyadic_number(1), extended(value_of(b.format.scale, level1))));
  const auto maximum = [&](std::size_t first, std::size_t count) {
    Extended most;
    for (std::size_t i = first; i < first + count && i < values.size(); ++i) {
      if (values[i].nan()) continue;
      if (values[i].inf() && b.block.amax_over == AmaxOver::kFiniteOnly) continue;
      if (smaller(most, values[i])) most = values[i];
    }
    most.negative = false;
    return most;
  };
  std::uint64_t code = level1;
  for (std::size_t eight = 0; eight < 8; ++eight) {
    const bool two = !smaller(times(maximum(8 * eight, 8), r), dyadic_number(4));
    if (two) code += std::uint64_t{1} << (8 + eight);
    for (std::size_t four = 2 * eight; four < 2 * eight + 2; ++four) {
      const Extended part = times(times(maximum(4 * four, 4), r), dyadic_number(1, two ? -1 : 0));
      if (!smaller(part, dyadic_number(2))) code += std::uint64_t{1} << (16 + four);
    }
  }
  return code;
}

RuleScale hif4(const BlockCase& b, const Extended& amax, std::span<const Extended> values) {
  const Extended product =
      rounded(formats::bf16, times(amax, extended(Rational(dyadic(73, 0) / 512))));
  const Extended low = dyadic_number(1, -48);
  RuleScale out = stored(b, greatest(product, low), smaller(product, low));
  out.code = hif4_bits(b, out.code, values);
  return out;
}

RuleScale fp32_scale(const RulesCase& what, const Extended& block_amax) {
  const bool by_tensor = what.block.block.rule == ScaleRule::kFp32Tensor && what.tensor_amax != 0;
  const Extended amax = by_tensor ? extended(what.tensor_amax) : block_amax;
  if (amax.zero()) return stored(what.block, dyadic_number(1));
  const Extended s = fl32(ratio(what.block, amax, what.block.block.ratio_op));
  return stored(what.block, greatest(s, dyadic_number(1, -149)), s.zero());
}

/// A result of PyTorch's, which has the type of the tensor it was computed from.
Extended typed(const BlockCase& b, const Extended& x) {
  const bool is_half = b.source == formats::bf16 || b.source == formats::fp16;
  return is_half ? rounded(b.source, x) : fl32(x);
}

RuleScale modelopt(const RulesCase& what, const Extended& amax) {
  const Extended v = fl32(over(amax, fl32(times(dyadic_number(6), what.tensor_scale))));
  if (v.nan()) return stored(what.block, v);
  if (v.zero()) return stored(what.block, dyadic_number(1), true);
  const Extended low = dyadic_number(1, -9), high = dyadic_number(448);
  return stored(what.block, least(greatest(v, low), high), smaller(v, low) || smaller(high, v));
}

/// The static path: both maxima over 6, the block's brought to 448 of the tensor's.
RuleScale modelopt_static(const RulesCase& what, const Extended& amax) {
  const Extended six = dyadic_number(6), high = dyadic_number(448), low = dyadic_number(1, -9);
  Extended s = fl32(over(amax, six));
  const bool replaced = s.zero();
  if (replaced) s = dyadic_number(1);
  const Extended v = fl32(over(fl32(times(s, high)), fl32(over(extended(what.tensor_amax), six))));
  return stored(what.block, least(greatest(v, low), high),
                replaced || smaller(v, low) || smaller(high, v));
}

RuleScale compressed_tensors(const RulesCase& what, const Extended& amax) {
  const Extended sixth = typed(what.block, over(amax, dyadic_number(6)));
  const Extended v = fl32(times(global_scale(what), sixth));
  const RuleScale out =
      stored(what.block, least(v, dyadic_number(448)), smaller(dyadic_number(448), v));
  return out.code == 0 ? RuleScale{0x20, true, false} : out;
}

}  // namespace

int floor_log2f(const Rational& v) { return static_cast<int>(floor_of(log2f(v))); }
int ceil_log2f(const Rational& v) { return -static_cast<int>(floor_of(Rational(-log2f(v)))); }
int nearest_log2f(const Rational& v) {
  const Rational sum = log2f(v) + Rational(1, 2);
  if (sum < 0)
    return static_cast<int>(floor_of(Rational(-fl32(extended(Rational(-sum))).magnitude)));
  return static_cast<int>(floor_of(fl32(extended(sum)).magnitude));
}

Rational largest_magnitude(const ElementFormat& format) {
  const Real top = value_of(format, format.max_code);
  return dyadic(top.significand, top.exponent);
}

Extended encoding_scale(const RulesCase& what) {
  const FourOverSix kind = what.block.block.four_over_six;
  const bool lower = facts_of(what.block.block.rule).reads_four_over_six &&
                     (kind == FourOverSix::kMae256 || kind == FourOverSix::kMse256);
  if (what.tensor_amax == 0) return dyadic_number(1);
  const Extended s = least(
      fl32(over(dyadic_number(lower ? 1536 : 2688), extended(what.tensor_amax))), largest_fp32());
  return s.zero() ? dyadic_number(1) : s;
}

Extended global_scale(const RulesCase& what) {
  if (what.tensor_amax == 0) return dyadic_number(1);
  const Extended reciprocal = typed(what.block, over(dyadic_number(1), extended(what.tensor_amax)));
  const Extended g = typed(what.block, times(reciprocal, dyadic_number(2688)));
  return g.inf() ? dyadic_number(1) : g;
}

Extended stored_tensor_scale(const BlockCase& block, const Rational& amax) {
  switch (block.block.rule) {
    case ScaleRule::kNvfp4Exact: {
      if (amax == 0 || block.format.tensor_scale == TensorScale::kNone) return dyadic_number(1);
      const Rational most =
          largest_magnitude(block.format.element) * largest_magnitude(block.format.scale);
      return greatest(fl32(extended(Rational(amax / most))), dyadic_number(1, -149));
    }
    case ScaleRule::kNvfp4Torchao:
    case ScaleRule::kNvfp4Modelopt:
    case ScaleRule::kNvfp4ModeloptStatic:
      return fl32(over(fl32(extended(amax)), dyadic_number(2688)));
    case ScaleRule::kNvfp4Ct:
      return global_scale({block, amax, {}});
    case ScaleRule::kNvfp4Te:
    case ScaleRule::kNvfp44over6:
      return fl32(over(dyadic_number(1), encoding_scale({block, amax, {}})));
    default:
      return dyadic_number(1);
  }
}

RuleScale scale_by_rule(const RulesCase& what, const Extended& amax,
                        std::span<const Extended> values, std::uint32_t random) {
  const BlockCase& b = what.block;
  const Extended six = dyadic_number(6);
  switch (b.block.rule) {
    case ScaleRule::kMaxabsFinite: {
      ElementPolicy policy;
      policy.rounding = b.block.scale_rounding;
      policy.overflow = b.block.scale_overflow;
      const Outcome out = encode_extended(b.format.scale, amax, policy);
      return {out.code, (out.flags & kFlagOverflow) != 0, false};
    }
    case ScaleRule::kNvfp4Exact:
      return stored(
          b, over(amax, times(extended(largest_magnitude(b.format.element)), what.tensor_scale)));
    case ScaleRule::kNvfp4Te: {
      const Extended sixth = fl32(over(dyadic_number(1), six));
      return stored(b, fl32(times(amax, fl32(times(encoding_scale(what), sixth)))));
    }
    case ScaleRule::kNvfp4Torchao: {
      const Extended v = fl32(over(fl32(over(amax, six)), what.tensor_scale));
      if (v.nan()) return stored(b, v);
      const Extended low = dyadic_number(1, -6), high = dyadic_number(448);
      return stored(b, least(greatest(v, low), high), smaller(v, low) || smaller(high, v));
    }
    case ScaleRule::kNvfp4Cublas:
      return stored(b, fl32(over(amax, six)));
    case ScaleRule::kNvfp4Ggml: {
      const Extended x = fl32(over(amax, six));
      const bool over_top = smaller(dyadic_number(448), x);
      return {over_top ? 0x7E : ggml_code(x.magnitude), over_top, false};
    }
    case ScaleRule::kNvfp44over6:
      return four_over_six(what, amax, values);
    case ScaleRule::kNvfp4Modelopt:
      return modelopt(what, amax);
    case ScaleRule::kNvfp4ModeloptStatic:
      return modelopt_static(what, amax);
    case ScaleRule::kNvfp4Ct:
      return compressed_tensors(what, amax);
    case ScaleRule::kHif4:
      return hif4(b, amax, values);
    case ScaleRule::kFp32Tensor:
    case ScaleRule::kFp32Block:
      return fp32_scale(what, amax);
    case ScaleRule::kSbfp:
      return stored(b, over(amax, extended(largest_magnitude(b.format.element))));
    default:
      return power_scale(b, amax.magnitude, random);
  }
}

}  // namespace mx::oracle
