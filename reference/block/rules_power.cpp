#include "reference/block/rules.hpp"

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/fp32.hpp"
#include "reference/block/choosers.hpp"
#include "reference/element/encode.hpp"
#include "reference/number/log2f.hpp"

namespace mx {
namespace {

/// Stands for the logarithm of a ratio that binary32 arithmetic made zero: below every scale.
constexpr int kBelowAll = -150;
/// The largest exponent of a finite binary32 number.
constexpr int kMaxExponent = 127;

/// The significand of amax with the hidden bit cleared: the fraction f of 2^e (1 + f), in 2^-64.
std::uint64_t fraction_of(const Unpacked& x) { return x.significand << 1; }

bool is_power_of_two(const Unpacked& x) { return fraction_of(x) == 0 && !x.sticky; }

int emax_of(const QuantizerConfig& c) {
  return c.format.rule_emax.value_or(c.format.element.emax());
}

enum class Tie : std::uint8_t { kUp, kDown };

/// The even rules look at the top m + 1 fraction bits: are all of them ones, and is that enough?
bool even_carries(const Unpacked& amax, const ElementFormat& element, Tie tie) {
  const std::uint64_t fraction = fraction_of(amax);
  const std::uint64_t ones = ~std::uint64_t{0} << (63 - element.rule_man_bits());
  if ((fraction & ones) != ones) return false;
  return tie == Tie::kUp || (fraction & ~ones) != 0;
}

/// TransformerEngine's 16-bit reciprocals of the largest element: spec F11.2, half_rcp_mul.
Unpacked half_reciprocal(const QuantizerConfig& c) {
  const bool is_e5m2 = c.format.element.max_code == formats::e5m2.max_code;
  if (c.source.exp_bits == formats::fp16.exp_bits) {
    return decode(formats::fp16, is_e5m2 ? 0x0125 : 0x1892);
  }
  return decode(formats::bf16, is_e5m2 ? 0x3792 : 0x3B12);
}

/// a / b in a type, rounded once as IEEE 754 has it.
Unpacked divide_in(const ElementFormat& type, const Unpacked& a, const Unpacked& b) {
  const ElementPolicy ieee = Arithmetic::ieee(type).policy;
  return decode(type, encode(exact_divide(a, b).value, type, ieee, 0).code);
}

/// ceil(log2 v) of a ratio that may have become 0 or infinite in binary32.
int ceil_log2(const Unpacked& v) {
  if (v.cls == ValueClass::kZero) return kBelowAll;
  if (v.cls == ValueClass::kInf) return 128;
  return v.exponent + (is_power_of_two(v) ? 0 : 1);
}

/// floor(fl32(log2 amax)); beyond binary32 the exponent itself.
int floor_log2f(const Unpacked& amax) {
  return amax.exponent > kMaxExponent ? amax.exponent : log2f::floor_exponent(fp32::round(amax));
}

int rceil_exponent(const QuantizerConfig& c, const Unpacked& amax) {
  if (c.block.ratio_op == RatioOp::kExact && c.element.e8m0_quirk != E8m0Quirk::kOnnxUp) {
    // Without a division: the ratio exceeds a power of two iff the fraction does.
    const Unpacked largest = largest_element(c.format.element);
    return amax.exponent - largest.exponent + (fraction_of(amax) > fraction_of(largest) ? 1 : 0);
  }
  const Unpacked v = amax_over_largest(c, amax, c.block.ratio_op);
  const int exponent = ceil_log2(v);
  // The ONNX reference's "up" looks at the fraction field of a subnormal ratio: any one bit counts.
  const int second = 1 - c.format.scale.bias;
  const bool lifts = c.element.e8m0_quirk == E8m0Quirk::kOnnxUp && v.cls == ValueClass::kFinite;
  return lifts && exponent < second ? second : exponent;
}

int nearest_value_exponent(const QuantizerConfig& c, const Unpacked& amax) {
  const Unpacked v = amax_over_largest(c, amax, c.block.ratio_op);
  if (v.cls != ValueClass::kFinite) return ceil_log2(v);
  const bool upper_half = (v.significand >> 62) == 3;
  const bool quirk = c.element.e8m0_quirk == E8m0Quirk::kMldtypesNearest ||
                     c.element.e8m0_quirk == E8m0Quirk::kOnnxNearest;
  const bool lifts = quirk && v.exponent == -c.format.scale.bias && !is_power_of_two(v);
  return v.exponent + (upper_half || lifts ? 1 : 0);
}

/// ceil(fl32(log2 v)), the ratio in binary32: torchao 0.18.
int rceil_log2f_exponent(const QuantizerConfig& c, const Unpacked& amax) {
  const RatioOp op = c.block.ratio_op == RatioOp::kExact ? RatioOp::kFp32Div : c.block.ratio_op;
  const Unpacked v = amax_over_largest(c, amax, op);
  return v.cls == ValueClass::kFinite ? log2f::ceil_exponent(fp32::round(v)) : ceil_log2(v);
}

/// Does amax at the scale of `floor` round (ties_to_even) beyond the largest element?
bool midmax_carries(const QuantizerConfig& c, const Unpacked& amax) {
  Unpacked scaled = amax;
  scaled.exponent = c.format.element.emax();
  return (encode(scaled, c.format.element, ElementPolicy{}, 0).flags & kFlagOverflow) != 0;
}

/// amax >= sqrt(2) * 2^e, by squaring.
bool reaches_root_two(const Unpacked& amax) {
  const Unpacked square = multiply(amax, amax);
  return square.exponent > 2 * amax.exponent;
}

/// The exponent of amax after adding R below the element's significand bits, binary32 bits.
int stochastic_exponent(const QuantizerConfig& c, const Unpacked& amax, std::uint32_t random) {
  const int m = c.format.element.rule_man_bits();
  const std::uint32_t mask = (std::uint32_t{1} << (23 - m)) - 1;
  return static_cast<int>((fp32::round(amax) + (random & mask)) >> 23) - 127;
}

ScaleChoice clamp_to_format(const QuantizerConfig& c, int unclamped) {
  const ScaleFormat& scale = c.format.scale;
  const std::uint64_t limit = c.format.scale_limit != 0 ? c.format.scale_limit : scale.max_code;
  // Code 00 of a format with a zero is no power of two.
  const int lowest = scale.zero == ZeroKind::kNone ? 0 : 1;
  const int top = static_cast<int>(limit);
  ScaleChoice choice{.unclamped = unclamped};
  choice.clamped = unclamped < lowest || unclamped > top;
  if (unclamped < lowest) {
    choice.code = static_cast<std::uint64_t>(lowest);
  } else if (unclamped <= top) {
    choice.code = static_cast<std::uint64_t>(unclamped);
  } else {
    choice.code =
        c.block.scale_sat == ScaleSat::kToNan && scale.has_nan() ? scale.canonical_nan : limit;
  }
  return choice;
}

/// One question to a rule.
struct Asked {
  const QuantizerConfig& c;
  const Unpacked& amax;
  std::uint32_t random;
  [[nodiscard]] int exponent() const { return amax.exponent; }
  [[nodiscard]] int emax() const { return emax_of(c); }
};

/// The exponent of the scale before any clamp, rule by rule: of amax, then e_max is taken from it,
/// or of a ratio, which has max_elem in it already.
template <ScaleRule kRule>
int exponent_by(const Asked& a) = delete;

template <>
int exponent_by<ScaleRule::kFloor>(const Asked& a) {
  return a.exponent() - a.emax();
}
template <>
int exponent_by<ScaleRule::kCeil>(const Asked& a) {
  return a.exponent() + (is_power_of_two(a.amax) ? 0 : 1) - a.emax();
}
template <>
int exponent_by<ScaleRule::kRceil>(const Asked& a) {
  return rceil_exponent(a.c, a.amax);
}
template <>
int exponent_by<ScaleRule::kEvenUp>(const Asked& a) {
  return a.exponent() + (even_carries(a.amax, a.c.format.element, Tie::kUp) ? 1 : 0) - a.emax();
}
template <>
int exponent_by<ScaleRule::kEvenDown>(const Asked& a) {
  return a.exponent() + (even_carries(a.amax, a.c.format.element, Tie::kDown) ? 1 : 0) - a.emax();
}
template <>
int exponent_by<ScaleRule::kFloorLog2f>(const Asked& a) {
  return floor_log2f(a.amax) - a.emax();
}
template <>
int exponent_by<ScaleRule::kCeilLog2f>(const Asked& a) {
  const bool beyond = a.exponent() > kMaxExponent;
  return (beyond ? a.exponent() : log2f::ceil_exponent(fp32::round(a.amax))) - a.emax();
}
template <>
int exponent_by<ScaleRule::kRceilLog2f>(const Asked& a) {
  return rceil_log2f_exponent(a.c, a.amax);
}
template <>
int exponent_by<ScaleRule::kNearestLog>(const Asked& a) {
  return a.exponent() + (reaches_root_two(a.amax) ? 1 : 0) - a.emax();
}
template <>
int exponent_by<ScaleRule::kNearestLog2f>(const Asked& a) {
  const bool beyond = a.exponent() > kMaxExponent;
  return (beyond ? a.exponent() : log2f::nearest_exponent(fp32::round(a.amax))) - a.emax();
}
template <>
int exponent_by<ScaleRule::kNearestVal>(const Asked& a) {
  return nearest_value_exponent(a.c, a.amax);
}
template <>
int exponent_by<ScaleRule::kMidmax>(const Asked& a) {
  return a.exponent() + (midmax_carries(a.c, a.amax) ? 1 : 0) - a.emax();
}
template <>
int exponent_by<ScaleRule::kStochExp>(const Asked& a) {
  const bool beyond = a.exponent() > kMaxExponent;
  return (beyond ? a.exponent() : stochastic_exponent(a.c, a.amax, a.random)) - a.emax();
}

constexpr auto kPowerChoosers = choosers<RuleKind::kPowerOfTwo, int (*)(const Asked&)>(
    []<ScaleRule kRule>() { return &exponent_by<kRule>; });

}  // namespace

int choose_exponent(const QuantizerConfig& c, const Unpacked& amax, std::uint32_t random) {
  return kPowerChoosers[static_cast<std::size_t>(c.block.rule)]({c, amax, random});
}

ScaleChoice choose_scale(const QuantizerConfig& c, const Unpacked& amax, std::uint32_t random) {
  if (!is_power_rule(c.block.rule)) return choose_real_scale(c, amax);
  const int exponent = choose_exponent(c, amax, random);
  const int unclamped = exponent + c.format.scale.bias;
  if (facts_of(c.block.rule).reads_even_carry && c.block.even_carry == EvenCarry::kToNan &&
      exponent + emax_of(c) > kMaxExponent) {
    return {.code = nan_scale_code(c.format.scale), .unclamped = unclamped, .clamped = true};
  }
  return clamp_to_format(c, unclamped);
}

Unpacked amax_over_largest(const QuantizerConfig& c, const Unpacked& amax, RatioOp op) {
  const Unpacked largest = largest_element(c.format.element);
  const auto inverse = [&](const ElementFormat& type) {
    return fp32::value(fp32::divide(fp32::kOne, fp32::round(divide_in(type, largest, amax))));
  };
  switch (op) {
    case RatioOp::kExact:
      break;
    case RatioOp::kFp32Div:
      return divide_in(formats::fp32, amax, largest);
    case RatioOp::kFp32RcpMul: {
      const Unpacked reciprocal = fp32::value(fp32::divide(fp32::kOne, fp32::round(largest)));
      return fp32::value(fp32::round(multiply(amax, reciprocal)));
    }
    case RatioOp::kHalfRcpMul:
      return fp32::value(fp32::round(multiply(amax, half_reciprocal(c))));
    case RatioOp::kBf16Div:
      return divide_in(formats::bf16, amax, largest);
    case RatioOp::kFp16Div:
      return divide_in(formats::fp16, amax, largest);
    case RatioOp::kFp32Inverse:
      return inverse(formats::fp32);
    case RatioOp::kBf16Inverse:
      return inverse(formats::bf16);
    case RatioOp::kFp16Inverse:
      return inverse(formats::fp16);
  }
  return exact_divide(amax, largest).value;
}

int flush_exponent(const QuantizerConfig& c, const Unpacked& amax) {
  return c.block.rule == ScaleRule::kFloorLog2f ? floor_log2f(amax) : amax.exponent;
}

}  // namespace mx
