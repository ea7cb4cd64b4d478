// The table of scale rules: what is to be known of a rule without computing it. Every question "is
// this one of the rules that ..." is answered here; what a rule computes stands in reference/block
// and, written again, in oracle/block.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "reference/policy/token.hpp"

namespace mx {

/// How a block's scale is chosen from its largest magnitude: spec F11.2 and F11.4.
#define MX_SCALE_RULE(X)                                                \
  X(kFloor, "floor")                                                    \
  X(kCeil, "ceil")                                                      \
  X(kRceil, "rceil")                                                    \
  X(kEvenUp, "even_up")                                                 \
  X(kEvenDown, "even_down")                                             \
  X(kFloorLog2f, "floor_log2f") /* floor of a binary32 log2 */          \
  X(kCeilLog2f, "ceil_log2f")   /* ceil of a binary32 log2 */           \
  X(kRceilLog2f, "rceil_log2f") /* torchao 0.18's RCEIL (spec F11.6) */ \
  X(kNearestLog, "nearest_log")                                         \
  X(kNearestLog2f, "nearest_log2f") /* FBGEMM's, in binary32 */         \
  X(kNearestVal, "nearest_val")                                         \
  X(kMidmax, "midmax")                                                  \
  X(kStochExp, "stoch_exp")                                             \
  X(kMaxabsFinite, "maxabs_finite")                                     \
  X(kNvfp4Exact, "nvfp4_exact")                                         \
  X(kNvfp4Te, "nvfp4_te")                                               \
  X(kNvfp4Torchao, "nvfp4_torchao")                                     \
  X(kNvfp4Cublas, "nvfp4_cublas")                                       \
  X(kNvfp4Ggml, "nvfp4_ggml")                                           \
  X(kNvfp44over6, "nvfp4_4over6")                                       \
  X(kNvfp4Modelopt, "nvfp4_modelopt")                                   \
  X(kNvfp4ModeloptStatic, "nvfp4_modelopt_static")                      \
  X(kNvfp4Ct, "nvfp4_ct") /* compressed-tensors */                      \
  X(kHif4, "hif4")                                                      \
  X(kFp32Tensor, "fp32_tensor")                                         \
  X(kFp32Block, "fp32_128")                                             \
  X(kSbfp, "sbfp")
MX_POLICY(ScaleRule, MX_SCALE_RULE);

/// Power of two (spec F11.2) or a number of a real-valued scale format (spec F11.4).
enum class RuleKind : std::uint8_t { kPowerOfTwo, kReal };

/// The block formats a rule is defined for.
enum class RuleFormats : std::uint8_t {
  kExponentScale,  ///< an unsigned float scale of exponent bits only
  kAnyScale,       ///< every scale format
  kFloatScale,     ///< a float scale
  kFp32Scale,
  kNvfp4,           ///< e2m1fn elements under ue4m3 scales
  kHifx4,           ///< the shape of hifx4, with its sublevels
  kIntegerElements  ///< integer elements without fraction bits
};

/// Who brings the elements to the scale.
enum class RuleElements : std::uint8_t {
  kByPolicy,  ///< elem_scaling
  kByRule,
  kByMaximum  ///< the rule divides by the block's maximum; elem_scaling where there is none
};

/// What a rule takes from the tensor level of two-level formats.
enum class RuleTensor : std::uint8_t { kNone, kScale, kAmax };

/// Which effect of e8m0_quirk (spec F11.5) a rule that rounds a ratio to a power of two takes up.
enum class RuleQuirk : std::uint8_t { kNone, kNearest, kUp };

struct ScaleRuleFacts {
  ScaleRule rule;
  RuleKind kind = RuleKind::kPowerOfTwo;
  RuleFormats formats = RuleFormats::kExponentScale;
  bool needs_fp32 = false;  ///< the source must fit binary32, whatever the other settings are
  bool draws = false;       ///< takes a random word for each block
  bool reads_ratio_op = false;
  bool reads_even_carry = false;
  bool reads_four_over_six = false;
  bool takes_every_block = false;  ///< finds its own finite maximum; no block is special to it
  bool rounds_to_away = false;     ///< rounds elements ties_to_away, whatever the policy says
  bool takes_zero_tensor_scale = false;  ///< a tensor scale of 0 has a meaning
  bool returns_in_fp32 = false;          ///< the way back rounds scales and products to binary32
  RuleQuirk quirk = RuleQuirk::kNone;
  RuleElements elements = RuleElements::kByPolicy;
  RuleTensor tensor = RuleTensor::kNone;
  /// In one sentence: what a power rule adds to the exponent floor(log2 amax) - e_max, where {bits}
  /// are the element's fraction bits and {max} is its largest value; what a real scale is.
  std::string_view text = {};
};

inline constexpr std::array kScaleRules = {
    ScaleRuleFacts{.rule = ScaleRule::kFloor, .text = "nothing is added"},
    ScaleRuleFacts{.rule = ScaleRule::kCeil, .text = "1 if amax is no power of two"},
    ScaleRuleFacts{.rule = ScaleRule::kRceil,
                   .reads_ratio_op = true,
                   .quirk = RuleQuirk::kUp,
                   .text = "1 if the fraction of amax exceeds that of the largest element {max}"},
    ScaleRuleFacts{
        .rule = ScaleRule::kEvenUp,
        .reads_even_carry = true,
        .text = "1 if amax rounded to {bits} fraction bits, ties up, reaches the next power of "
                "two"},
    ScaleRuleFacts{
        .rule = ScaleRule::kEvenDown,
        .reads_even_carry = true,
        .text = "1 if amax rounded to {bits} fraction bits, ties down, reaches the next power of "
                "two"},
    ScaleRuleFacts{.rule = ScaleRule::kFloorLog2f,
                   .needs_fp32 = true,
                   .text = "what a binary32 log2 that rounds up to the next whole number adds"},
    ScaleRuleFacts{.rule = ScaleRule::kCeilLog2f,
                   .needs_fp32 = true,
                   .text = "1 if the binary32 log2 of amax is no whole number"},
    ScaleRuleFacts{.rule = ScaleRule::kRceilLog2f,
                   .needs_fp32 = true,
                   .reads_ratio_op = true,
                   .text = "from the upward rounded binary32 log2 of amax / largest element"},
    ScaleRuleFacts{.rule = ScaleRule::kNearestLog,
                   .text = "1 if amax / 2^floor_log2(amax) is at least sqrt(2)"},
    ScaleRuleFacts{.rule = ScaleRule::kNearestLog2f,
                   .needs_fp32 = true,
                   .text = "1 if the binary32 log2 of amax plus one half reaches the next whole "
                           "number"},
    ScaleRuleFacts{.rule = ScaleRule::kNearestVal,
                   .reads_ratio_op = true,
                   .quirk = RuleQuirk::kNearest,
                   .text = "from the power of two nearest to amax / largest element, ties up"},
    ScaleRuleFacts{
        .rule = ScaleRule::kMidmax,
        .text = "1 if amax, rounded ties_to_even at the floor scale, exceeds the largest element "
                "{max}"},
    ScaleRuleFacts{.rule = ScaleRule::kStochExp,
                   .needs_fp32 = true,
                   .draws = true,
                   .text = "1 if the random word carries amax to the next power of two"},
    ScaleRuleFacts{.rule = ScaleRule::kMaxabsFinite,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kAnyScale,
                   .takes_every_block = true,
                   .text = "amax itself, rounded into the scale format"},
    ScaleRuleFacts{
        .rule = ScaleRule::kNvfp4Exact,
        .kind = RuleKind::kReal,
        .formats = RuleFormats::kFloatScale,
        .elements = RuleElements::kByRule,
        .tensor = RuleTensor::kScale,
        .text = "amax / (largest element * tensor scale), rounded once into the scale format"},
    ScaleRuleFacts{
        .rule = ScaleRule::kNvfp4Te,
        .kind = RuleKind::kReal,
        .formats = RuleFormats::kNvfp4,
        .needs_fp32 = true,
        .elements = RuleElements::kByRule,
        .tensor = RuleTensor::kAmax,
        .text = "amax * fl32(S_enc * fl32(1/6)) in binary32, then into the scale format"},
    ScaleRuleFacts{.rule = ScaleRule::kNvfp4Torchao,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kNvfp4,
                   .needs_fp32 = true,
                   .takes_zero_tensor_scale = true,
                   .returns_in_fp32 = true,
                   .elements = RuleElements::kByRule,
                   .tensor = RuleTensor::kScale,
                   .text = "fl32(amax / 6) / tensor scale in binary32, at least 2^-6, then into "
                           "the scale format"},
    ScaleRuleFacts{.rule = ScaleRule::kNvfp4Cublas,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kNvfp4,
                   .needs_fp32 = true,
                   .elements = RuleElements::kByRule,
                   .text = "fl32(amax / 6), then into the scale format"},
    ScaleRuleFacts{.rule = ScaleRule::kNvfp4Ggml,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kNvfp4,
                   .needs_fp32 = true,
                   .elements = RuleElements::kByRule,
                   .text = "fl32(amax / 6) by ggml's own rounding"},
    ScaleRuleFacts{.rule = ScaleRule::kNvfp44over6,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kNvfp4,
                   .needs_fp32 = true,
                   .reads_four_over_six = true,
                   .elements = RuleElements::kByRule,
                   .tensor = RuleTensor::kAmax,
                   .text = "amax / 6 or amax / 4, whichever leaves the smaller error"},
    ScaleRuleFacts{.rule = ScaleRule::kNvfp4Modelopt,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kNvfp4,
                   .needs_fp32 = true,
                   .takes_zero_tensor_scale = true,
                   .returns_in_fp32 = true,
                   .elements = RuleElements::kByRule,
                   .tensor = RuleTensor::kScale,
                   .text = "amax / fl32(6 * tensor scale) in binary32, at least 2^-9, 1 where that "
                           "is 0, then into the scale format"},
    ScaleRuleFacts{.rule = ScaleRule::kNvfp4ModeloptStatic,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kNvfp4,
                   .needs_fp32 = true,
                   .takes_zero_tensor_scale = true,
                   .returns_in_fp32 = true,
                   .elements = RuleElements::kByRule,
                   .tensor = RuleTensor::kAmax,
                   .text = "amax / 6, 1 where that is 0, times 448 over amax of the tensor / 6, "
                           "each step in binary32, at least 2^-9, then into the scale format"},
    ScaleRuleFacts{.rule = ScaleRule::kNvfp4Ct,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kNvfp4,
                   .needs_fp32 = true,
                   .elements = RuleElements::kByRule,
                   .tensor = RuleTensor::kAmax,
                   .text = "amax / 6 in the source's type times the global scale in binary32, then "
                           "into the scale format, 0.125 where that is 0"},
    ScaleRuleFacts{.rule = ScaleRule::kHif4,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kHifx4,
                   .rounds_to_away = true,
                   .elements = RuleElements::kByRule,
                   .text = "amax / 7 for 64 elements, a bit more for each 8 and each 4"},
    ScaleRuleFacts{.rule = ScaleRule::kFp32Tensor,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kFp32Scale,
                   .reads_ratio_op = true,
                   .text = "fl32(amax / largest element)"},
    ScaleRuleFacts{.rule = ScaleRule::kFp32Block,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kFp32Scale,
                   .reads_ratio_op = true,
                   .text = "fl32(amax / largest element)"},
    ScaleRuleFacts{.rule = ScaleRule::kSbfp,
                   .kind = RuleKind::kReal,
                   .formats = RuleFormats::kIntegerElements,
                   .elements = RuleElements::kByMaximum,
                   .text = "amax / largest element, rounded once into the scale format"}};

/// One row for each rule, in the order of the enum, whose columns fit together.
[[nodiscard]] constexpr bool is_sound(std::span<const ScaleRuleFacts> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool exponents = rows[i].formats == RuleFormats::kExponentScale;
    if (static_cast<std::size_t>(rows[i].rule) != i || rows[i].text.empty() ||
        exponents != (rows[i].kind == RuleKind::kPowerOfTwo)) {
      return false;
    }
  }
  return rows.size() == tokens<ScaleRule>().size();
}
static_assert(is_sound(kScaleRules), "a rule without a row, in another place or without a text");

[[nodiscard]] constexpr const ScaleRuleFacts& facts_of(ScaleRule rule) {
  return kScaleRules[static_cast<std::size_t>(rule)];
}

/// Does the rule choose a power of two?
[[nodiscard]] constexpr bool is_power_rule(ScaleRule rule) {
  return facts_of(rule).kind == RuleKind::kPowerOfTwo;
}

}  // namespace mx
