#include "reference/policy/policy.hpp"

namespace mx {
namespace {

constexpr std::array kRounding = {
    Token<Rounding>{Rounding::kTiesToEven, "ties_to_even"},
    Token<Rounding>{Rounding::kTiesToAway, "ties_to_away"},
    Token<Rounding>{Rounding::kTiesToZero, "ties_to_zero"},
    Token<Rounding>{Rounding::kTiesTowardPositive, "ties_toward_positive"},
    Token<Rounding>{Rounding::kTowardZero, "toward_zero"},
    Token<Rounding>{Rounding::kTowardNegative, "toward_negative"},
    Token<Rounding>{Rounding::kTowardPositive, "toward_positive"},
    Token<Rounding>{Rounding::kAwayFromZero, "away_from_zero"},
    Token<Rounding>{Rounding::kToOdd, "to_odd"},
    Token<Rounding>{Rounding::kStochasticA, "stochastic_a"},
    Token<Rounding>{Rounding::kStochasticB, "stochastic_b"},
    Token<Rounding>{Rounding::kStochasticC, "stochastic_c"},
    Token<Rounding>{Rounding::kStochasticCOdd, "stochastic_c_odd"}};
constexpr std::array kOverflow = {
    Token<Overflow>{Overflow::kSatFinite, "sat_finite"},
    Token<Overflow>{Overflow::kSatFiniteKeepInf, "sat_finite_keep_inf"},
    Token<Overflow>{Overflow::kPropagateInf, "propagate_inf"},
    Token<Overflow>{Overflow::kNoneInfOrNan, "none_inf_or_nan"},
    Token<Overflow>{Overflow::kNoneP3109V4, "none_p3109_v4"},
    Token<Overflow>{Overflow::kNoneP310920260714, "none_p3109_20260714"}};
constexpr std::array kNan = {Token<NanPolicy>{NanPolicy::kCanonicalPositive, "canonical_positive"},
                             Token<NanPolicy>{NanPolicy::kKeepSign, "keep_sign"},
                             Token<NanPolicy>{NanPolicy::kToPositiveMax, "to_positive_max"},
                             Token<NanPolicy>{NanPolicy::kToSignedMax, "to_signed_max"},
                             Token<NanPolicy>{NanPolicy::kToOppositeZero, "to_opposite_zero"}};
constexpr std::array kZeroSign = {Token<ZeroSign>{ZeroSign::kKeep, "keep"},
                                  Token<ZeroSign>{ZeroSign::kFlushPositive, "flush_positive"},
                                  Token<ZeroSign>{ZeroSign::kFlushInput, "flush_input"}};
constexpr std::array kUnsignedNegative = {
    Token<UnsignedNegative>{UnsignedNegative::kMagnitude, "magnitude"},
    Token<UnsignedNegative>{UnsignedNegative::kToNan, "to_nan"},
    Token<UnsignedNegative>{UnsignedNegative::kToMin, "to_min"},
    Token<UnsignedNegative>{UnsignedNegative::kSaturateRule, "saturate_rule"}};
constexpr std::array kZeroIn = {Token<ZeroIn>{ZeroIn::kMinCode, "min_code"},
                                Token<ZeroIn>{ZeroIn::kNan, "nan"}};
constexpr std::array kIntMin = {Token<IntMin>{IntMin::kClampSymmetric, "clamp_symmetric"},
                                Token<IntMin>{IntMin::kAllow, "allow"}};
constexpr std::array kSourceSubnormals = {
    Token<SourceSubnormals>{SourceSubnormals::kKeep, "keep"},
    Token<SourceSubnormals>{SourceSubnormals::kFlush, "flush"}};
constexpr std::array kResultSubnormals = {
    Token<ResultSubnormals>{ResultSubnormals::kKeep, "none"},
    Token<ResultSubnormals>{ResultSubnormals::kFlushBeforeRounding, "pre"},
    Token<ResultSubnormals>{ResultSubnormals::kFlushAfterRounding, "post"}};
constexpr std::array kTininess = {Token<Tininess>{Tininess::kAfterRounding, "after_rounding"},
                                  Token<Tininess>{Tininess::kBeforeRounding, "before_rounding"}};
constexpr std::array kStaging = {
    Token<Staging>{Staging::kNone, "none"}, Token<Staging>{Staging::kViaFp16, "via_fp16"},
    Token<Staging>{Staging::kViaBf16, "via_bf16"}, Token<Staging>{Staging::kViaFp32, "via_fp32"}};
constexpr std::array kScaleRule = {Token<ScaleRule>{ScaleRule::kFloor, "floor"},
                                   Token<ScaleRule>{ScaleRule::kCeil, "ceil"},
                                   Token<ScaleRule>{ScaleRule::kRceil, "rceil"},
                                   Token<ScaleRule>{ScaleRule::kEvenUp, "even_up"},
                                   Token<ScaleRule>{ScaleRule::kEvenDown, "even_down"},
                                   Token<ScaleRule>{ScaleRule::kFloorLog2f, "floor_log2f"},
                                   Token<ScaleRule>{ScaleRule::kCeilLog2f, "ceil_log2f"},
                                   Token<ScaleRule>{ScaleRule::kRceilLog2f, "rceil_log2f"},
                                   Token<ScaleRule>{ScaleRule::kNearestLog, "nearest_log"},
                                   Token<ScaleRule>{ScaleRule::kNearestVal, "nearest_val"},
                                   Token<ScaleRule>{ScaleRule::kMidmax, "midmax"},
                                   Token<ScaleRule>{ScaleRule::kStochExp, "stoch_exp"},
                                   Token<ScaleRule>{ScaleRule::kMaxabsFinite, "maxabs_finite"},
                                   Token<ScaleRule>{ScaleRule::kNvfp4Exact, "nvfp4_exact"},
                                   Token<ScaleRule>{ScaleRule::kNvfp4Te, "nvfp4_te"},
                                   Token<ScaleRule>{ScaleRule::kNvfp4Torchao, "nvfp4_torchao"},
                                   Token<ScaleRule>{ScaleRule::kNvfp4Cublas, "nvfp4_cublas"},
                                   Token<ScaleRule>{ScaleRule::kNvfp4Ggml, "nvfp4_ggml"},
                                   Token<ScaleRule>{ScaleRule::kNvfp44over6, "nvfp4_4over6"},
                                   Token<ScaleRule>{ScaleRule::kHif4, "hif4"},
                                   Token<ScaleRule>{ScaleRule::kFp32Tensor, "fp32_tensor"},
                                   Token<ScaleRule>{ScaleRule::kFp32Block, "fp32_128"},
                                   Token<ScaleRule>{ScaleRule::kSbfp, "sbfp"}};
constexpr std::array kRatioOp = {Token<RatioOp>{RatioOp::kExact, "exact"},
                                 Token<RatioOp>{RatioOp::kFp32Div, "fp32_div"},
                                 Token<RatioOp>{RatioOp::kFp32RcpMul, "fp32_rcp_mul"},
                                 Token<RatioOp>{RatioOp::kHalfRcpMul, "half_rcp_mul"}};
constexpr std::array kScaleSat = {Token<ScaleSat>{ScaleSat::kClamp, "clamp_254"},
                                  Token<ScaleSat>{ScaleSat::kToNan, "to_nan"}};
constexpr std::array kEvenCarry = {Token<EvenCarry>{EvenCarry::kExact, "exact"},
                                   Token<EvenCarry>{EvenCarry::kToNan, "to_nan"}};
constexpr std::array kAmaxOver = {Token<AmaxOver>{AmaxOver::kAll, "all"},
                                  Token<AmaxOver>{AmaxOver::kIgnoreNan, "ignore_nan"},
                                  Token<AmaxOver>{AmaxOver::kFiniteOnly, "finite_only"}};
constexpr std::array kNanBlock = {Token<NanBlock>{NanBlock::kScaleNan, "scale_nan"},
                                  Token<NanBlock>{NanBlock::kAllNan, "all_nan"}};
constexpr std::array kInfBlock = {Token<InfBlock>{InfBlock::kScaleNan, "scale_nan"},
                                  Token<InfBlock>{InfBlock::kScaleMax, "scale_max"},
                                  Token<InfBlock>{InfBlock::kAllNan, "all_nan"},
                                  Token<InfBlock>{InfBlock::kAsE255, "as_e255"}};
constexpr std::array kZeroBlockScale = {
    Token<ZeroBlockScale>{ZeroBlockScale::kCode00, "code_00"},
    Token<ZeroBlockScale>{ZeroBlockScale::kMinNormal, "min_normal"},
    Token<ZeroBlockScale>{ZeroBlockScale::kOne, "one"},
    Token<ZeroBlockScale>{ZeroBlockScale::kMinAmax, "min_amax"}};
constexpr std::array kScaleFloor = {Token<ScaleFloor>{ScaleFloor::kNone, "none"},
                                    Token<ScaleFloor>{ScaleFloor::kMinNormal, "min_normal"}};
constexpr std::array kNanScaleCodes = {
    Token<NanScaleCodes>{NanScaleCodes::kDontCare, "dont_care"},
    Token<NanScaleCodes>{NanScaleCodes::kNan, "nan"},
    Token<NanScaleCodes>{NanScaleCodes::kZero, "zero"},
    Token<NanScaleCodes>{NanScaleCodes::kAsComputed, "as_computed"}};
constexpr std::array kElemScaling = {
    Token<ElemScaling>{ElemScaling::kExact, "exact"},
    Token<ElemScaling>{ElemScaling::kFp32Mul, "fp32_mul"},
    Token<ElemScaling>{ElemScaling::kFp32Div, "fp32_div"},
    Token<ElemScaling>{ElemScaling::kFp32DivNormal, "fp32_div_normal"},
    Token<ElemScaling>{ElemScaling::kFp32MulOneAt00, "fp32_mul_one_at_00"},
    Token<ElemScaling>{ElemScaling::kSearchFp32, "search_fp32"}};
constexpr std::array kFourOverSix = {Token<FourOverSix>{FourOverSix::kMae448, "mae_448"},
                                     Token<FourOverSix>{FourOverSix::kMse448, "mse_448"},
                                     Token<FourOverSix>{FourOverSix::kMae256, "mae_256"},
                                     Token<FourOverSix>{FourOverSix::kMse256, "mse_256"}};
constexpr std::array kE8m0Quirk = {
    Token<E8m0Quirk>{E8m0Quirk::kNone, "none"},
    Token<E8m0Quirk>{E8m0Quirk::kMldtypesNearest, "mldtypes_nearest"},
    Token<E8m0Quirk>{E8m0Quirk::kOnnxUp, "onnx_up"},
    Token<E8m0Quirk>{E8m0Quirk::kOnnxNearest, "onnx_nearest"}};
constexpr std::array kBlockFlush = {Token<BlockFlush>{BlockFlush::kKeep, "keep"},
                                    Token<BlockFlush>{BlockFlush::kFlush, "flush"}};
constexpr std::array kDequantOverflow = {
    Token<DequantOverflow>{DequantOverflow::kInf, "inf"},
    Token<DequantOverflow>{DequantOverflow::kSaturate, "saturate"},
    Token<DequantOverflow>{DequantOverflow::kNan, "nan"}};

}  // namespace

// clang-format off
template <> std::span<const Token<Rounding>> tokens<Rounding>() { return kRounding; }
template <> std::span<const Token<Overflow>> tokens<Overflow>() { return kOverflow; }
template <> std::span<const Token<NanPolicy>> tokens<NanPolicy>() { return kNan; }
template <> std::span<const Token<ZeroSign>> tokens<ZeroSign>() { return kZeroSign; }
template <> std::span<const Token<UnsignedNegative>> tokens<UnsignedNegative>() { return kUnsignedNegative; }
template <> std::span<const Token<ZeroIn>> tokens<ZeroIn>() { return kZeroIn; }
template <> std::span<const Token<IntMin>> tokens<IntMin>() { return kIntMin; }
template <> std::span<const Token<SourceSubnormals>> tokens<SourceSubnormals>() { return kSourceSubnormals; }
template <> std::span<const Token<ResultSubnormals>> tokens<ResultSubnormals>() { return kResultSubnormals; }
template <> std::span<const Token<Tininess>> tokens<Tininess>() { return kTininess; }
template <> std::span<const Token<Staging>> tokens<Staging>() { return kStaging; }
template <> std::span<const Token<ScaleRule>> tokens<ScaleRule>() { return kScaleRule; }
template <> std::span<const Token<RatioOp>> tokens<RatioOp>() { return kRatioOp; }
template <> std::span<const Token<ScaleSat>> tokens<ScaleSat>() { return kScaleSat; }
template <> std::span<const Token<EvenCarry>> tokens<EvenCarry>() { return kEvenCarry; }
template <> std::span<const Token<AmaxOver>> tokens<AmaxOver>() { return kAmaxOver; }
template <> std::span<const Token<NanBlock>> tokens<NanBlock>() { return kNanBlock; }
template <> std::span<const Token<InfBlock>> tokens<InfBlock>() { return kInfBlock; }
template <> std::span<const Token<ZeroBlockScale>> tokens<ZeroBlockScale>() { return kZeroBlockScale; }
template <> std::span<const Token<ScaleFloor>> tokens<ScaleFloor>() { return kScaleFloor; }
template <> std::span<const Token<NanScaleCodes>> tokens<NanScaleCodes>() { return kNanScaleCodes; }
template <> std::span<const Token<ElemScaling>> tokens<ElemScaling>() { return kElemScaling; }
template <> std::span<const Token<FourOverSix>> tokens<FourOverSix>() { return kFourOverSix; }
template <> std::span<const Token<E8m0Quirk>> tokens<E8m0Quirk>() { return kE8m0Quirk; }
template <> std::span<const Token<BlockFlush>> tokens<BlockFlush>() { return kBlockFlush; }
template <> std::span<const Token<DequantOverflow>> tokens<DequantOverflow>() { return kDequantOverflow; }
// clang-format on

}  // namespace mx
