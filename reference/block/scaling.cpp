#include "reference/block/scaling.hpp"

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/element/encode_kernel.hpp"

namespace mx {
namespace {

using Kind = ElementScaling::Kind;

ElementScaling multiply32(fp32::Bits factor) {
  return {.kind = Kind::kMultiply32, .factor = fp32::value(factor)};
}

/// min(fl32(1 / fl32(scale * S_dec)), FLT_MAX), S_dec = fl32(1 / S_enc)
fp32::Bits te_multiplier(const QuantizerConfig& c, fp32::Bits scale) {
  const fp32::Bits decode_scale = fp32::divide(fp32::kOne, te_encode_scale(c));
  return fp32::at_most(fp32::divide(fp32::kOne, fp32::multiply(scale, decode_scale)), fp32::kMax);
}

ElementScaling divide32_by(fp32::Bits divisor) {
  return {.kind = Kind::kDivide32, .factor = fp32::value(divisor)};
}

ElementScaling exact_scaling(const QuantizerConfig& c, const Unpacked& scale) {
  if (scale.cls == ValueClass::kInf) return {.kind = Kind::kSign, .factor = scale};
  const bool is_power = c.format.scale.man_bits == 0 && c.format.scale.kind == FormatKind::kFloat;
  if (is_power) return {.kind = Kind::kShift, .shift = scale.exponent};
  return {.kind = Kind::kDivide, .factor = scale};
}

/// Step 7 for rules that leave the choice to elem_scaling.
ElementScaling chosen_scaling(const QuantizerConfig& c, std::uint64_t code, const Unpacked& scale) {
  if (scale.cls == ValueClass::kZero) return {.kind = Kind::kZero};
  if (scale.cls == ValueClass::kInf) return exact_scaling(c, scale);
  const fp32::Bits bits = fp32::round(scale);
  switch (c.block.elem_scaling) {
    case ElemScaling::kExact:
      return exact_scaling(c, scale);
    case ElemScaling::kFp32Mul:
      return multiply32(fp32::divide(fp32::kOne, bits));
    case ElemScaling::kFp32Div:
      return {.kind = Kind::kDivide32, .factor = scale};
    case ElemScaling::kFp32DivNormal: {
      const Unpacked least = unpack_integer(false, 1, -126);
      return {.kind = Kind::kDivide32,
              .factor = compare_magnitude(scale, least) < 0 ? least : scale,
              .negative_invalid = true};
    }
    case ElemScaling::kFp32MulOneAt00:
      return multiply32(code == 0 ? fp32::kOne : fp32::divide(fp32::kOne, bits));
    case ElemScaling::kSearchFp32:
      return {.kind = Kind::kSearch, .factor = scale};
  }
  return {};
}

/// elem_codes_when_nan_scale = as_computed: the divisor of torchao 0.18 is 2^128 there, so
/// infinite; every other form multiplies or divides by NaN.
ElementScaling nan_scaling(const QuantizerConfig& c) {
  if (c.block.elem_scaling == ElemScaling::kFp32DivNormal) {
    return {.kind = Kind::kDivide32, .factor = {.cls = ValueClass::kInf}, .negative_invalid = true};
  }
  return {.kind = Kind::kNan};
}

/// bf16(1 / L1)
Unpacked hif4_reciprocal(const Unpacked& level1) {
  const Unpacked one = unpack_integer(false, 1, 0);
  const ElementPolicy ieee = Arithmetic::ieee(formats::bf16).policy;
  const Encoded encoded = encode(exact_divide(one, level1).value, formats::bf16, ieee, 0);
  return decode(formats::bf16, encoded.code);
}

Unpacked divide32(const ElementScaling& scaling, const Unpacked& x) {
  const RealResult quotient = exact_divide(x, scaling.factor);
  Unpacked y = fp32::value(fp32::round(quotient.value));
  if (quotient.invalid && x.cls != ValueClass::kNan) y.negative = scaling.negative_invalid;
  return y;
}

Unpacked with_sign(Unpacked x, bool negative) {
  x.negative = negative;
  return x;
}

}  // namespace

ElementScaling element_scaling(const QuantizerConfig& c, std::uint64_t code, const Unpacked& amax,
                               bool is_nan) {
  if (is_nan) return nan_scaling(c);
  const std::uint64_t level1 = code & c.format.scale.code_mask();
  const Unpacked scale = decode(c.format.scale, level1);
  const fp32::Bits bits = fp32::round(scale);
  switch (c.block.rule) {
    case ScaleRule::kNvfp4Exact:
      if (scale.cls == ValueClass::kZero) return {.kind = Kind::kZero};
      return {.kind = Kind::kDivide, .factor = multiply(scale, fp32::value(c.tensor.scale))};
    case ScaleRule::kNvfp4Te:
    case ScaleRule::kNvfp44over6:
      return multiply32(te_multiplier(c, bits));
    case ScaleRule::kNvfp4Torchao:
      return multiply32(fp32::divide(fp32::divide(fp32::kOne, c.tensor.scale), bits));
    case ScaleRule::kNvfp4Cublas:
      if (scale.cls == ValueClass::kZero) return {.kind = Kind::kZero};
      return multiply32(fp32::divide(fp32::kOne, bits));
    case ScaleRule::kNvfp4Modelopt:
      return divide32_by(fp32::multiply(bits, c.tensor.scale));
    case ScaleRule::kNvfp4ModeloptStatic: {
      const fp32::Bits level = fp32::divide(c.tensor.amax, fp32::from_integer(6 * 448));
      return divide32_by(fp32::multiply(bits, level));
    }
    case ScaleRule::kNvfp4Ct:
      return divide32_by(fp32::divide(bits, ct_global_scale(c)));
    case ScaleRule::kNvfp4Ggml:
      return {.kind = Kind::kSearch, .factor = scale};
    case ScaleRule::kHif4:
      return {.kind = Kind::kMultiply, .factor = hif4_reciprocal(scale)};
    case ScaleRule::kSbfp:
      if (amax.cls == ValueClass::kFinite) {
        return {
            .kind = Kind::kDivide, .factor = amax, .numerator = largest_element(c.format.element)};
      }
      return chosen_scaling(c, level1, scale);
    default:
      return chosen_scaling(c, level1, scale);
  }
}

Unpacked scale_element(const QuantizerConfig& c, const ElementScaling& scaling, std::uint64_t code,
                       std::size_t lane, const Unpacked& x) {
  if (x.cls == ValueClass::kNan) return x;
  switch (scaling.kind) {
    case Kind::kShift:
    case Kind::kSearch: {
      Unpacked y = x;
      if (x.cls == ValueClass::kFinite) y.exponent -= scaling.shift;
      return y;
    }
    case Kind::kDivide: {
      const bool scaled = scaling.numerator.cls == ValueClass::kFinite;
      return exact_divide(scaled ? multiply(x, scaling.numerator) : x, scaling.factor).value;
    }
    case Kind::kMultiply: {
      Unpacked y = multiply(x, scaling.factor);
      if (y.cls == ValueClass::kFinite) y.exponent -= sublevel_shift(c.format, code, lane);
      return y;
    }
    case Kind::kMultiply32: {
      const Unpacked product = multiply(x, scaling.factor);
      if (product.cls == ValueClass::kNan) return {.cls = ValueClass::kNan};  // 0 * Inf
      return fp32::value(fp32::round(product));
    }
    case Kind::kDivide32:
      return divide32(scaling, x);
    case Kind::kZero:
      return {.negative = x.negative};
    case Kind::kSign: {
      const bool negative = x.negative != scaling.factor.negative;
      if (x.cls == ValueClass::kZero) return with_sign(x, negative);
      return with_sign(unpack_integer(false, 1, 0), negative);
    }
    case Kind::kNan:
      break;
  }
  return {.cls = ValueClass::kNan};
}

Unpacked infinity_as_number(const QuantizerConfig& c, const Unpacked& x) {
  const bool is_number = x.cls == ValueClass::kInf && c.block.inf_block == InfBlock::kAsTwoTo128 &&
                         c.block.amax_over != AmaxOver::kFiniteOnly &&
                         !facts_of(c.block.rule).takes_every_block;
  return is_number ? unpack_integer(x.negative, 1, 128) : x;
}

bool has_undefined_codes(const QuantizerConfig& c, std::uint64_t code) {
  return c.block.rule == ScaleRule::kNvfp4Cublas &&
         decode(c.format.scale, code & c.format.scale.code_mask()).cls == ValueClass::kZero;
}

ElementPolicy element_policy(const QuantizerConfig& c) {
  ElementPolicy policy = c.element;
  const bool to_away = facts_of(c.block.rule).rounds_to_away;
  if (to_away) policy.rounding = Rounding::kTiesToAway;
  if (to_away || c.format.negative_zero != NegativeZeroDatum::kZero) {
    policy.zero_sign = ZeroSign::kFlushPositive;
  }
  return policy;
}

int sublevel_shift(const BlockFormat& format, std::uint64_t code, std::size_t lane) {
  int shift = 0;
  int position = format.scale.bits;
  for (const int group : format.sublevels) {
    if (group == 0) continue;
    const auto index = static_cast<int>(lane) / group;
    shift += static_cast<int>(code >> (position + index) & 1);
    position += (format.block_size + group - 1) / group;
  }
  return shift;
}

}  // namespace mx
