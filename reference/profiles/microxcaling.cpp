// microxcaling by path and tensor type. It returns values; codes are those of the values.
#include "reference/profiles/data.hpp"

namespace mx::profile_data {
namespace {

constexpr std::string_view kNoNan = "e2m3fn e3m2fn e2m1fn int8 int4 int2";
constexpr std::string_view kBlockNames =
    "mxfp8_e4m3 mxfp8_e5m2 mxfp6_e3m2 mxfp6_e2m3 mxfp4 mxint8 mxint4";

// ---- Python on binary32 tensors ----

/// saturate_normals = True; infinities are kept even so, and have no code in most formats.
constexpr ElementPolicy kPython = {.rounding = Rounding::kTiesToAway,
                                   .overflow = Overflow::kSatFiniteKeepInf,
                                   .zero_sign = ZeroSign::kFlushInput};

/// Without saturation overflow is Inf whatever the rounding.
constexpr ProfileVariant kPythonInf[] = {
    {"even", "rounding=ties_to_even"},
    {"floor", "rounding=toward_zero", kMaskLog2Slip | kMaskOverflow},
    {"nosat", "overflow=none_inf_or_nan"},
    {"no_denorm", "dst_ftz=pre zero_sign=flush_positive"}};
constexpr ProfileVariant kPythonSat[] = {{"even", "rounding=ties_to_even"},
                                         {"floor", "rounding=toward_zero", kMaskLog2Slip},
                                         {"no_denorm", "dst_ftz=pre zero_sign=flush_positive"}};

/// The addition of one half lifts the value just below it; log2 reads the largest values as 2^128.
constexpr Masks kPythonMasks = kMaskBelowHalf | kMaskLog2Top;

constexpr ElementRow kPythonElements[] = {{.destinations = "e5m2 fp16 bf16",
                                           .sources = "fp32",
                                           .policy = kPython,
                                           .variants = kPythonInf,
                                           .masks = kPythonMasks | kMaskNan},
                                          {.destinations = "e4m3fn",
                                           .sources = "fp32",
                                           .policy = kPython,
                                           .variants = kPythonSat,
                                           .masks = kPythonMasks | kMaskNegativeNan | kMaskInf},
                                          {.destinations = kNoNan,
                                           .sources = "fp32",
                                           .policy = kPython,
                                           .variants = kPythonSat,
                                           .masks = kPythonMasks | kMaskNan | kMaskInf}};

constexpr ElementPolicy kPythonInBlocks = {.rounding = Rounding::kTiesToAway,
                                           .zero_sign = ZeroSign::kFlushInput};

constexpr ProfileVariant kPythonBlockVariants[] = {
    {"even", "rounding=ties_to_even"},
    {"floor", "rounding=toward_zero", kMaskLog2Lanes},
    {"flush_fp32_subnorms", "src_daz_block=flush"}};

constexpr BlockRow kPythonBlocks[] = {{.formats = kBlockNames,
                                       .sources = "fp32",
                                       .element = kPythonInBlocks,
                                       .block = {.rule = ScaleRule::kFloorLog2f,
                                                 .scale_sat = ScaleSat::kToNan,
                                                 .nan_block = NanBlock::kAllNan,
                                                 .inf_block = InfBlock::kAllNan,
                                                 .zero_block_scale = ZeroBlockScale::kMinAmax,
                                                 .elem_scaling = ElemScaling::kFp32Div},
                                       .variants = kPythonBlockVariants,
                                       .masks = kMaskHalfLanes}};

// ---- C++ on binary32 tensors: integer arithmetic, every zero is +0 ----

constexpr ElementPolicy kCpp = {.rounding = Rounding::kTiesToAway,
                                .zero_sign = ZeroSign::kFlushPositive};

constexpr ProfileVariant kCppInf[] = {{"even", "rounding=ties_to_even"},
                                      {"floor", "rounding=toward_zero", kMaskOverflow},
                                      {"nosat", "overflow=none_inf_or_nan"},
                                      {"no_denorm", "dst_ftz=pre"}};
constexpr ProfileVariant kCppSat[] = {{"even", "rounding=ties_to_even"},
                                      {"floor", "rounding=toward_zero"},
                                      {"no_denorm", "dst_ftz=pre"}};

constexpr ElementRow kCppElements[] = {
    {.destinations = "e5m2 fp16 bf16",
     .sources = "fp32",
     .policy = kCpp,
     .variants = kCppInf,
     .masks = kMaskNan},
    {.destinations = "e4m3fn e2m3fn e3m2fn e2m1fn int8 int4 int2",
     .sources = "fp32",
     .policy = kCpp,
     .variants = kCppSat,
     .masks = kMaskNan}};

constexpr ProfileVariant kCppBlockVariants[] = {{"even", "rounding=ties_to_even"},
                                                {"floor", "rounding=toward_zero"},
                                                {"flush_fp32_subnorms", "src_daz_block=flush"}};

constexpr BlockRow kCppBlocks[] = {{.formats = kBlockNames,
                                    .sources = "fp32",
                                    .element = kCpp,
                                    .block = {.rule = ScaleRule::kFloor,
                                              .scale_sat = ScaleSat::kToNan,
                                              .nan_block = NanBlock::kAllNan,
                                              .inf_block = InfBlock::kAllNan,
                                              .elem_scaling = ElemScaling::kFp32Div},
                                    .variants = kCppBlockVariants}};

// ---- Python on 16-bit tensors: every operation is rounded to the tensor's type ----

/// To formats of up to 8 bits that is seen by the masked inputs alone; the others have as many bits
/// as the additions and products.
constexpr ElementRow python16(std::string_view destinations, std::string_view source,
                              std::span<const ProfileVariant> variants, Masks masks) {
  return {.destinations = destinations,
          .sources = source,
          .policy = kPython,
          .variants = variants,
          .masks = kPythonMasks | masks};
}

constexpr ElementRow kBf16Elements[] = {
    python16("e5m2", "bf16", kPythonInf, kMaskNan),
    python16("e4m3fn", "bf16", kPythonSat, kMaskNegativeNan | kMaskInf),
    python16(kNoNan, "bf16", kPythonSat, kMaskNan | kMaskInf),
    {.destinations = "*", .sources = "bf16", .masks = kMaskAll}};
constexpr BlockRow kBf16Blocks[] = {{.formats = "*", .sources = "bf16", .masks = kMaskAllBlocks}};
constexpr ElementRow kFp16Elements[] = {
    python16("e5m2", "fp16", kPythonInf, kMaskNan),
    python16("e4m3fn", "fp16", kPythonSat, kMaskNegativeNan | kMaskInf),
    python16(kNoNan, "fp16", kPythonSat, kMaskNan | kMaskInf),
    {.destinations = "*", .sources = "fp16", .masks = kMaskAll}};
constexpr BlockRow kFp16Blocks[] = {{.formats = "*", .sources = "fp16", .masks = kMaskAllBlocks}};

constexpr std::string_view kSource =
    "microsoft/microxcaling:mx/mx_ops.py, elemwise_ops.py, formats.py @7bc4195 "
    "(spec S7)";

constexpr Profile kMicroxcalingProfiles[] = {
    {.name = "microxcaling-1.1.0/py-f32",
     .system = "microxcaling, Python on binary32 tensors",
     .version = "1.1.0",
     .source = kSource,
     .description = "saturating, round nearest (ties away); masked: the value just below half the "
                    "smallest one, kept Inf and NaN without a code, the log2 slips of round floor",
     .elements = kPythonElements,
     .blocks = kPythonBlocks},
    {.name = "microxcaling-1.1.0/cpp",
     .system = "microxcaling, C++ on binary32 tensors",
     .version = "1.1.0",
     .source = "microsoft/microxcaling:mx/cpp/shared_exp.cuh, quantize.cuh @7bc4195 "
               "(spec S7)",
     .description = "saturating, round nearest (ties away), zeros are +0; NaN elements outside "
                    "blocks are rounded as bit patterns, so masked",
     .elements = kCppElements,
     .blocks = kCppBlocks},
    {.name = "microxcaling-1.1.0/py-bf16",
     .system = "microxcaling, Python on bfloat16 tensors",
     .version = "1.1.0",
     .source = kSource,
     .description = "single values as py-f32, where rounding to bfloat16 on the way does not show; "
                    "blocks, fp16 and bf16 are not modelled: there its log2, sums and products do",
     .elements = kBf16Elements,
     .blocks = kBf16Blocks},
    {.name = "microxcaling-1.1.0/py-f16",
     .system = "microxcaling, Python on binary16 tensors",
     .version = "1.1.0",
     .source = kSource,
     .description = "single values as py-f32, where rounding to binary16 on the way does not show; "
                    "blocks, fp16 and bf16 are not modelled: there its log2, sums and products do",
     .elements = kFp16Elements,
     .blocks = kFp16Blocks}};

}  // namespace

std::span<const Profile> microxcaling() { return kMicroxcalingProfiles; }

}  // namespace mx::profile_data
