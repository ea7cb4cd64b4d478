// mxgold's own default, the OCP specifications, the P3109 working group, Arm's TOSA.
#include <array>

#include "reference/profiles/data.hpp"

namespace mx::profile_data {
namespace {

constexpr std::string_view kAnySource = "fp64 fp32 tf32 bf16 fp16";

// ---- mxgold-default ----

constexpr ElementRow kDefaultElements[] = {
    {.destinations = "*", .sources = "*", .policy_of_destination = true}};
constexpr BlockRow kDefaultBlocks[] = {{.formats = "*", .sources = "*", .rule_of_format = true}};

// ---- OCP MX 1.0: what it leaves open is masked (spec F11.7) ----

constexpr ProfileVariant kOcpFp8Variants[] = {{"nosat", "overflow=none_inf_or_nan"}};

constexpr ElementRow kOcpElements[] = {
    {.destinations = "e4m3fn",
     .sources = kAnySource,
     .variants = kOcpFp8Variants,
     .masks = kMaskNegativeNan},
    {.destinations = "e5m2", .sources = kAnySource, .variants = kOcpFp8Variants, .masks = kMaskNan},
    {.destinations = "e2m3fn e3m2fn e2m1fn", .sources = kAnySource, .masks = kMaskNan},
    {.destinations = "int8",
     .sources = kAnySource,
     .masks = kMaskNan | kMaskInf | kMaskNegativeOverflow}};

constexpr Masks kOcpOpen = kMaskNanBlock | kMaskInfBlock | kMaskZeroBlock | kMaskClampedScale;

constexpr BlockRow kOcpBlocks[] = {
    {.formats = "mxfp8_e4m3 mxfp8_e5m2 mxfp6_e3m2 mxfp6_e2m3 mxfp4",
     .sources = kAnySource,
     .masks = kOcpOpen},
    {.formats = "mxint8", .sources = kAnySource, .masks = kOcpOpen | kMaskNegativeOverflowLanes}};

// ---- P3109: every rounding and saturation mode of the report is an option of each operation ----

constexpr ElementPolicy kP3109 = {.overflow = Overflow::kNoneP3109V4,
                                  .zero_sign = ZeroSign::kFlushPositive};
constexpr ElementPolicy kP3109Formal = {.overflow = Overflow::kNoneP310920260714,
                                        .zero_sign = ZeroSign::kFlushPositive};

constexpr ProfileVariant kP3109Variants[] = {{"sat_finite", "overflow=sat_finite"},
                                             {"sat_propagate", "overflow=propagate_inf"},
                                             {"ties_to_away", "rounding=ties_to_away"},
                                             {"toward_zero", "rounding=toward_zero"},
                                             {"toward_positive", "rounding=toward_positive"},
                                             {"toward_negative", "rounding=toward_negative"},
                                             {"to_odd", "rounding=to_odd"},
                                             {"stochastic_a", "rounding=stochastic_a"},
                                             {"stochastic_b", "rounding=stochastic_b"},
                                             {"stochastic_c", "rounding=stochastic_c"}};

constexpr ProfileVariant kP3109BlockVariants[] = {
    {"sat_finite", "overflow=sat_finite"},
    {"sat_propagate", "overflow=propagate_inf"},
    {"scale_sat_finite", "scale_overflow=sat_finite"},
    {"scale_toward_positive", "scale_rounding=toward_positive"},
    {"scale_toward_zero", "scale_rounding=toward_zero"},
    {"toward_zero", "rounding=toward_zero"}};

constexpr ElementRow kP3109Elements[] = {{.destinations = "binary*",
                                          .sources = kAnySource,
                                          .policy = kP3109,
                                          .variants = kP3109Variants}};

constexpr ElementRow kP3109FormalElements[] = {{.destinations = "binary*",
                                                .sources = kAnySource,
                                                .policy = kP3109Formal,
                                                .variants = kP3109Variants}};

constexpr BlockPolicy p3109_block(Overflow scale_overflow) {
  return {.rule = ScaleRule::kMaxabsFinite,
          .amax_over = AmaxOver::kFiniteOnly,
          .nan_scale_codes = NanScaleCodes::kNan,
          .scale_overflow = scale_overflow};
}

constexpr BlockRow kP3109Blocks[] = {{.formats = "binary*",
                                      .sources = kAnySource,
                                      .element = kP3109,
                                      .block = p3109_block(Overflow::kNoneP3109V4),
                                      .variants = kP3109BlockVariants}};

constexpr BlockRow kP3109FormalBlocks[] = {{.formats = "binary*",
                                            .sources = kAnySource,
                                            .element = kP3109Formal,
                                            .block = p3109_block(Overflow::kNoneP310920260714),
                                            .variants = kP3109BlockVariants}};

// ---- TOSA 1.1: what its reference model answers ----

constexpr std::uint64_t kTosaE5m2Nan = 0x7E;

/// A cast does not saturate, and keeps the sign of a NaN.
constexpr ElementPolicy kTosa = {.overflow = Overflow::kNoneInfOrNan, .nan = NanPolicy::kKeepSign};
constexpr ElementPolicy kTosaInt8 = {.int_min = IntMin::kAllow};

/// Of e4m3fn -Inf is FF and a finite value beyond -464 is 7F: the specification asks for a NaN.
constexpr ElementRow kTosaElements[] = {
    {.destinations = "e4m3fn", .policy = kTosa, .masks = kMaskNegativeOverflow},
    {.destinations = "e5m2", .policy = kTosa, .canonical_nan = kTosaE5m2Nan}};

constexpr BlockPolicy tosa_block(NanScaleCodes codes) {
  return {.rule = ScaleRule::kMidmax, .nan_scale_codes = codes};
}

/// Under scale FF a NaN element of FP8 keeps its sign, all others are positive NaNs.
constexpr BlockRow kTosaBlocks[] = {
    {.formats = "mxfp8_e4m3",
     .element = kTosa,
     .block = tosa_block(NanScaleCodes::kNan),
     .masks = kMaskSpecialLanes},
    {.formats = "mxfp8_e5m2",
     .element = kTosa,
     .block = tosa_block(NanScaleCodes::kNan),
     .masks = kMaskSpecialLanes,
     .canonical_nan = kTosaE5m2Nan},
    {.formats = "mxfp6_e3m2 mxfp6_e2m3 mxfp4", .block = tosa_block(NanScaleCodes::kDontCare)},
    {.formats = "mxint8", .element = kTosaInt8, .block = tosa_block(NanScaleCodes::kDontCare)}};

constexpr Profile kStandardsProfiles[] = {
    {.name = "mxgold-default",
     .system = "mxgold",
     .version = "1",
     .source = "spec F16",
     .description = "this project's choice where standards are silent; every format, each block "
                    "format by its own rule",
     .elements = kDefaultElements,
     .blocks = kDefaultBlocks},
    {.name = "ocp-mx-1.0",
     .system = "OCP Microscaling Formats",
     .version = "1.0",
     .source = "OCP MX 1.0, sections 5 and 6, and OFP8 1.0, second-hand (spec F11.7)",
     .description = "rule floor is a should; scales of special and out-of-range blocks, NaN codes "
                    "and the int8 code 80 are left open, so masked",
     .elements = kOcpElements,
     .blocks = kOcpBlocks},
    {.name = "p3109-4.0",
     .system = "IEEE P3109",
     .version = "interim report v4.0, 26 Jun 2026",
     .source = "P3109/Public @26df0d0, sections 4.7 and 5.2.3",
     .description = "SatNone and ties_to_even by default; ConvertToBlockMaxAbsFinite for blocks, "
                    "scale projected with ties_to_even",
     .elements = kP3109Elements,
     .blocks = kP3109Blocks},
    {.name = "p3109-formal-20260714",
     .system = "IEEE P3109",
     .version = "formal specification, 14 Jul 2026",
     .source = "imandra-ai/ieee-p3109:specification/specification.iml @7b6f5ba",
     .description = "as p3109-4.0, but SatNone overflow of a finite domain is NaN",
     .elements = kP3109FormalElements,
     .blocks = kP3109FormalBlocks},
    {.name = "tosa-1.1",
     .system = "TOSA reference model",
     .version = "1.1 draft, tosa-tools 2026.8.0",
     .source = "tosa-tools 2026.8.0: tosa_reference_model, "
               "arm/tosa-specification:pseudocode/library/type_conversion_helpers.tosac @cd5acdd",
     .description = "midmax, no saturation; the specification accepts neighbours of these answers "
                    "too; a negative value overflows to a NaN of e4m3fn whose sign is open, so "
                    "masked",
     .elements = kTosaElements,
     .blocks = kTosaBlocks}};

}  // namespace

std::span<const Profile> standards() { return kStandardsProfiles; }

}  // namespace mx::profile_data
