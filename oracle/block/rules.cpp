#include "oracle/block/rules.hpp"

#include <stdexcept>

namespace mx::oracle {
namespace {

Extended number(std::uint64_t n, int exponent = 0) { return extended(dyadic(n, exponent)); }
Extended not_a_number() { return {Kind::kNan, false, false, 0}; }

std::uint64_t level_one(const BlockFormat& format, std::uint64_t code) {
  return code & ((format.scale.bits == 64 ? 0 : std::uint64_t{1} << format.scale.bits) - 1);
}

/// 2^(number of set sublevel bits of a lane)
Rational sublevel_factor(const BlockFormat& format, std::uint64_t code, std::size_t lane) {
  if (format.sublevels[0] == 0) return 1;
  const std::uint64_t level2 = code >> (8 + lane / 8) & 1;
  const std::uint64_t level3 = code >> (16 + lane / 4) & 1;
  return dyadic(std::uint64_t{1} << (level2 + level3), 0);
}

/// What the scan of steps 1 to 3 finds.
struct Seen {
  bool nan = false;
  bool inf = false;
  bool finite = false;
  Extended amax;  ///< over the elements that count
  bool any = false;
};

Seen look(const std::vector<Extended>& values, AmaxOver over) {
  Seen seen;
  for (const Extended& x : values) {
    seen.nan = seen.nan || x.nan();
    seen.inf = seen.inf || x.inf();
    seen.finite = seen.finite || x.kind == Kind::kFinite;
    if (x.nan() || (x.inf() && over == AmaxOver::kFiniteOnly)) continue;
    if (!seen.any || smaller(seen.amax, x)) seen.amax = x;
    seen.any = true;
  }
  seen.amax.negative = false;
  return seen;
}

bool flushes(const BlockCase& b, const Seen& seen) {
  if (b.block.src_daz_block != BlockFlush::kFlush || seen.nan || seen.inf || seen.amax.zero()) {
    return false;
  }
  const int e = floor_log2(seen.amax.magnitude);
  const bool by_log = b.block.rule == ScaleRule::kFloorLog2f && e <= 127;
  return (by_log ? floor_log2f(seen.amax.magnitude) : e) <= -127;
}

struct Decision {
  RuleScale scale;
  bool zero = false;
  bool nan = false;
};

Decision nan_decision(const BlockCase& b) {
  const ElementFormat& scale = b.format.scale;
  return {{scale.nan == NanKind::kNone ? scale.max_code : scale.canonical_nan, false, true},
          false,
          true};
}

Decision decide_zero(const RulesCase& what, std::span<const Extended> values,
                     std::uint32_t random) {
  const BlockCase& b = what.block;
  const ElementFormat& scale = b.format.scale;
  Decision out;
  out.zero = true;
  const int emin = scale.zero == ZeroKind::kNone ? -scale.bias : 1 - scale.bias;
  switch (b.block.zero_block_scale) {
    case ZeroBlockScale::kCode00:
      if (!is_power_rule(b.block.rule)) out.scale = scale_by_rule(what, {}, values, random);
      break;
    case ZeroBlockScale::kMinNormal:
      out.scale.code = encode_extended(scale, number(1, emin), ElementPolicy{}).code;
      break;
    case ZeroBlockScale::kOne:
      out.scale.code = encode_extended(scale, number(1), ElementPolicy{}).code;
      break;
    case ZeroBlockScale::kMinAmax:
      out.scale = scale_by_rule(what, number(1, -126), values, random);
      break;
  }
  return out;
}

Decision decide(const RulesCase& what, const Seen& seen, std::span<const Extended> values,
                std::uint32_t random) {
  const BlockCase& b = what.block;
  const bool power = is_power_rule(b.block.rule);
  if (facts_of(b.block.rule).takes_every_block) {
    const bool partial = b.format.extent == BlockExtent::kElements &&
                         values.size() < static_cast<std::size_t>(b.format.block_size) *
                                             static_cast<std::size_t>(b.format.tile_lines);
    const bool finite = seen.finite || partial;
    if (!finite && !seen.inf) return nan_decision(b);
    const Extended amax = finite ? seen.amax : Extended{Kind::kInf, false, false, 0};
    return {scale_by_rule(what, amax, values, random), amax.zero(), false};
  }
  if (seen.nan && b.block.amax_over == AmaxOver::kAll) return nan_decision(b);
  if (seen.amax.inf()) {
    switch (b.block.inf_block) {
      case InfBlock::kScaleNan:
      case InfBlock::kAllNan:
        return nan_decision(b);
      case InfBlock::kScaleMax: {
        const std::uint64_t limit = b.format.scale_limit;
        return {{limit != 0 ? limit : b.format.scale.max_code, false, false}, false, false};
      }
      case InfBlock::kAsE255:
      case InfBlock::kAsTwoTo128:
        return {scale_by_rule(what, power ? number(1, 128) : seen.amax, values, random), false,
                false};
    }
  }
  if (seen.amax.zero()) return decide_zero(what, values, random);
  return {scale_by_rule(what, seen.amax, values, random), false, false};
}

/// Codes in order, strict improvement of the binary32 error: ggml.
Outcome searched(const BlockCase& b, const Extended& scale, const Extended& x) {
  Outcome best;
  const auto error_of = [&](std::uint64_t code) {
    Extended e = fl32(
        plus(fl32(times(extended(value_of(b.format.element, code)), scale)), negated(fl32(x))));
    e.negative = false;
    return e;
  };
  Extended least = error_of(0);
  for (std::uint64_t code = 1; code < std::uint64_t{1} << b.format.element.bits; ++code) {
    const Extended error = error_of(code);
    if (smaller(error, least)) {
      least = error;
      best.code = code;
    }
  }
  if (!x.nan() && !least.zero()) best.flags |= kFlagInexact;
  if (x.kind == Kind::kFinite && !x.zero() && value_of(b.format.element, best.code).zero()) {
    best.flags |= kFlagToZero;
  }
  return best;
}

/// Rounded as BFP8 and cut: Tenstorrent's BFP4 and BFP2.
Outcome cut(const BlockCase& b, const ElementPolicy& policy, const Extended& y,
            std::uint32_t random) {
  ElementFormat wide = b.format.element;
  const int dropped = b.format.cut_from - wide.bits;
  wide.bits += dropped;
  wide.frac_bits += dropped;
  wide.max_code = (std::uint64_t{1} << (wide.bits - 1)) - 1;
  Outcome out = encode_extended(wide, y, policy, random);
  const bool negative = out.code > wide.max_code;
  const std::uint64_t magnitude = out.code & wide.max_code;
  const std::uint64_t kept = magnitude >> dropped;
  if (magnitude % (std::uint64_t{1} << dropped) != 0) out.flags |= kFlagInexact;
  if (kept == 0 && y.kind == Kind::kFinite && !y.zero()) out.flags |= kFlagToZero;
  out.code = kept + (negative && kept != 0 ? b.format.element.max_code + 1 : 0);
  return out;
}

/// Rounded to the staging format, if there is one. A NaN keeps its sign.
Extended staged(const Extended& y, const ElementPolicy& policy, const ElementFormat& element) {
  if (policy.staging == Staging::kNone || y.nan()) return y;
  if (policy.staging == Staging::kViaUnbounded) {
    if (y.inf()) return y;
    const auto first = before_denormalising(y.magnitude, y.negative, policy, element);
    return first ? Extended{y.kind, y.negative, y.signaling, dyadic(first->n, first->exponent)} : y;
  }
  const ElementFormat& via = policy.staging == Staging::kViaFp16   ? formats::fp16
                             : policy.staging == Staging::kViaBf16 ? formats::bf16
                                                                   : formats::fp32;
  return rounded(via, y);
}

/// y of step 7 by the rule or by elem_scaling.
Extended brought(const RulesCase& what, const Extended& amax, std::uint64_t code, std::size_t lane,
                 const Extended& x, bool scale_is_nan) {
  const BlockCase& b = what.block;
  if (x.nan()) return x;
  const bool normal_divisor = b.block.elem_scaling == ElemScaling::kFp32DivNormal;
  if (scale_is_nan) {
    if (!normal_divisor) return not_a_number();
    return x.inf() ? Extended{Kind::kNan, true, false, 0}
                   : Extended{Kind::kFinite, x.negative, false, 0};
  }
  const std::uint64_t level1 = level_one(b.format, code);
  const Extended scale = extended(value_of(b.format.scale, level1));
  const Extended one = number(1);
  const Extended zero{Kind::kFinite, x.negative, false, 0};
  const Extended most = extended(value_of(formats::fp32, 0x7F7FFFFF));
  switch (b.block.rule) {
    case ScaleRule::kNvfp4Exact:
      return scale.zero() ? zero : over(x, times(scale, what.tensor_scale));
    case ScaleRule::kNvfp4Te:
    case ScaleRule::kNvfp44over6: {
      const Extended decode_scale = fl32(over(one, encoding_scale(what)));
      Extended m = fl32(over(one, fl32(times(scale, decode_scale))));
      if (smaller(most, m)) m = most;
      return fl32(times(x, m));
    }
    case ScaleRule::kNvfp4Torchao:
      return fl32(times(x, fl32(over(fl32(over(one, what.tensor_scale)), scale))));
    case ScaleRule::kNvfp4Modelopt:
      return fl32(over(x, fl32(times(scale, what.tensor_scale))));
    case ScaleRule::kNvfp4ModeloptStatic: {
      const Extended level = fl32(over(fl32(extended(what.tensor_amax)), number(2688)));
      return fl32(over(x, fl32(times(scale, level))));
    }
    case ScaleRule::kNvfp4Ct:
      return fl32(over(x, fl32(over(scale, global_scale(what)))));
    case ScaleRule::kNvfp4Cublas:
      return scale.zero() ? zero : fl32(times(x, fl32(over(one, scale))));
    case ScaleRule::kHif4: {
      const Extended r = rounded(formats::bf16, over(one, scale));
      return over(times(x, r), extended(sublevel_factor(b.format, code, lane)));
    }
    case ScaleRule::kSbfp:
      if (amax.zero() || amax.inf()) break;  // no ratio: the stored scale
      return over(times(x, extended(largest_magnitude(b.format.element))), amax);
    default:
      break;
  }
  if (scale.zero()) return zero;
  if (scale.inf()) {
    const bool negative = x.negative != scale.negative;
    return {Kind::kFinite, negative, false, x.zero() ? 0 : 1};
  }
  switch (b.block.elem_scaling) {
    case ElemScaling::kExact:
      return over(x, scale);
    case ElemScaling::kFp32Mul:
      return fl32(times(x, fl32(over(one, scale))));
    case ElemScaling::kFp32Div:
      return fl32(over(x, scale));
    case ElemScaling::kFp32DivNormal: {
      const Extended low = number(1, -126);
      return fl32(over(x, smaller(scale, low) ? low : scale));
    }
    case ElemScaling::kFp32MulOneAt00:
      return fl32(times(x, level1 == 0 ? one : fl32(over(one, scale))));
    case ElemScaling::kSearchFp32:
      break;
  }
  throw std::logic_error("a search has no scaled element");
}

}  // namespace

Outcome element_by_rule(const RulesCase& what, const Extended& amax, std::uint64_t scale_code,
                        bool scale_is_nan, std::size_t lane, const Extended& element,
                        std::uint32_t random) {
  const BlockCase& b = what.block;
  Extended x = element;
  if (x.inf() && b.block.inf_block == InfBlock::kAsTwoTo128 &&
      b.block.amax_over != AmaxOver::kFiniteOnly && !facts_of(b.block.rule).takes_every_block) {
    x = number(1, 128);
    x.negative = element.negative;
  }
  ElementPolicy policy = b.element;
  const bool to_away = facts_of(b.block.rule).rounds_to_away;
  if (to_away) policy.rounding = Rounding::kTiesToAway;
  if (to_away || b.format.negative_zero != NegativeZeroDatum::kZero) {
    policy.zero_sign = ZeroSign::kFlushPositive;
  }
  const Extended scale = extended(value_of(b.format.scale, level_one(b.format, scale_code)));
  const bool by_rule = b.block.rule == ScaleRule::kNvfp4Ggml;
  const bool chosen = b.block.elem_scaling == ElemScaling::kSearchFp32 &&
                      facts_of(b.block.rule).elements == RuleElements::kByPolicy;
  const bool usable = !scale_is_nan && scale.kind == Kind::kFinite && !scale.zero();
  if ((by_rule && !scale_is_nan) || (chosen && usable)) return searched(b, scale, x);
  const Extended y =
      staged(brought(what, amax, scale_code, lane, x, scale_is_nan), policy, b.format.element);
  if (b.format.cut_from != 0) return cut(b, policy, y, random);
  return encode_extended(b.format.element, y, policy, random);
}

BlockOutcome quantize_by_rules(const RulesCase& what, std::span<const std::uint64_t> source,
                               std::span<const std::uint32_t> random) {
  const BlockCase& b = what.block;
  std::vector<Extended> values;
  for (const std::uint64_t code : source) {
    values.push_back(extended(flushed_value(b.source, b.element, code)));
  }
  const bool finite_only = facts_of(b.block.rule).takes_every_block;
  Seen seen = look(values, finite_only ? AmaxOver::kFiniteOnly : b.block.amax_over);
  if (flushes(b, seen)) {
    for (Extended& x : values) x.magnitude = 0;
    seen.amax.magnitude = 0;
  }
  const Decision decision = decide(what, seen, values, random.empty() ? 0 : random[0]);
  BlockOutcome out;
  out.scale_code = decision.scale.code;
  out.clamped = decision.scale.clamped;
  out.zero_block = decision.zero;
  out.has_inf = seen.inf;
  out.has_nan = seen.nan;
  const std::uint64_t level1 = level_one(b.format, out.scale_code);
  out.nan_scale = decision.nan || value_of(b.format.scale, level1).kind == Kind::kNan;
  const NanScaleCodes under_nan = b.block.nan_scale_codes;
  const bool is_undefined = b.block.rule == ScaleRule::kNvfp4Cublas && !decision.zero &&
                            value_of(b.format.scale, level1).zero();
  out.masked = is_undefined || (out.nan_scale && under_nan == NanScaleCodes::kDontCare);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (out.nan_scale && under_nan != NanScaleCodes::kAsComputed) {
      const bool nan_code =
          under_nan == NanScaleCodes::kNan && b.format.element.nan != NanKind::kNone;
      out.codes.push_back(nan_code ? b.format.element.canonical_nan : 0);
      continue;
    }
    const bool draws = is_stochastic(b.element.rounding) && !facts_of(b.block.rule).rounds_to_away;
    const Outcome element = element_by_rule(what, seen.amax, out.scale_code, out.nan_scale, i,
                                            values[i], draws ? random[i] : 0);
    out.codes.push_back(element.code);
    out.element_flags |= element.flags;
  }
  return out;
}

std::uint64_t dequantize_by_rules(const RulesCase& what, const ElementFormat& output,
                                  std::uint64_t scale_code, std::uint64_t element_code,
                                  std::size_t lane, Rounding rounding, ResultSubnormals ftz) {
  const BlockCase& b = what.block;
  const Extended level1 = extended(value_of(b.format.scale, level_one(b.format, scale_code)));
  Extended element = extended(value_of(b.format.element, element_code));
  if (level1.nan() || element.nan()) return output.canonical_nan;
  const bool is_minus_zero = element.zero() && element.negative;
  Extended value;
  if (is_minus_zero && b.format.negative_zero == NegativeZeroDatum::kMinusInfinity) {
    value = {Kind::kInf, true, false, 0};
  } else if (is_minus_zero && b.format.negative_zero == NegativeZeroDatum::kMinusTwoTo16) {
    value = negated(number(1, 16));
  } else if (element.inf() || element.zero()) {
    value = element;
  } else {
    Extended scale = times(level1, extended(sublevel_factor(b.format, scale_code, lane)));
    const bool divides = b.block.rule == ScaleRule::kNvfp4Ct;
    if (b.format.tensor_scale != TensorScale::kNone) {
      scale = divides ? over(scale, what.tensor_scale) : times(scale, what.tensor_scale);
    }
    const bool rounds = divides || b.block.rule == ScaleRule::kNvfp4Torchao ||
                        b.block.rule == ScaleRule::kNvfp4Modelopt ||
                        b.block.rule == ScaleRule::kNvfp4ModeloptStatic;
    if (rounds && b.format.tensor_scale != TensorScale::kNone) scale = fl32(scale);
    value = times(scale, element);
    if (rounds) value = fl32(value);
  }
  const bool wraps =
      b.block.dequant_overflow == DequantOverflow::kWrap && has_wrapping_field(output);
  if (wraps && value.kind == Kind::kFinite && !value.zero()) {
    return wrapped(output, value.negative, value.magnitude, rounding);
  }
  ElementPolicy policy;
  policy.rounding = rounding;
  policy.dst_ftz = ftz;
  policy.overflow = b.block.dequant_overflow == DequantOverflow::kSaturate
                        ? Overflow::kSatFiniteKeepInf
                        : Overflow::kNoneInfOrNan;
  const Outcome out = encode_extended(output, value, policy);
  const bool overflows = (out.flags & kFlagOverflow) != 0;
  return overflows && b.block.dequant_overflow == DequantOverflow::kNan ? output.canonical_nan
                                                                        : out.code;
}

}  // namespace mx::oracle
