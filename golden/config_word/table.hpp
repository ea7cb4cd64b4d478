// The configuration word of the hardware, s_axis_tuser[31:0] (spec R5.6): its fields and
// the meaning of every code. The C++ codec (config_word.hpp) and rtl/mx_pkg.sv (mx_pkg_gen) both
// come from this table; nobody types a code twice.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "reference/policy/policy.hpp"

namespace mx::golden {

/// A field of the word: its name as in the constants of mx_pkg, and the bits [lsb + width - 1 :
/// lsb].
struct ConfigWordField {
  std::string_view name;
  int lsb = 0;
  int width = 0;
};

namespace config_word_field {
inline constexpr ConfigWordField kFormat{"format", 0, 3};
inline constexpr ConfigWordField kRounding{"rounding", 3, 4};
inline constexpr ConfigWordField kRule{"rule", 7, 3};
inline constexpr ConfigWordField kSource{"source", 10, 2};
inline constexpr ConfigWordField kOverflow{"overflow", 12, 2};
inline constexpr ConfigWordField kAmaxOver{"amax_over", 14, 2};
inline constexpr ConfigWordField kInfBlock{"inf_block", 16, 1};
inline constexpr ConfigWordField kNanScaleCodes{"nan_scale_codes", 17, 1};
inline constexpr ConfigWordField kEvenCarry{"even_carry", 18, 1};
inline constexpr ConfigWordField kNan{"nan", 19, 3};
inline constexpr ConfigWordField kZeroBlockScale{"zero_block_scale", 22, 1};
inline constexpr ConfigWordField kScaleSat{"scale_sat", 23, 1};
inline constexpr ConfigWordField kIntMin{"int_min", 24, 1};
inline constexpr ConfigWordField kZeroSign{"zero_sign", 25, 1};
inline constexpr ConfigWordField kSrcFtz{"src_ftz", 26, 1};
}  // namespace config_word_field

/// Every field, lowest bit first, without gaps; the bits above the last one are zero.
inline constexpr std::array kConfigWordFields{
    config_word_field::kFormat,   config_word_field::kRounding,       config_word_field::kRule,
    config_word_field::kSource,   config_word_field::kOverflow,       config_word_field::kAmaxOver,
    config_word_field::kInfBlock, config_word_field::kNanScaleCodes,  config_word_field::kEvenCarry,
    config_word_field::kNan,      config_word_field::kZeroBlockScale, config_word_field::kScaleSat,
    config_word_field::kIntMin,   config_word_field::kZeroSign,       config_word_field::kSrcFtz};

/// Policy fields start here; PolicyMask bit n of the RTL enables the field that starts at bit 12 +
/// n.
inline constexpr int kPolicyLsb = 12;

// What code i of each field means. Codes beyond the end of a list are illegal.

/// Destination formats of the quantizer. The dequantizer has one more code, kNvfp4Code.
inline constexpr std::array<std::string_view, 6> kFormatCodes{"e4m3fn", "e5m2",   "e2m3fn",
                                                              "e3m2fn", "e2m1fn", "int8"};
inline constexpr std::uint32_t kNvfp4Code = kFormatCodes.size();
/// Source formats of the quantizer, result formats of the dequantizer.
inline constexpr std::array<std::string_view, 3> kSourceCodes{"fp32", "bf16", "fp16"};
/// The deterministic roundings; the code after the last one is the elaborated stochastic variant.
inline constexpr std::array kRoundingCodes{
    Rounding::kTiesToEven,         Rounding::kTiesToAway,   Rounding::kTiesToZero,
    Rounding::kTiesTowardPositive, Rounding::kTowardZero,   Rounding::kTowardNegative,
    Rounding::kTowardPositive,     Rounding::kAwayFromZero, Rounding::kToOdd};
inline constexpr std::uint32_t kStochasticCode = kRoundingCodes.size();
inline constexpr std::array kRuleCodes{ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil,
                                       ScaleRule::kEvenUp, ScaleRule::kEvenDown};
inline constexpr std::array kOverflowCodes{Overflow::kSatFinite, Overflow::kSatFiniteKeepInf,
                                           Overflow::kNoneInfOrNan};
inline constexpr std::array kAmaxOverCodes{AmaxOver::kAll, AmaxOver::kIgnoreNan,
                                           AmaxOver::kFiniteOnly};
inline constexpr std::array kInfBlockCodes{InfBlock::kScaleNan, InfBlock::kScaleMax};
inline constexpr std::array kNanScaleCodesCodes{NanScaleCodes::kDontCare, NanScaleCodes::kNan};
inline constexpr std::array kEvenCarryCodes{EvenCarry::kExact, EvenCarry::kToNan};
inline constexpr std::array kNanCodes{NanPolicy::kCanonicalPositive, NanPolicy::kKeepSign,
                                      NanPolicy::kToPositiveMax, NanPolicy::kToSignedMax,
                                      NanPolicy::kToOppositeZero};
inline constexpr std::array kZeroBlockScaleCodes{ZeroBlockScale::kCode00, ZeroBlockScale::kOne};
inline constexpr std::array kScaleSatCodes{ScaleSat::kClamp, ScaleSat::kToNan};
inline constexpr std::array kIntMinCodes{IntMin::kClampSymmetric, IntMin::kAllow};
inline constexpr std::array kZeroSignCodes{ZeroSign::kKeep, ZeroSign::kFlushPositive};
inline constexpr std::array kSrcFtzCodes{SourceSubnormals::kKeep, SourceSubnormals::kFlush};

// The word of rtl/dequantizer, s_axis_tuser[15:0] (spec R7.2). The scale code lies where the
// quantizer's status word has it.
namespace dequantizer_field {
inline constexpr ConfigWordField kScale{"deq_scale", 0, 8};
inline constexpr ConfigWordField kFormat{"deq_format", 8, 3};
inline constexpr ConfigWordField kResult{"deq_result", 11, 2};
inline constexpr ConfigWordField kOverflow{"deq_overflow", 13, 2};
}  // namespace dequantizer_field
inline constexpr std::array kDequantizerFields{
    dequantizer_field::kScale, dequantizer_field::kFormat, dequantizer_field::kResult,
    dequantizer_field::kOverflow};
inline constexpr std::array kDequantOverflowCodes{DequantOverflow::kInf, DequantOverflow::kSaturate,
                                                  DequantOverflow::kNan};

// The word of rtl/nvfp4, s_axis_tuser[32:0] (spec R7.1): a number and the source's code.
namespace nvfp4_field {
inline constexpr ConfigWordField kTensorScale{"tensor_scale", 0, 32};
inline constexpr ConfigWordField kSource{"source", 32, 1};
}  // namespace nvfp4_field
inline constexpr std::array kNvfp4Fields{nvfp4_field::kTensorScale, nvfp4_field::kSource};

// The word of rtl/dot, s_axis_tuser[63:0] (spec R7.3).
namespace dot_field {
inline constexpr ConfigWordField kScaleA{"scale_a", 0, 8};
inline constexpr ConfigWordField kScaleB{"scale_b", 8, 8};
inline constexpr ConfigWordField kFormatA{"format_a", 16, 3};
inline constexpr ConfigWordField kFormatB{"format_b", 19, 3};
inline constexpr ConfigWordField kAddend{"c", 32, 32};
}  // namespace dot_field
inline constexpr std::array kDotFields{dot_field::kScaleA, dot_field::kScaleB, dot_field::kFormatA,
                                       dot_field::kFormatB, dot_field::kAddend};

/// Bits of the status word m_axis_tuser[15:0] (spec R6); bits 7:0 are the scale code.
struct StatusBit {
  std::string_view name;
  int bit = 0;
};
inline constexpr std::array kStatusBits{StatusBit{"scale_clamped", 8}, StatusBit{"zero_block", 9},
                                        StatusBit{"has_inf", 10},      StatusBit{"has_nan", 11},
                                        StatusBit{"underflow", 12},    StatusBit{"saturated", 13}};

}  // namespace mx::golden
