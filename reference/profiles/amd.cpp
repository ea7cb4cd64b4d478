// AMD: the host functions of its HIP headers, and the quantizer Quark.
#include "reference/profiles/data.hpp"

namespace mx::profile_data {
namespace {

// ---- The header of OCP formats; N of the stochastic rounding is the difference in bits ----

constexpr ElementPolicy kOcpFp8Policy = {.overflow = Overflow::kNoneInfOrNan,
                                         .nan = NanPolicy::kKeepSign};
constexpr ElementPolicy kOcpSmall = {.nan = NanPolicy::kToSignedMax};

/// MODE.FP16_OVFL = 1 clamps. The header's functions under `sat = true`, which their callers ask
/// for, clamp to e5m2 and not to e4m3fn.
constexpr std::string_view kClamps = "overflow=sat_finite";
constexpr std::string_view kClampsNot = "overflow=none_inf_or_nan";
constexpr ProfileVariant kSr32M3[] = {{"fp16_ovfl", kClamps},
                                      {"sr", "rounding=stochastic_a random_bits=20"}};
constexpr ProfileVariant kSr32M2[] = {{"fp16_ovfl", kClamps},
                                      {"sr", "rounding=stochastic_a random_bits=21"}};
constexpr ProfileVariant kSr32Small3[] = {{"sr", "rounding=stochastic_a random_bits=20"}};
constexpr ProfileVariant kSr32Small2[] = {{"sr", "rounding=stochastic_a random_bits=21"}};
constexpr ProfileVariant kSr32M1[] = {{"sr", "rounding=stochastic_a random_bits=22"}};
constexpr ProfileVariant kSrHalfM3[] = {{"fp16_ovfl", kClamps},
                                        {"sr", "rounding=stochastic_a random_bits=7"}};
constexpr ProfileVariant kSrHalfM2[] = {{"fp16_ovfl", kClamps},
                                        {"sr", "rounding=stochastic_a random_bits=8"}};
constexpr ProfileVariant kSrHalfSmall3[] = {{"sr", "rounding=stochastic_a random_bits=7"}};
constexpr ProfileVariant kSrHalfSmall2[] = {{"sr", "rounding=stochastic_a random_bits=8"}};
constexpr ProfileVariant kSrHalfM1[] = {{"sr", "rounding=stochastic_a random_bits=9"}};
constexpr ProfileVariant kSr16M3[] = {{"fp16_ovfl", kClamps},
                                      {"sr", "rounding=stochastic_a random_bits=4"}};
constexpr ProfileVariant kSr16M2[] = {{"fp16_ovfl", kClamps},
                                      {"sr", "rounding=stochastic_a random_bits=5"}};
constexpr ProfileVariant kSr16Small3[] = {{"sr", "rounding=stochastic_a random_bits=4"}};
constexpr ProfileVariant kSr16Small2[] = {{"sr", "rounding=stochastic_a random_bits=5"}};
constexpr ProfileVariant kSr16M1[] = {{"sr", "rounding=stochastic_a random_bits=6"}};

constexpr ElementRow ocp(std::string_view destination, std::string_view source,
                         const ElementPolicy& policy, std::span<const ProfileVariant> variants) {
  ElementRow row{.destinations = destination,
                 .sources = source,
                 .policy = policy,
                 .variants = variants,
                 .random_source = RandomSource::kAmdTopBits};
  if (destination == "e5m2") row.canonical_nan = 0x7E;
  return row;
}

constexpr ElementRow kOcpHipElements[] = {ocp("e4m3fn", "fp32", kOcpFp8Policy, kSr32M3),
                                          ocp("e4m3fn", "bf16", kOcpFp8Policy, kSr16M3),
                                          ocp("e4m3fn", "fp16", kOcpFp8Policy, kSrHalfM3),
                                          ocp("e5m2", "fp32", kOcpFp8Policy, kSr32M2),
                                          ocp("e5m2", "bf16", kOcpFp8Policy, kSr16M2),
                                          ocp("e5m2", "fp16", kOcpFp8Policy, kSrHalfM2),
                                          ocp("e2m3fn", "fp32", kOcpSmall, kSr32Small3),
                                          ocp("e2m3fn", "bf16", kOcpSmall, kSr16Small3),
                                          ocp("e2m3fn", "fp16", kOcpSmall, kSrHalfSmall3),
                                          ocp("e3m2fn", "fp32", kOcpSmall, kSr32Small2),
                                          ocp("e3m2fn", "bf16", kOcpSmall, kSr16Small2),
                                          ocp("e3m2fn", "fp16", kOcpSmall, kSrHalfSmall2),
                                          ocp("e2m1fn", "fp32", kOcpSmall, kSr32M1),
                                          ocp("e2m1fn", "bf16", kOcpSmall, kSr16M1),
                                          ocp("e2m1fn", "fp16", kOcpSmall, kSrHalfM1)};

// ---- The header of FP8 types: FNUZ for gfx942, OCP for later devices ----

constexpr ElementPolicy kFnuzPolicy = {.overflow = Overflow::kSatFiniteKeepInf};
constexpr ElementPolicy kFp8 = {.overflow = Overflow::kSatFiniteKeepInf,
                                .nan = NanPolicy::kKeepSign};

/// Without saturation everything above the largest value overflows, before it is rounded.
constexpr ProfileVariant kFnuzVariants[] = {{"nosat", kClampsNot, kMaskOverflow},
                                            {"f9f995c", "overflow=sat_finite nan=to_signed_max"}};
constexpr ProfileVariant kFp8Variants[] = {{"nosat", kClampsNot, kMaskOverflow},
                                           {"f9f995c", kClamps}};

/// Far below the smallest value, shifts by 64 bits and more are undefined; binary16 has no such
/// values.
constexpr ElementRow kFp8Elements[] = {
    {.destinations = "e4m3fnuz e5m2fnuz",
     .sources = "fp32 bf16",
     .policy = kFnuzPolicy,
     .variants = kFnuzVariants,
     .masks = kMaskBelowLowest},
    {.destinations = "e4m3fnuz e5m2fnuz",
     .sources = "fp16",
     .policy = kFnuzPolicy,
     .variants = kFnuzVariants},
    {.destinations = "e4m3fn e5m2",
     .sources = "fp32 bf16",
     .policy = kFp8,
     .variants = kFp8Variants,
     .masks = kMaskBelowLowest},
    {.destinations = "e4m3fn e5m2", .sources = "fp16", .policy = kFp8, .variants = kFp8Variants}};

// ---- Quark: values that are quantized and brought back, on the CPU ----

constexpr ElementPolicy kQuarkFp8 = {.nan = NanPolicy::kKeepSign};
/// What becomes zero loses its sign.
constexpr ElementPolicy kQuarkSmall = {.zero_sign = ZeroSign::kFlushPositive};

constexpr ElementRow kQuarkElements[] = {
    {.destinations = "e4m3fn e5m2", .sources = "fp32 fp16", .policy = kQuarkFp8},
    // The sign of a bfloat16 NaN is not kept by torch's clamp.
    {.destinations = "e4m3fn e5m2", .sources = "bf16", .policy = kQuarkFp8, .masks = kMaskNan},
    {.destinations = "e2m3fn e3m2fn e2m1fn", .policy = kQuarkSmall, .masks = kMaskNan | kMaskInf},
    {.destinations = "ue5m3",
     .policy = {.unsigned_negative = UnsignedNegative::kToMin},
     .masks = kMaskNan}};

/// A maximum that is carried to 2^128 takes the largest scale, which no even_carry does.
constexpr BlockPolicy kQuarkEven = {.rule = ScaleRule::kEvenUp, .inf_block = InfBlock::kScaleMax};

/// Blocks of zeros get 2^-23, and what would be a scale below 2^-127 stays one.
constexpr Masks kQuarkOpen = kMaskZeroBlock | kMaskInfBlock | kMaskClampedScale;
constexpr ProfileVariant kQuarkRules[] = {{"floor", "rule=floor_log2f", kQuarkOpen},
                                          {"ceil", "rule=ceil_log2f", kQuarkOpen}};

constexpr Masks kQuarkSmallOpen = kMaskHugeBlock | kMaskInfBlockCodes;

/// The other rules take the log2 of bfloat16 and binary16 tensors in their own type.
constexpr BlockRow kQuarkBlocks[] = {{.formats = "mxfp8_e4m3 mxfp8_e5m2",
                                      .sources = "fp32",
                                      .element = kQuarkFp8,
                                      .block = kQuarkEven,
                                      .variants = kQuarkRules,
                                      .masks = kMaskHugeBlock},
                                     {.formats = "mxfp8_e4m3 mxfp8_e5m2",
                                      .sources = "bf16 fp16",
                                      .element = kQuarkFp8,
                                      .block = kQuarkEven,
                                      .masks = kMaskHugeBlock},
                                     {.formats = "mxfp6_e3m2 mxfp6_e2m3 mxfp4",
                                      .sources = "fp32",
                                      .element = kQuarkSmall,
                                      .block = kQuarkEven,
                                      .variants = kQuarkRules,
                                      .masks = kQuarkSmallOpen},
                                     {.formats = "mxfp6_e3m2 mxfp6_e2m3 mxfp4",
                                      .sources = "bf16 fp16",
                                      .element = kQuarkSmall,
                                      .block = kQuarkEven,
                                      .masks = kQuarkSmallOpen}};

constexpr Profile kAmdProfiles[] = {
    {.name = "amd-gfx950-host",
     .system = "AMD HIP host header",
     .version = "@20d6c1c",
     .source = "ROCm/rocm-systems:amd_hip_ocp_host.hpp @20d6c1c",
     .description = "no saturation by default; under sat = true its functions are fp16_ovfl to "
                    "e5m2, and as by default to e4m3fn",
     .elements = kOcpHipElements},
    {.name = "amd-gfx942-host",
     .system = "AMD HIP header of FP8 types, on the host",
     .version = "@a853242",
     .source = "ROCm/rocm-systems:amd_hip_fp8.h @a853242, ROCm/clr:amd_hip_fp8.h @f9f995c "
               "(variant f9f995c)",
     .description = "FNUZ formats of gfx942, and the OCP ones that it converts too; saturates "
                    "finite values by default; binary32 and bfloat16 values below the smallest "
                    "one, whose shifts may be undefined, are masked, and overflow without "
                    "saturation, which is found before rounding",
     .elements = kFp8Elements},
    {.name = "quark-0.13",
     .system = "AMD Quark",
     .version = "0.13",
     .source = "amd-quark 0.13: quark/torch/quantization/utils.py, "
               "quark/torch/kernel/hw_emulation/hw_emulation_interface.py, csrc/mx/funcs.cuh, "
               "quark/torch/kernel/float8_e5m3/reference.py",
     .description = "even by default; NaN and Inf pass through FP6 and FP4, so masked; maxima from "
                    "2^126 are masked, since those that even carries to 2^128 take the largest "
                    "scale; integers are not offered",
     .elements = kQuarkElements,
     .blocks = kQuarkBlocks}};

}  // namespace

std::span<const Profile> amd() { return kAmdProfiles; }

}  // namespace mx::profile_data
