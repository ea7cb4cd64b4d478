// Behaviours as orthogonal enums. One enum, one question; the tokens are those of
// spec F1.3, F9, F10 and F15, and are the only spelling that crosses a file or a command line.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace mx {

/// Rounding of the magnitude, spec F9.1. The stochastic modes take random_bits N and
/// one unsigned random word R < 2^N for each element.
enum class Rounding : std::uint8_t {
  kTiesToEven,
  kTiesToAway,
  kTiesToZero,
  kTiesTowardPositive,
  kTowardZero,
  kTowardNegative,
  kTowardPositive,
  kAwayFromZero,
  kToOdd,
  kStochasticA,
  kStochasticB,
  kStochasticC,
  kStochasticCOdd
};

/// What becomes of a value beyond the largest finite one, and of an infinity: spec F10.1.
enum class Overflow : std::uint8_t {
  kSatFinite,
  kSatFiniteKeepInf,
  kPropagateInf,
  kNoneInfOrNan,
  kNoneP3109V4,
  kNoneP310920260714
};

/// The code of a NaN input: spec F10.3. Where the format has no NaN, canonical_positive acts as
/// to_positive_max and keep_sign as to_signed_max.
enum class NanPolicy : std::uint8_t {
  kCanonicalPositive,
  kKeepSign,
  kToPositiveMax,
  kToSignedMax,
  kToOppositeZero
};

/// Negative zero: spec F10.4.
enum class ZeroSign : std::uint8_t {
  kKeep,           ///< -0 input and negative underflow keep their sign
  kFlushPositive,  ///< neither does
  kFlushInput      ///< -0 input becomes +0, negative underflow stays -0
};

/// A negative nonzero value for an unsigned destination: spec F8 step 4.
enum class UnsignedNegative : std::uint8_t { kMagnitude, kToNan, kToMin, kSaturateRule };

/// Zero for a destination without zero: spec F8 step 7.
enum class ZeroIn : std::uint8_t { kMinCode, kNan };

/// May the most negative two's complement code be produced?
enum class IntMin : std::uint8_t { kClampSymmetric, kAllow };

/// Subnormal sources become zeros of their sign.
enum class SourceSubnormals : std::uint8_t { kKeep, kFlush };

/// Subnormal results become zero: `pre` tests the value before rounding, `post` the rounded one.
enum class ResultSubnormals : std::uint8_t { kKeep, kFlushBeforeRounding, kFlushAfterRounding };

/// When a result counts as tiny: spec F8.1.
enum class Tininess : std::uint8_t { kAfterRounding, kBeforeRounding };

/// Double rounding of other systems: x is first rounded ties_to_even to this format (spec F9.5).
enum class Staging : std::uint8_t { kNone, kViaFp16, kViaBf16, kViaFp32 };

/// How a block's scale is chosen from its largest magnitude: spec F11.2 and F11.4. The first
/// group chooses a power of two, the second a value of a real-valued scale format.
enum class ScaleRule : std::uint8_t {
  kFloor,
  kCeil,
  kRceil,
  kEvenUp,
  kEvenDown,
  kFloorLog2f,  ///< floor of a binary32 log2
  kCeilLog2f,   ///< ceil of a binary32 log2
  kRceilLog2f,  ///< ceil of a binary32 log2 of the ratio: torchao 0.18's RCEIL (spec F11.6)
  kNearestLog,
  kNearestVal,
  kMidmax,
  kStochExp,
  kMaxabsFinite,
  kNvfp4Exact,
  kNvfp4Te,
  kNvfp4Torchao,
  kNvfp4Cublas,
  kNvfp4Ggml,
  kNvfp44over6,
  kHif4,
  kFp32Tensor,
  kFp32Block,
  kSbfp  ///< amax / (2^(P-1) - 1), the elements by the unrounded ratio (dmx)
};

/// How amax / max_elem is computed by the ratio rules: spec F11.2.
enum class RatioOp : std::uint8_t { kExact, kFp32Div, kFp32RcpMul, kHalfRcpMul };
/// A scale code above the largest one.
enum class ScaleSat : std::uint8_t { kClamp, kToNan };
/// even_up and even_down where the rounded maximum leaves the exponent range (reaches 2^128).
enum class EvenCarry : std::uint8_t { kExact, kToNan };
/// Which elements the block maximum looks at.
enum class AmaxOver : std::uint8_t { kAll, kIgnoreNan, kFiniteOnly };
/// A block with a NaN under amax_over = all. kAllNan is said of systems without scale codes; as
/// codes it is kScaleNan. A scale format without NaN stores its largest code and the block is
/// flagged.
enum class NanBlock : std::uint8_t { kScaleNan, kAllNan };
/// A block whose maximum is infinite.
enum class InfBlock : std::uint8_t { kScaleNan, kScaleMax, kAllNan, kAsE255 };
/// A block of zeros. kMinAmax: the rule at a maximum of 2^-126.
enum class ZeroBlockScale : std::uint8_t { kCode00, kMinNormal, kOne, kMinAmax };
/// The smallest scale a real-valued rule may choose.
enum class ScaleFloor : std::uint8_t { kNone, kMinNormal };
/// Element codes under a NaN scale. kDontCare emits 0 and masks the codes in comparisons.
enum class NanScaleCodes : std::uint8_t { kDontCare, kNan, kZero, kAsComputed };
/// How an element is brought to the scale: spec F12.1 step 7. kFp32DivNormal and kFp32MulOneAt00
/// are torchao 0.18's division by max(2^(s-127), 2^-126) and multiplication that takes s = 00
/// for 1.0 (spec F11.6).
enum class ElemScaling : std::uint8_t {
  kExact,  ///< exact_pow2 for power-of-two scales, exact_div for the others
  kFp32Mul,
  kFp32Div,
  kFp32DivNormal,
  kFp32MulOneAt00,
  kSearchFp32  ///< the first code of least error, errors in binary32 (ggml)
};
/// nvfp4_4over6: the error that is compared and the largest block scale aimed at (spec F11.4).
enum class FourOverSix : std::uint8_t { kMae448, kMse448, kMae256, kMse256 };
/// Conversions to e8m0 that differ from nearest or upward at the lowest code: spec F11.5.
enum class E8m0Quirk : std::uint8_t { kNone, kMldtypesNearest, kOnnxUp, kOnnxNearest };
/// Blocks whose maximum is below 2^-126 become zero: spec F12.1 step 2.
enum class BlockFlush : std::uint8_t { kKeep, kFlush };
/// scale * element beyond the output format's range: spec F12.2.
enum class DequantOverflow : std::uint8_t { kInf, kSaturate, kNan };

/// A policy value and its token.
template <typename E>
struct Token {
  E value;
  std::string_view text;
};

/// All values of a policy with their tokens, in declaration order.
template <typename E>
[[nodiscard]] std::span<const Token<E>> tokens();

template <>
std::span<const Token<Rounding>> tokens<Rounding>();
template <>
std::span<const Token<Overflow>> tokens<Overflow>();
template <>
std::span<const Token<NanPolicy>> tokens<NanPolicy>();
template <>
std::span<const Token<ZeroSign>> tokens<ZeroSign>();
template <>
std::span<const Token<UnsignedNegative>> tokens<UnsignedNegative>();
template <>
std::span<const Token<ZeroIn>> tokens<ZeroIn>();
template <>
std::span<const Token<IntMin>> tokens<IntMin>();
template <>
std::span<const Token<SourceSubnormals>> tokens<SourceSubnormals>();
template <>
std::span<const Token<ResultSubnormals>> tokens<ResultSubnormals>();
template <>
std::span<const Token<Tininess>> tokens<Tininess>();
template <>
std::span<const Token<Staging>> tokens<Staging>();
template <>
std::span<const Token<ScaleRule>> tokens<ScaleRule>();
template <>
std::span<const Token<RatioOp>> tokens<RatioOp>();
template <>
std::span<const Token<ScaleSat>> tokens<ScaleSat>();
template <>
std::span<const Token<EvenCarry>> tokens<EvenCarry>();
template <>
std::span<const Token<AmaxOver>> tokens<AmaxOver>();
template <>
std::span<const Token<NanBlock>> tokens<NanBlock>();
template <>
std::span<const Token<InfBlock>> tokens<InfBlock>();
template <>
std::span<const Token<ZeroBlockScale>> tokens<ZeroBlockScale>();
template <>
std::span<const Token<ScaleFloor>> tokens<ScaleFloor>();
template <>
std::span<const Token<NanScaleCodes>> tokens<NanScaleCodes>();
template <>
std::span<const Token<ElemScaling>> tokens<ElemScaling>();
template <>
std::span<const Token<FourOverSix>> tokens<FourOverSix>();
template <>
std::span<const Token<E8m0Quirk>> tokens<E8m0Quirk>();
template <>
std::span<const Token<BlockFlush>> tokens<BlockFlush>();
template <>
std::span<const Token<DequantOverflow>> tokens<DequantOverflow>();

/// The token of a value; "" for a value outside the enum.
template <typename E>
[[nodiscard]] std::string_view token_of(E value) {
  for (const Token<E>& token : tokens<E>()) {
    if (token.value == value) return token.text;
  }
  return {};
}

/// The value of a token, if it is one.
template <typename E>
[[nodiscard]] std::optional<E> parse_token(std::string_view text) {
  for (const Token<E>& token : tokens<E>()) {
    if (token.text == text) return token.value;
  }
  return std::nullopt;
}

[[nodiscard]] constexpr bool is_stochastic(Rounding rounding) {
  return rounding >= Rounding::kStochasticA;
}

/// Does the rule choose a power of two (spec F11.2), not a real-valued scale (spec F11.4)?
[[nodiscard]] constexpr bool is_power_rule(ScaleRule rule) {
  return rule < ScaleRule::kMaxabsFinite;
}

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
  constexpr bool operator==(const ElementPolicy&) const = default;
};

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
  E8m0Quirk e8m0_quirk = E8m0Quirk::kNone;
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
