// Rules whose scale is a number of a real-valued format: spec F11.4, maxabs_finite of
// spec F11.2, sbfp of spec S2, ST11. Constants and order of operations are the rules'.
#include <algorithm>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/block/choosers.hpp"
#include "reference/block/rules.hpp"
#include "reference/element/encode.hpp"

namespace mx {
namespace {

/// Rounds a value into the scale format, ties_to_even, saturating, floor first.
ScaleChoice store(const QuantizerConfig& c, const Unpacked& value, bool moved = false) {
  const ScaleFormat& scale = c.format.scale;
  Unpacked stored = value;
  ScaleChoice choice{.clamped = moved};
  if (c.block.scale_floor == ScaleFloor::kMinNormal && stored.cls != ValueClass::kNan) {
    const Unpacked least = unpack_integer(false, 1, scale.emin());
    if (compare_magnitude(stored, least) < 0) {
      choice.clamped = true;
      stored = least;
    }
  }
  const Encoded encoded = encode(stored, scale, ElementPolicy{}, 0);
  choice.code = encoded.code;
  choice.unclamped = static_cast<int>(choice.code);
  if ((encoded.flags & (kFlagOverflow | kFlagSaturated)) != 0) choice.clamped = true;
  return choice;
}

ScaleChoice store(const QuantizerConfig& c, fp32::Bits value, bool moved = false) {
  return store(c, fp32::value(value), moved);
}

/// The largest element times the largest scale: 6 * 448 = 2688 for nvfp4.
Unpacked largest_value(const QuantizerConfig& c) {
  return multiply(largest_element(c.format.element),
                  decode(c.format.scale, c.format.scale.max_code));
}

/// amax / (max_elem * g), one rational.
ScaleChoice exact_scale(const QuantizerConfig& c, const Unpacked& amax) {
  const Unpacked divisor = multiply(largest_element(c.format.element), fp32::value(c.tensor.scale));
  return store(c, exact_divide(amax, divisor).value);
}

/// fl32(amax_b * fl32(S_enc * fl32(1/6)))
ScaleChoice te_scale(const QuantizerConfig& c, fp32::Bits amax) {
  const fp32::Bits sixth = fp32::divide(fp32::kOne, fp32::from_integer(6));
  return store(c, fp32::multiply(amax, fp32::multiply(te_encode_scale(c), sixth)));
}

/// fl32(fl32(amax_b/6)/per_tensor) clamped to [2^-6, 448]
ScaleChoice torchao_scale(const QuantizerConfig& c, fp32::Bits amax) {
  const fp32::Bits quotient =
      fp32::divide(fp32::divide(amax, fp32::from_integer(6)), c.tensor.scale);
  const fp32::Bits least = fp32::round(unpack_integer(false, 1, -6));
  const fp32::Bits clamped =
      fp32::at_most(fp32::at_least(quotient, least), fp32::from_integer(448));
  return store(c, clamped, clamped != quotient);
}

/// fl32(amax_b / fl32(6 * g)), 1 where that is 0, clamped to [2^-9, 448]
ScaleChoice modelopt_scale(const QuantizerConfig& c, fp32::Bits amax) {
  const fp32::Bits quotient =
      fp32::divide(amax, fp32::multiply(fp32::from_integer(6), c.tensor.scale));
  if (quotient == 0) return store(c, fp32::kOne, true);
  const fp32::Bits least = fp32::round(unpack_integer(false, 1, -9));
  const fp32::Bits clamped =
      fp32::at_most(fp32::at_least(quotient, least), fp32::from_integer(448));
  return store(c, clamped, clamped != quotient);
}

/// fl32(fl32(s * 448) / fl32(amax_t / 6)), s = fl32(amax_b / 6), or 1 where that is 0; clamped to
/// [2^-9, 448]
ScaleChoice modelopt_static_scale(const QuantizerConfig& c, fp32::Bits amax) {
  const fp32::Bits six = fp32::from_integer(6);
  const fp32::Bits top = fp32::from_integer(448);
  const fp32::Bits sixth = fp32::divide(amax, six);
  const fp32::Bits raised = fp32::multiply(sixth == 0 ? fp32::kOne : sixth, top);
  const fp32::Bits quotient = fp32::divide(raised, fp32::divide(c.tensor.amax, six));
  const fp32::Bits least = fp32::round(unpack_integer(false, 1, -9));
  const fp32::Bits clamped = fp32::at_most(fp32::at_least(quotient, least), top);
  return store(c, clamped, sixth == 0 || clamped != quotient);
}

/// A binary32 number in the type that PyTorch gives to what is computed from a tensor.
fp32::Bits in_type_of_source(const QuantizerConfig& c, fp32::Bits x) {
  if (c.source != formats::bf16 && c.source != formats::fp16) return x;
  const ElementPolicy ieee = Arithmetic::ieee(c.source).policy;
  return fp32::round(decode(c.source, encode(fp32::value(x), c.source, ieee, 0).code));
}

/// fl32(G * (amax_b / 6)), at most 448; code 20, which is 0.125, where it is rounded to zero.
ScaleChoice ct_scale(const QuantizerConfig& c, fp32::Bits amax) {
  const fp32::Bits sixth = in_type_of_source(c, fp32::divide(amax, fp32::from_integer(6)));
  const fp32::Bits product = fp32::multiply(ct_global_scale(c), sixth);
  const fp32::Bits top = fp32::from_integer(448);
  const ScaleChoice choice = store(c, fp32::at_most(product, top), fp32::is_less(top, product));
  constexpr std::uint64_t kEighth = 0x20;
  if (choice.code != 0) return choice;
  return {.code = kEighth, .unclamped = static_cast<int>(kEighth), .clamped = true};
}

/// x = fl32(amax/6), at most 448, by ggml's own conversion to E4M3.
ScaleChoice ggml_scale(fp32::Bits amax) {
  const fp32::Bits sixth = fp32::divide(amax, fp32::from_integer(6));
  const fp32::Bits x = fp32::at_most(sixth, fp32::from_integer(448));
  ScaleChoice choice{.clamped = x != sixth};
  const auto exponent_field = static_cast<int>(x >> 23) - 127 + 7;
  if (exponent_field <= 0) {
    // int(fl32(fl32(x * 512) + 0.5)), at most 7: it never rounds up to the smallest normal code.
    const fp32::Bits half = fp32::round(unpack_integer(false, 1, -1));
    const Unpacked sum = fp32::value(fp32::add(fp32::multiply(x, fp32::from_integer(512)), half));
    const bool at_least_one = sum.cls == ValueClass::kFinite && sum.exponent >= 0;
    const std::uint64_t integer = at_least_one ? sum.significand >> (63 - sum.exponent) : 0;
    choice.code = std::min<std::uint64_t>(integer, 7);
  } else {
    // Three fraction bits and the next one, half up; a carry runs into the exponent field.
    const std::uint64_t field = static_cast<std::uint64_t>(exponent_field) << 3;
    const std::uint64_t code = field + (x >> 20 & 7) + (x >> 19 & 1);
    // From field 15 on, so from 248 on, everything is the largest code.
    choice.code = code >= 15U << 3 ? formats::ue4m3.max_code : code;
  }
  choice.unclamped = static_cast<int>(choice.code);
  return choice;
}

/// bf16(amax * bf16(1/7)), clamped to the ends of the level-1 format.
ScaleChoice hif4_scale(const QuantizerConfig& c, const Unpacked& amax) {
  const Unpacked seventh = unpack_integer(false, 73, -9);
  Unpacked value = amax;
  if (amax.cls == ValueClass::kFinite) {
    const ElementPolicy ieee = Arithmetic::ieee(formats::bf16).policy;
    value = decode(formats::bf16, encode(multiply(amax, seventh), formats::bf16, ieee, 0).code);
  }
  const Unpacked least = decode(c.format.scale, 0);
  const bool below = compare_magnitude(value, least) < 0;
  return store(c, below ? least : value, below);
}

/// fl32(amax / max_elem) by ratio_op, at least 2^-149, and 1 for a zero maximum.
ScaleChoice fp32_scale(const QuantizerConfig& c, const Unpacked& amax) {
  if (amax.cls == ValueClass::kZero) return store(c, fp32::kOne);
  const fp32::Bits ratio = fp32::round(amax_over_largest(c, amax, c.block.ratio_op));
  return store(c, fp32::at_least(ratio, fp32::kSmallest), ratio == 0);
}

ScaleChoice projected_maximum(const QuantizerConfig& c, const Unpacked& amax) {
  ElementPolicy policy;
  policy.rounding = c.block.scale_rounding;
  policy.overflow = c.block.scale_overflow;
  const Encoded encoded = encode(amax, c.format.scale, policy, 0);
  return {.code = encoded.code,
          .unclamped = static_cast<int>(encoded.code),
          .clamped = (encoded.flags & kFlagOverflow) != 0};
}

}  // namespace

fp32::Bits te_encode_scale(const QuantizerConfig& c) {
  const bool is_256 = facts_of(c.block.rule).reads_four_over_six &&
                      (c.block.four_over_six == FourOverSix::kMae256 ||
                       c.block.four_over_six == FourOverSix::kMse256);
  if (c.tensor.amax == 0) return fp32::kOne;
  const fp32::Bits top = fp32::from_integer(is_256 ? 6 * 256 : 6 * 448);
  const fp32::Bits scale = fp32::at_most(fp32::divide(top, c.tensor.amax), fp32::kMax);
  return scale == 0 ? fp32::kOne : scale;
}

fp32::Bits ct_global_scale(const QuantizerConfig& c) {
  if (c.tensor.amax == 0) return fp32::kOne;
  const fp32::Bits reciprocal = in_type_of_source(c, fp32::divide(fp32::kOne, c.tensor.amax));
  const fp32::Bits scale =
      in_type_of_source(c, fp32::multiply(reciprocal, fp32::from_integer(6 * 448)));
  return scale == fp32::kInfinity ? fp32::kOne : scale;
}

FourOverSixScales four_over_six_scales(const QuantizerConfig& c, const Unpacked& amax) {
  const fp32::Bits six = fp32::from_integer(6);
  const fp32::Bits three_halves = fp32::round(unpack_integer(false, 3, -1));
  const fp32::Bits top = fp32::from_integer(448);
  const fp32::Bits base = fp32::multiply(fp32::divide(fp32::round(amax), six), te_encode_scale(c));
  const fp32::Bits larger = fp32::multiply(base, three_halves);
  return {store(c, fp32::at_most(base, top), fp32::is_less(top, base)),
          store(c, fp32::at_most(larger, top), fp32::is_less(top, larger))};
}

namespace {

template <ScaleRule kRule>
ScaleChoice scale_by(const QuantizerConfig& c, const Unpacked& amax) = delete;

template <>
ScaleChoice scale_by<ScaleRule::kMaxabsFinite>(const QuantizerConfig& c, const Unpacked& amax) {
  return projected_maximum(c, amax);
}
template <>
ScaleChoice scale_by<ScaleRule::kNvfp4Exact>(const QuantizerConfig& c, const Unpacked& amax) {
  return exact_scale(c, amax);
}
template <>
ScaleChoice scale_by<ScaleRule::kNvfp4Te>(const QuantizerConfig& c, const Unpacked& amax) {
  return te_scale(c, fp32::round(amax));
}
template <>
ScaleChoice scale_by<ScaleRule::kNvfp4Torchao>(const QuantizerConfig& c, const Unpacked& amax) {
  return torchao_scale(c, fp32::round(amax));
}
template <>
ScaleChoice scale_by<ScaleRule::kNvfp4Cublas>(const QuantizerConfig& c, const Unpacked& amax) {
  return store(c, fp32::divide(fp32::round(amax), fp32::from_integer(6)));
}
template <>
ScaleChoice scale_by<ScaleRule::kNvfp4Ggml>(const QuantizerConfig& /*c*/, const Unpacked& amax) {
  return ggml_scale(fp32::round(amax));
}
template <>
ScaleChoice scale_by<ScaleRule::kNvfp44over6>(const QuantizerConfig& c, const Unpacked& amax) {
  return four_over_six_scales(c, amax).map6;
}
template <>
ScaleChoice scale_by<ScaleRule::kNvfp4Modelopt>(const QuantizerConfig& c, const Unpacked& amax) {
  return modelopt_scale(c, fp32::round(amax));
}
template <>
ScaleChoice scale_by<ScaleRule::kNvfp4ModeloptStatic>(const QuantizerConfig& c,
                                                      const Unpacked& amax) {
  return modelopt_static_scale(c, fp32::round(amax));
}
template <>
ScaleChoice scale_by<ScaleRule::kNvfp4Ct>(const QuantizerConfig& c, const Unpacked& amax) {
  return ct_scale(c, fp32::round(amax));
}
template <>
ScaleChoice scale_by<ScaleRule::kHif4>(const QuantizerConfig& c, const Unpacked& amax) {
  return hif4_scale(c, amax);
}
template <>
ScaleChoice scale_by<ScaleRule::kFp32Tensor>(const QuantizerConfig& c, const Unpacked& amax) {
  return fp32_scale(c, c.tensor.amax != 0 ? fp32::value(c.tensor.amax) : amax);
}
template <>
ScaleChoice scale_by<ScaleRule::kFp32Block>(const QuantizerConfig& c, const Unpacked& amax) {
  return fp32_scale(c, amax);
}
template <>
ScaleChoice scale_by<ScaleRule::kSbfp>(const QuantizerConfig& c, const Unpacked& amax) {
  return store(c, exact_divide(amax, largest_element(c.format.element)).value);
}

constexpr auto kRealChoosers =
    choosers<RuleKind::kReal, ScaleChoice (*)(const QuantizerConfig&, const Unpacked&)>(
        []<ScaleRule kRule>() { return &scale_by<kRule>; });

}  // namespace

ScaleChoice choose_real_scale(const QuantizerConfig& c, const Unpacked& amax) {
  return kRealChoosers[static_cast<std::size_t>(c.block.rule)](c, amax);
}

TensorLevel tensor_level(const QuantizerConfig& config, const Unpacked& amax) {
  QuantizerConfig c = config;
  c.tensor = {.amax = fp32::round(amax)};
  const bool is_zero = amax.cls == ValueClass::kZero;
  switch (c.block.rule) {
    case ScaleRule::kNvfp4Exact:
      if (c.format.tensor_scale != TensorScale::kNone && !is_zero) {
        c.tensor.scale = fp32::at_least(fp32::round(exact_divide(amax, largest_value(c)).value),
                                        fp32::kSmallest);
      }
      break;
    case ScaleRule::kNvfp4Torchao:
    case ScaleRule::kNvfp4Modelopt:
    case ScaleRule::kNvfp4ModeloptStatic:
      c.tensor.scale = fp32::divide(c.tensor.amax, fp32::from_integer(6 * 448));
      break;
    case ScaleRule::kNvfp4Te:
    case ScaleRule::kNvfp44over6:
      c.tensor.scale = fp32::divide(fp32::kOne, te_encode_scale(c));
      break;
    case ScaleRule::kNvfp4Ct:
      c.tensor.scale = ct_global_scale(c);
      break;
    default:
      break;
  }
  return c.tensor;
}

}  // namespace mx
