// Libraries that convert single values (ONNX, ml_dtypes, Intel's toolkit, gfloat, HiFloat8), and
// the block formats of ggml and HiFloat4.
#include "reference/profiles/data.hpp"

namespace mx::profile_data {
namespace {

// ---- ONNX: the Cast operator's tables, and the reference code ----

constexpr ElementPolicy kOnnx = {.nan = NanPolicy::kKeepSign};
constexpr ProfileVariant kSaturate0[] = {{"saturate_0", "overflow=none_inf_or_nan"}};

constexpr ElementRow kOnnxE4m3 = {
    .destinations = "e4m3fn e4m3fnuz e5m2fnuz", .policy = kOnnx, .variants = kSaturate0};
constexpr ElementRow kOnnxE5m2 = {
    .destinations = "e5m2", .policy = kOnnx, .variants = kSaturate0, .masks = kMaskNan};
constexpr ElementRow kOnnxE2m1 = {.destinations = "e2m1fn",
                                  .policy = {.nan = NanPolicy::kToPositiveMax}};

/// Two tables: saturate + up, and no saturation + nearest, in which all beyond the largest scale is
/// NaN, what rounds down to it too (spec F11.5).
constexpr ProfileVariant kOnnxSpecNearest[] = {
    {"nosat_nearest", "rounding=ties_to_even overflow=none_inf_or_nan zero_in=nan",
     kMaskBelowLowest | kMaskOverflow}};

constexpr ElementRow kOnnxSpecElements[] = {kOnnxE4m3,
                                            kOnnxE5m2,
                                            kOnnxE2m1,
                                            {.destinations = "e8m0",
                                             .policy = {.rounding = Rounding::kAwayFromZero},
                                             .variants = kOnnxSpecNearest,
                                             .masks = kMaskNegative,
                                             .parity = Parity::kImplicitOdd}};

constexpr ProfileVariant kOnnxRefE8m0[] = {
    {"nearest", "rounding=ties_to_even e8m0_quirk=onnx_nearest"},
    {"saturate_0", "overflow=none_inf_or_nan"}};

/// Its casts are those of ml_dtypes, where NaN of e2m1fn is the zero of the other sign.
constexpr ElementRow kOnnxRefElements[] = {
    kOnnxE4m3,
    {.destinations = "e5m2", .policy = kOnnx, .variants = kSaturate0, .canonical_nan = 0x7E},
    {.destinations = "e2m1fn", .policy = {.nan = NanPolicy::kToOppositeZero}},
    {.destinations = "e8m0",
     .policy = {.rounding = Rounding::kAwayFromZero,
                .overflow = Overflow::kSatFiniteKeepInf,
                .unsigned_negative = UnsignedNegative::kMagnitude,
                .e8m0_quirk = E8m0Quirk::kOnnxUp},
     .variants = kOnnxRefE8m0,
     .parity = Parity::kImplicitOdd}};

// ---- ml_dtypes 0.6: NumPy casts, which do not saturate ----

constexpr ElementPolicy kMlDtypes = {.overflow = Overflow::kNoneInfOrNan,
                                     .nan = NanPolicy::kKeepSign};
constexpr ProfileVariant kMlDtypesVariants[] = {
    {"saturate", "overflow=sat_finite_keep_inf"},
    {"truncate", "rounding=toward_zero", kMaskOverflow}};
constexpr ProfileVariant kMlDtypesSmall[] = {{"truncate", "rounding=toward_zero"}};
constexpr ProfileVariant kMlDtypesE8m0[] = {
    {"saturate", "overflow=sat_finite_keep_inf zero_in=min_code unsigned_negative=to_min",
     kMaskNegativeInf}};

constexpr ElementRow kMlDtypesElements[] = {
    {.destinations = "e4m3fn e4m3 e3m4 e4m3fnuz e5m2fnuz e4m3b11fnuz",
     .policy = kMlDtypes,
     .variants = kMlDtypesVariants},
    {.destinations = "e5m2",
     .policy = kMlDtypes,
     .variants = kMlDtypesVariants,
     .canonical_nan = 0x7E},
    {.destinations = "e2m3fn e3m2fn e2m1fn",
     .policy = {.nan = NanPolicy::kToOppositeZero},
     .variants = kMlDtypesSmall},
    {.destinations = "e8m0",
     .policy = {.overflow = Overflow::kNoneInfOrNan,
                .unsigned_negative = UnsignedNegative::kToNan,
                .zero_in = ZeroIn::kNan,
                .e8m0_quirk = E8m0Quirk::kMldtypesNearest},
     .variants = kMlDtypesE8m0,
     .parity = Parity::kImplicitOdd}};

// ---- Intel FP8-Emulation-Toolkit: everything passes through binary16 ----

constexpr ElementPolicy kIntelSaturating = {.nan = NanPolicy::kToSignedMax,
                                            .staging = Staging::kViaFp16};
constexpr ElementPolicy kIntelE5m2 = {
    .overflow = Overflow::kNoneInfOrNan, .nan = NanPolicy::kKeepSign, .staging = Staging::kViaFp16};

constexpr ProfileVariant kIntelE4m3Variants[] = {
    {"rnaz", "rounding=ties_to_away"},
    {"rntz", "rounding=ties_to_zero"},
    {"stochastic", "rounding=stochastic_a random_bits=7"}};
constexpr ProfileVariant kIntelE3m4Variants[] = {
    {"rnaz", "rounding=ties_to_away"},
    {"rntz", "rounding=ties_to_zero"},
    {"stochastic", "rounding=stochastic_a random_bits=6"}};
constexpr ProfileVariant kIntelE5m2Variants[] = {
    {"rnaz", "rounding=ties_to_away"},
    {"rntz", "rounding=ties_to_zero"},
    {"rtz", "rounding=toward_zero"},
    {"stochastic", "rounding=stochastic_a random_bits=8", kMaskBelowNormal}};

constexpr ElementRow kIntelElements[] = {{.destinations = "e4m3fn",
                                          .sources = "fp32",
                                          .policy = kIntelSaturating,
                                          .variants = kIntelE4m3Variants,
                                          .masks = kMaskBelowNormal,
                                          .random_source = RandomSource::kFp16Staged},
                                         {.destinations = "e3m4fn_intel",
                                          .sources = "fp32",
                                          .policy = kIntelSaturating,
                                          .variants = kIntelE3m4Variants,
                                          .masks = kMaskBelowNormal,
                                          .random_source = RandomSource::kFp16Staged},
                                         {.destinations = "e5m2",
                                          .sources = "fp32",
                                          .policy = kIntelE5m2,
                                          .variants = kIntelE5m2Variants,
                                          .masks = kMaskNanPayload,
                                          .canonical_nan = 0x7E,
                                          .random_source = RandomSource::kFp16Staged}};

// ---- ggml ----

constexpr ElementPolicy kGgml = {.rounding = Rounding::kTiesToZero,
                                 .zero_sign = ZeroSign::kFlushPositive};

constexpr ElementRow kGgmlElements[] = {
    {.destinations = "e2m1fn", .sources = "fp32", .policy = kGgml, .masks = kMaskNan | kMaskInf}};

constexpr BlockRow kGgmlBlocks[] = {
    {.formats = "mxfp4",
     .sources = "fp32",
     .element = kGgml,
     .block = {.rule = ScaleRule::kFloorLog2f,
               .amax_over = AmaxOver::kIgnoreNan,
               .elem_scaling = ElemScaling::kSearchFp32},
     .masks = kMaskSpecialLanes | kMaskInfBlock | kMaskTinyBlock},
    {.formats = "nvfp4",
     .sources = "fp32",
     .element = kGgml,
     .block = {.rule = ScaleRule::kNvfp4Ggml, .amax_over = AmaxOver::kIgnoreNan},
     .masks = kMaskSpecialLanes | kMaskInfBlock}};

// ---- HiFloat4 ----

constexpr ElementPolicy kHif4 = {.rounding = Rounding::kTiesToAway,
                                 .zero_sign = ZeroSign::kFlushPositive};

constexpr ElementRow kHif4Elements[] = {
    {.destinations = "sm4", .policy = kHif4, .masks = kMaskNan | kMaskInf}};

constexpr BlockRow kHif4Blocks[] = {{.formats = "hifx4",
                                     .element = kHif4,
                                     .block = {.rule = ScaleRule::kHif4},
                                     .masks = kMaskNanBlock | kMaskInfBlock}};

// ---- HiFloat8, whose repository has HiFloat4's blocks too ----

constexpr ElementRow kHif8Elements[] = {
    {.destinations = "hif8",
     .sources = "fp32 bf16 fp16",
     .policy = {.rounding = Rounding::kTiesToAway, .overflow = Overflow::kNoneInfOrNan}}};

constexpr BlockRow kHif8Blocks[] = {{.formats = "hifx4",
                                     .sources = "fp32",
                                     .element = kHif4,
                                     .block = {.rule = ScaleRule::kHif4},
                                     .masks = kMaskNanBlock | kMaskInfBlock}};

// ---- gfloat ----

constexpr ElementPolicy kGfloat = {.overflow = Overflow::kNoneInfOrNan};

/// Overflow of the directed roundings and infinities under saturation are not documented.
constexpr ProfileVariant kGfloatVariants[] = {
    {"sat", "overflow=sat_finite", kMaskInf},
    {"ties_to_away", "rounding=ties_to_away"},
    {"toward_zero", "rounding=toward_zero", kMaskOverflow},
    {"toward_positive", "rounding=toward_positive", kMaskOverflow},
    {"toward_negative", "rounding=toward_negative", kMaskOverflow},
    {"to_odd", "rounding=to_odd", kMaskOverflow},
    {"stochastic_fastest", "rounding=stochastic_a", kMaskOverflow},
    {"stochastic_fast", "rounding=stochastic_b", kMaskOverflow},
    {"stochastic", "rounding=stochastic_c", kMaskOverflow},
    {"stochastic_odd", "rounding=stochastic_c_odd", kMaskOverflow}};

constexpr ElementRow kGfloatElements[] = {
    {.destinations = "e2m3fn e3m2fn e2m1fn e3m0 int8",
     .policy = kGfloat,
     .variants = kGfloatVariants,
     .masks = kMaskNan | kMaskInf | kMaskOverflow},
    {.destinations = "e4m3fn e5m2 e4m3fnuz e5m2fnuz e4m3b11fnuz e4m3 e3m4 binary*",
     .policy = kGfloat,
     .variants = kGfloatVariants,
     .masks = kMaskNegativeNan}};

constexpr BlockRow kGfloatBlocks[] = {
    {.formats = "mxfp8_e4m3 mxfp8_e5m2 mxfp6_e3m2 mxfp6_e2m3 mxfp4 mxint8",
     .sources = "fp32",
     .block = {.rule = ScaleRule::kFloorLog2f,
               .inf_block = InfBlock::kScaleMax,
               .elem_scaling = ElemScaling::kFp32Div},
     .masks = kMaskNegativeOverflowLanes}};

constexpr Profile kLibrariesProfiles[] = {
    {.name = "onnx-op25-spec",
     .system = "ONNX Cast, the operator's tables",
     .version = "opset 25 (1.23 development @f75469120)",
     .source = "onnx/onnx:docs/Operators.md @f75469120 (spec F10.2, F11.5)",
     .description =
         "saturate = 1 by default, e8m0 rounds up; negative values to e8m0, and numbers "
         "below 2^-127 or above 2^127 in its second table, are masked; the code of an e5m2 "
         "NaN too",
     .elements = kOnnxSpecElements},
    {.name = "onnx-ref",
     .system = "ONNX Cast, the reference code",
     .version = "1.23.2",
     .source = "onnx/onnx:onnx/reference/ops/op_cast.py, onnx/numpy_helper.py @f75469120 "
               "(spec F10.2, F11.5)",
     .description = "e8m0 up by default, with code 01 for everything up to 2^-127; its rounding "
                    "down is not documented; NaN to e5m2 and e2m1fn as ml_dtypes, which it calls",
     .elements = kOnnxRefElements},
    {.name = "ml_dtypes-0.6",
     .system = "ml_dtypes",
     .version = "0.6.0+ @b793a6e",
     .source = "jax-ml/ml_dtypes:ml_dtypes/include/float8.h, mxfloat.h @b793a6e (spec F14.3)",
     .description = "NumPy casts by default: no saturation; overflow under truncation and -Inf to "
                    "e8m0 under saturation are masked",
     .elements = kMlDtypesElements},
    {.name = "intel-fp8et",
     .system = "Intel FP8-Emulation-Toolkit",
     .version = "@fcd26e9",
     .source = "IntelLabs/FP8-Emulation-Toolkit:mpemu/pytquant/cpp/fpemu_impl.cpp @fcd26e9",
     .description = "through binary16, without AVX-512 (with it rnaz, rntz and rtz are "
                    "ties_to_even, and E3M4 adds 7 random bits); the subnormal range of E4M3 and "
                    "E3M4 leaves the grid, so masked; PINF and NINF are no directed roundings, so "
                    "not offered",
     .elements = kIntelElements},
    {.name = "ggml",
     .system = "ggml",
     .version = "@d99724f2",
     .source = "ggml-org/ggml:src/ggml-impl.h, src/ggml-quants.c @d99724f2",
     .description = "binary32 log2, elements by search; Inf, NaN elements, and maxima below 2^-125 "
                    "(undefined behaviour) are masked",
     .elements = kGgmlElements,
     .blocks = kGgmlBlocks},
    {.name = "hif4",
     .system = "HiFloat4",
     .version = "@6d937b6",
     .source = "global-computing-consortium/HiFloat4:hif4_gpu/HiF4_NVFP4_v14f16.py @6d937b6",
     .description = "blocks of 64; NaN and Inf are not documented, so masked",
     .elements = kHif4Elements,
     .blocks = kHif4Blocks},
    {.name = "hif8",
     .system = "HiFloat8",
     .version = "@fb5bea0",
     .source = "ddddwee1/HiFloat8:hif8_cuda/quant_cy/base/cusrc/hif8_quant_cuda.cu, "
               "hif8_cuda/quant_cy/base/QFuncs/hif8.py, hifx.py @fb5bea0",
     .description = "overflow is to infinity from 1.25 * 2^15 on; it gives values, not codes; "
                    "blocks of 64 on binary32 tensors, whose NaN and Inf are masked",
     .elements = kHif8Elements,
     .blocks = kHif8Blocks},
    {.name = "gfloat",
     .system = "gfloat",
     .version = "@b142762",
     .source = "graphcore-research/gfloat:src/gfloat/round.py, block.py @b142762",
     .description =
         "no saturation by default; binary32 arrays for blocks; formats without NaN raise "
         "errors, so their NaN, Inf and overflow are masked",
     .elements = kGfloatElements,
     .blocks = kGfloatBlocks}};

}  // namespace

std::span<const Profile> libraries() { return kLibrariesProfiles; }

}  // namespace mx::profile_data
