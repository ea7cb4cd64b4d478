// Behaviours as orthogonal enums. One enum, one question; the tokens are those of spec F1.3,
// F9, F10 and F15, and are the only spelling that crosses a file or a command line.
#pragma once

#include <array>
#include <cstdint>

#include "reference/policy/scale_rule.hpp"
#include "reference/policy/token.hpp"

namespace mx {

/// What a rounding asks of the part that is cut off: is it beyond the middle, is there any, or does
/// it carry with a random word?
enum class RoundingKind : std::uint8_t { kNearest, kDirected, kStochastic };

/// What decides besides that part (in a tie, for the nearest ones).
enum class RoundingLooks : std::uint8_t { kFraction, kParity, kSign, kRandom };

struct RoundingFacts {
  RoundingKind kind;
  RoundingLooks looks;
};

/// Rounding of the magnitude, spec F9.1. The stochastic modes take random_bits N and
/// one unsigned random word R < 2^N for each element.
#define MX_ROUNDING(X)                                            \
  X(kTiesToEven, "ties_to_even", kNearest, kParity)               \
  X(kTiesToAway, "ties_to_away", kNearest, kFraction)             \
  X(kTiesToZero, "ties_to_zero", kNearest, kFraction)             \
  X(kTiesTowardPositive, "ties_toward_positive", kNearest, kSign) \
  X(kTowardZero, "toward_zero", kDirected, kFraction)             \
  X(kTowardNegative, "toward_negative", kDirected, kSign)         \
  X(kTowardPositive, "toward_positive", kDirected, kSign)         \
  X(kAwayFromZero, "away_from_zero", kDirected, kFraction)        \
  X(kToOdd, "to_odd", kDirected, kParity)                         \
  X(kStochasticA, "stochastic_a", kStochastic, kRandom)           \
  X(kStochasticB, "stochastic_b", kStochastic, kRandom)           \
  X(kStochasticC, "stochastic_c", kStochastic, kRandom)           \
  X(kStochasticCOdd, "stochastic_c_odd", kStochastic, kRandom)
MX_POLICY(Rounding, MX_ROUNDING);

#define MX_ROUNDING_FACTS(name, text, kind, looks) \
  RoundingFacts{RoundingKind::kind, RoundingLooks::looks},
inline constexpr std::array kRoundings = {MX_ROUNDING(MX_ROUNDING_FACTS)};
static_assert(kRoundings.size() == tokens<Rounding>().size());

[[nodiscard]] constexpr const RoundingFacts& facts_of(Rounding rounding) {
  return kRoundings[static_cast<std::size_t>(rounding)];
}

[[nodiscard]] constexpr bool is_stochastic(Rounding rounding) {
  return facts_of(rounding).kind == RoundingKind::kStochastic;
}

/// What becomes of a value beyond the largest finite one, and of an infinity: spec F10.1.
#define MX_OVERFLOW(X)                         \
  X(kSatFinite, "sat_finite")                  \
  X(kSatFiniteKeepInf, "sat_finite_keep_inf")  \
  X(kPropagateInf, "propagate_inf")            \
  X(kNoneInfOrNan, "none_inf_or_nan")          \
  X(kNoneP3109V4, "none_p3109_v4")             \
  X(kNoneP310920260714, "none_p3109_20260714") \
  X(kAlwaysInfOrNan, "always_inf_or_nan")
MX_POLICY(Overflow, MX_OVERFLOW);

/// The code of a NaN input: spec F10.3. Where the format has no NaN, canonical_positive acts as
/// to_positive_max and keep_sign as to_signed_max. to_min: the least number, as x86 has it.
#define MX_NAN_POLICY(X)                      \
  X(kCanonicalPositive, "canonical_positive") \
  X(kKeepSign, "keep_sign")                   \
  X(kToPositiveMax, "to_positive_max")        \
  X(kToSignedMax, "to_signed_max")            \
  X(kToOppositeZero, "to_opposite_zero")      \
  X(kToMin, "to_min")
MX_POLICY(NanPolicy, MX_NAN_POLICY);

/// Negative zero: spec F10.4.
#define MX_ZERO_SIGN(X)                                                                     \
  X(kKeep, "keep")                    /* -0 input and negative underflow keep their sign */ \
  X(kFlushPositive, "flush_positive") /* neither does */                                    \
  X(kFlushInput, "flush_input")       /* -0 input becomes +0, negative underflow stays -0 */
MX_POLICY(ZeroSign, MX_ZERO_SIGN);

/// A negative nonzero value for an unsigned destination: spec F8 step 4.
#define MX_UNSIGNED_NEGATIVE(X) \
  X(kMagnitude, "magnitude")    \
  X(kToNan, "to_nan")           \
  X(kToMin, "to_min")           \
  X(kSaturateRule, "saturate_rule")
MX_POLICY(UnsignedNegative, MX_UNSIGNED_NEGATIVE);

/// Zero for a destination without zero: spec F8 step 7.
#define MX_ZERO_IN(X)     \
  X(kMinCode, "min_code") \
  X(kNan, "nan")
MX_POLICY(ZeroIn, MX_ZERO_IN);

/// May the most negative two's complement code be produced?
#define MX_INT_MIN(X)                   \
  X(kClampSymmetric, "clamp_symmetric") \
  X(kAllow, "allow")
MX_POLICY(IntMin, MX_INT_MIN);

/// Subnormal sources become zeros of their sign.
#define MX_SOURCE_SUBNORMALS(X) \
  X(kKeep, "keep")              \
  X(kFlush, "flush")
MX_POLICY(SourceSubnormals, MX_SOURCE_SUBNORMALS);

/// Subnormal results become zero: `pre` tests the value before rounding, `post` the rounded one,
/// `post_unbounded` the value rounded as if the exponent had no end (tiny after rounding, x86).
#define MX_RESULT_SUBNORMALS(X)  \
  X(kKeep, "none")               \
  X(kFlushBeforeRounding, "pre") \
  X(kFlushAfterRounding, "post") \
  X(kFlushAfterUnboundedRounding, "post_unbounded")
MX_POLICY(ResultSubnormals, MX_RESULT_SUBNORMALS);

/// When a result counts as tiny: spec F8.1.
#define MX_TININESS(X)                \
  X(kAfterRounding, "after_rounding") \
  X(kBeforeRounding, "before_rounding")
MX_POLICY(Tininess, MX_TININESS);

/// Double rounding of other systems: x is first rounded ties_to_even to this format, or, below the
/// normals of the destination, to the destination's precision as if its exponent had no end (spec
/// F9.5).
#define MX_STAGING(X)     \
  X(kNone, "none")        \
  X(kViaFp16, "via_fp16") \
  X(kViaBf16, "via_bf16") \
  X(kViaFp32, "via_fp32") \
  X(kViaUnbounded, "via_unbounded")
MX_POLICY(Staging, MX_STAGING);

/// How amax / max_elem is computed by the ratio rules: spec F11.2. `_inverse`: as 1 / (max_elem /
/// amax), the outer division in binary32, the inner one in the type that is named.
#define MX_RATIO_OP(X)            \
  X(kExact, "exact")              \
  X(kFp32Div, "fp32_div")         \
  X(kFp32RcpMul, "fp32_rcp_mul")  \
  X(kHalfRcpMul, "half_rcp_mul")  \
  X(kBf16Div, "bf16_div")         \
  X(kFp16Div, "fp16_div")         \
  X(kFp32Inverse, "fp32_inverse") \
  X(kBf16Inverse, "bf16_inverse") \
  X(kFp16Inverse, "fp16_inverse")
MX_POLICY(RatioOp, MX_RATIO_OP);
/// A scale code above the largest one.
#define MX_SCALE_SAT(X)  \
  X(kClamp, "clamp_254") \
  X(kToNan, "to_nan")
MX_POLICY(ScaleSat, MX_SCALE_SAT);
/// even_up and even_down where the rounded maximum leaves the exponent range (reaches 2^128).
#define MX_EVEN_CARRY(X) \
  X(kExact, "exact")     \
  X(kToNan, "to_nan")
MX_POLICY(EvenCarry, MX_EVEN_CARRY);
/// Which elements the block maximum looks at.
#define MX_AMAX_OVER(X)       \
  X(kAll, "all")              \
  X(kIgnoreNan, "ignore_nan") \
  X(kFiniteOnly, "finite_only")
MX_POLICY(AmaxOver, MX_AMAX_OVER);
/// A block with a NaN under amax_over = all. kAllNan is said of systems without scale codes; as
/// codes it is kScaleNan. A scale format without NaN stores its largest code and the block is
/// flagged.
#define MX_NAN_BLOCK(X)     \
  X(kScaleNan, "scale_nan") \
  X(kAllNan, "all_nan")
MX_POLICY(NanBlock, MX_NAN_BLOCK);
/// A block whose maximum is infinite. kAsTwoTo128: as kAsE255, and infinite elements are numbers of
/// that magnitude too.
#define MX_INF_BLOCK(X)     \
  X(kScaleNan, "scale_nan") \
  X(kScaleMax, "scale_max") \
  X(kAllNan, "all_nan")     \
  X(kAsE255, "as_e255")     \
  X(kAsTwoTo128, "as_two_to_128")
MX_POLICY(InfBlock, MX_INF_BLOCK);
/// A block of zeros. kMinAmax: the rule at a maximum of 2^-126.
#define MX_ZERO_BLOCK_SCALE(X) \
  X(kCode00, "code_00")        \
  X(kMinNormal, "min_normal")  \
  X(kOne, "one")               \
  X(kMinAmax, "min_amax")
MX_POLICY(ZeroBlockScale, MX_ZERO_BLOCK_SCALE);
/// The smallest scale a real-valued rule may choose.
#define MX_SCALE_FLOOR(X) \
  X(kNone, "none")        \
  X(kMinNormal, "min_normal")
MX_POLICY(ScaleFloor, MX_SCALE_FLOOR);
/// Element codes under a NaN scale. kDontCare emits 0 and masks the codes in comparisons.
#define MX_NAN_SCALE_CODES(X) \
  X(kDontCare, "dont_care")   \
  X(kNan, "nan")              \
  X(kZero, "zero")            \
  X(kAsComputed, "as_computed")
MX_POLICY(NanScaleCodes, MX_NAN_SCALE_CODES);
/// How an element is brought to the scale: spec F12.1 step 7. kFp32DivNormal and kFp32MulOneAt00
/// are torchao 0.18's division by max(2^(s-127), 2^-126) and multiplication that takes s = 00
/// for 1.0 (spec F11.6).
#define MX_ELEM_SCALING(X)                                                              \
  X(kExact, "exact") /* exact_pow2 for power-of-two scales, exact_div for the others */ \
  X(kFp32Mul, "fp32_mul")                                                               \
  X(kFp32Div, "fp32_div")                                                               \
  X(kFp32DivNormal, "fp32_div_normal")                                                  \
  X(kFp32MulOneAt00, "fp32_mul_one_at_00")                                              \
  X(kSearchFp32, "search_fp32") /* the first code of least error, errors in binary32 (ggml) */
MX_POLICY(ElemScaling, MX_ELEM_SCALING);
/// nvfp4_4over6: the error that is compared and the largest block scale aimed at (spec F11.4).
#define MX_FOUR_OVER_SIX(X) \
  X(kMae448, "mae_448")     \
  X(kMse448, "mse_448")     \
  X(kMae256, "mae_256")     \
  X(kMse256, "mse_256")
MX_POLICY(FourOverSix, MX_FOUR_OVER_SIX);
/// Conversions to e8m0 that differ from nearest or upward at the lowest code: spec F11.5.
#define MX_E8M0_QUIRK(X)                  \
  X(kNone, "none")                        \
  X(kMldtypesNearest, "mldtypes_nearest") \
  X(kOnnxUp, "onnx_up")                   \
  X(kOnnxNearest, "onnx_nearest")
MX_POLICY(E8m0Quirk, MX_E8M0_QUIRK);
/// Blocks whose maximum is below 2^-126 become zero: spec F12.1 step 2.
#define MX_BLOCK_FLUSH(X) \
  X(kKeep, "keep")        \
  X(kFlush, "flush")
MX_POLICY(BlockFlush, MX_BLOCK_FLUSH);
/// scale * element beyond the output format's range: spec F12.2. kWrap: the exponent field keeps
/// its low bits, below the range too.
#define MX_DEQUANT_OVERFLOW(X) \
  X(kInf, "inf")               \
  X(kSaturate, "saturate")     \
  X(kNan, "nan")               \
  X(kWrap, "wrap")
MX_POLICY(DequantOverflow, MX_DEQUANT_OVERFLOW);

/// Everything that decides how one value becomes one code: spec F15, groups Rounding
/// to Subnormals. The defaults are the profile mxgold-default.
struct ElementPolicy {
  Rounding rounding = Rounding::kTiesToEven;
  int random_bits = 16;  ///< N of the stochastic modes, 1..32
  Overflow overflow = Overflow::kSatFinite;
  NanPolicy nan = NanPolicy::kCanonicalPositive;
  ZeroSign zero_sign = ZeroSign::kKeep;
  UnsignedNegative unsigned_negative = UnsignedNegative::kSaturateRule;
  ZeroIn zero_in = ZeroIn::kMinCode;
  IntMin int_min = IntMin::kClampSymmetric;
  SourceSubnormals src_ftz = SourceSubnormals::kKeep;
  ResultSubnormals dst_ftz = ResultSubnormals::kKeep;
  Tininess tininess = Tininess::kAfterRounding;
  Staging staging = Staging::kNone;
  /// Values that become codes of a format like e8m0, alone or as the scale of a block.
  E8m0Quirk e8m0_quirk = E8m0Quirk::kNone;
  constexpr bool operator==(const ElementPolicy&) const = default;
};

/// Is a word one that the policy's rounding can draw: R < 2^N where it is stochastic?
[[nodiscard]] constexpr bool is_drawn(const ElementPolicy& policy, std::uint32_t random) {
  return !is_stochastic(policy.rounding) || policy.random_bits >= 32 ||
         random >> policy.random_bits == 0;
}

/// Why a policy cannot be used ("" if it can).
[[nodiscard]] constexpr std::string_view problem_of(const ElementPolicy& policy) {
  return policy.random_bits < 1 || policy.random_bits > 32 ? "random_bits lies outside 1..32" : "";
}

/// How a block's scale is chosen and what special blocks become. The defaults are mxgold-default.
struct BlockPolicy {
  ScaleRule rule = ScaleRule::kFloor;
  RatioOp ratio_op = RatioOp::kExact;
  ScaleSat scale_sat = ScaleSat::kClamp;
  EvenCarry even_carry = EvenCarry::kExact;
  AmaxOver amax_over = AmaxOver::kAll;
  NanBlock nan_block = NanBlock::kScaleNan;
  InfBlock inf_block = InfBlock::kScaleNan;
  ZeroBlockScale zero_block_scale = ZeroBlockScale::kCode00;
  ScaleFloor scale_floor = ScaleFloor::kNone;
  NanScaleCodes nan_scale_codes = NanScaleCodes::kDontCare;
  ElemScaling elem_scaling = ElemScaling::kExact;
  FourOverSix four_over_six = FourOverSix::kMae448;
  Rounding scale_rounding = Rounding::kTiesToEven;  ///< maxabs_finite: projection of the maximum
  Overflow scale_overflow = Overflow::kSatFinite;   ///< maxabs_finite: its saturation
  BlockFlush src_daz_block = BlockFlush::kKeep;
  DequantOverflow dequant_overflow = DequantOverflow::kInf;
  constexpr bool operator==(const BlockPolicy&) const = default;
};

/// Flags of one conversion (spec F8.1) as bits.
enum Flag : std::uint8_t {
  kFlagInexact = 1,
  kFlagOverflow = 2,
  kFlagSaturated = 4,
  kFlagUnderflow = 8,
  kFlagInvalid = 16,
  kFlagToZero = 32,       ///< a finite nonzero input became a zero code
  kFlagDivideByZero = 64  ///< arithmetic only: an exact infinity from finite operands
};

}  // namespace mx
