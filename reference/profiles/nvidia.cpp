// NVIDIA: the CUDA headers' host functions, PTX cvt, cuBLAS, TransformerEngine.
#include "reference/profiles/data.hpp"

namespace mx::profile_data {
namespace {

constexpr ElementPolicy kSaturating = {};
/// |x| is converted, zero is the smallest code; the constructors round up and saturate.
constexpr ElementPolicy kE8m0 = {.rounding = Rounding::kAwayFromZero,
                                 .unsigned_negative = UnsignedNegative::kMagnitude};

// ---- CUDA 13.0 headers compiled for the host ----

constexpr ProfileVariant kNosat[] = {{"nosat", "overflow=none_inf_or_nan"}};
constexpr ProfileVariant kTowardZero[] = {{"toward_zero", "rounding=toward_zero"}};
constexpr ProfileVariant kE8m0Options[] = {{"toward_zero", "rounding=toward_zero"},
                                           {"nosat", "overflow=none_inf_or_nan"}};

constexpr ElementRow kCudaElements[] = {
    {.destinations = "e4m3fn e5m2", .policy = kSaturating, .variants = kNosat},
    // A double keeps the sign of a NaN, in e5m2 a payload bit too (spec F10.3).
    {.destinations = "e4m3fn",
     .sources = "fp64",
     .policy = {.nan = NanPolicy::kKeepSign},
     .variants = kNosat},
    {.destinations = "e5m2",
     .sources = "fp64",
     .policy = {.nan = NanPolicy::kKeepSign},
     .variants = kNosat,
     .masks = kMaskNanPayload,
     .canonical_nan = 0x7E},
    {.destinations = "e2m3fn e3m2fn e2m1fn",
     .sources = "fp64 fp32 bf16 fp16",
     .policy = {.nan = NanPolicy::kToPositiveMax},
     .variants = kTowardZero},
    {.destinations = "e8m0",
     .sources = "fp64 fp32 bf16",
     .policy = kE8m0,
     .variants = kE8m0Options}};

// ---- PTX ISA 9.0 cvt ----

constexpr ProfileVariant kRs[] = {{"rs", "rounding=stochastic_a random_bits=16"}};

constexpr ElementRow kPtxElements[] = {
    {.destinations = "e4m3fn e5m2",
     .sources = "fp32",
     .policy = kSaturating,
     .variants = kRs,
     .random_source = RandomSource::kPtxRsShared},
    {.destinations = "e4m3fn e5m2", .sources = "fp16", .policy = kSaturating},
    {.destinations = "e2m3fn e3m2fn e2m1fn",
     .sources = "fp32",
     .policy = {.nan = NanPolicy::kToPositiveMax},
     .variants = kRs,
     .random_source = RandomSource::kPtxRsShared},
    {.destinations = "e2m1fn", .sources = "fp16", .policy = {.nan = NanPolicy::kToPositiveMax}},
    {.destinations = "e8m0", .sources = "fp32 bf16", .policy = kE8m0, .variants = kE8m0Options}};

// ---- cuBLAS 13 ----

constexpr ElementRow kCublasElements[] = {
    {.destinations = "e4m3fn e5m2", .policy = kSaturating},
    {.destinations = "e2m1fn", .policy = {.nan = NanPolicy::kToPositiveMax}}};

constexpr BlockRow kCublasBlocks[] = {{.formats = "mxfp8_e4m3 mxfp8_e5m2",
                                       .element = kSaturating,
                                       .block = {.rule = ScaleRule::kRceil,
                                                 .ratio_op = RatioOp::kFp32Div,
                                                 .elem_scaling = ElemScaling::kFp32Mul},
                                       .masks = kMaskNanBlock | kMaskInfBlock},
                                      {.formats = "nvfp4",
                                       .element = {.nan = NanPolicy::kToPositiveMax},
                                       .block = {.rule = ScaleRule::kNvfp4Cublas},
                                       .masks = kMaskNanBlock | kMaskInfBlock}};

// ---- TransformerEngine ----

constexpr ElementRow kTeElements[] = {
    {.destinations = "e4m3fn e5m2", .policy = kSaturating},
    {.destinations = "e2m1fn",
     .sources = "fp32",
     .policy = {.nan = NanPolicy::kToPositiveMax},
     .variants = kRs,
     .random_source = RandomSource::kPtxRsShared},
    {.destinations = "e2m1fn", .policy = {.nan = NanPolicy::kToPositiveMax}}};

constexpr BlockPolicy kTeMx = {.rule = ScaleRule::kRceil,
                               .ratio_op = RatioOp::kFp32RcpMul,
                               .amax_over = AmaxOver::kIgnoreNan,
                               .inf_block = InfBlock::kScaleMax,
                               .elem_scaling = ElemScaling::kFp32Mul};
constexpr BlockPolicy kTeNvfp4 = {.rule = ScaleRule::kNvfp4Te, .amax_over = AmaxOver::kIgnoreNan};

/// `_ENABLE_MXFMA`; its constants exist for bf16 and fp16 sources only.
constexpr ProfileVariant kMxfma[] = {{"half_rcp_mul", "ratio_op=half_rcp_mul"}};
constexpr ProfileVariant kTeNvfp4Variants[] = {
    {"rs", "rounding=stochastic_a random_bits=16"},
    {"4over6_mae_448", "rule=nvfp4_4over6 four_over_six=mae_448"},
    {"4over6_mse_448", "rule=nvfp4_4over6 four_over_six=mse_448"},
    {"4over6_mae_256", "rule=nvfp4_4over6 four_over_six=mae_256"},
    {"4over6_mse_256", "rule=nvfp4_4over6 four_over_six=mse_256"}};

constexpr BlockRow kTeBlocks[] = {{.formats = "mxfp8_e4m3 mxfp8_e5m2",
                                   .element = kSaturating,
                                   .block = kTeMx,
                                   .variants = kMxfma},
                                  {.formats = "nvfp4",
                                   .element = {.nan = NanPolicy::kToPositiveMax},
                                   .block = kTeNvfp4,
                                   .variants = kTeNvfp4Variants,
                                   .masks = kMaskInfBlock},
                                  {.formats = "nvfp4_16x16",
                                   .element = {.nan = NanPolicy::kToPositiveMax},
                                   .block = kTeNvfp4,
                                   .variants = kRs,
                                   .masks = kMaskInfBlock}};

constexpr Profile kNvidiaProfiles[] = {
    {.name = "cuda-13.0-host",
     .system = "CUDA headers, host functions",
     .version = "13.0.88",
     .source = "cuda_fp8.hpp, cuda_fp6.hpp, cuda_fp4.hpp of CUDA 13.0.88 (spec F14.1)",
     .description = "constructors by default: FP8 and e8m0 saturate, FP6 and FP4 to nearest, e8m0 "
                    "up; the payload bit of double NaNs in e5m2 is masked",
     .elements = kCudaElements},
    {.name = "ptx-9.0",
     .system = "PTX cvt",
     .version = "ISA 9.0",
     .source = "PTX ISA 9.0 cvt, ptxas 13.0.88 (spec F14.2)",
     .description = "rn.satfinite; e8m0 rp.satfinite by default; `.relu` maps negatives to +0, "
                    "which no policy expresses: apply it to the input",
     .elements = kPtxElements},
    {.name = "cublas-13",
     .system = "cuBLAS",
     .version = "13",
     .source = "cuBLAS documentation 3.1.4.4.1 (mirror ForceInjection/cuda-code-skill @b5b6f9f)",
     .description = "blocks with NaN or Inf are not documented, so masked; the tensor scale of "
                    "nvfp4 is an input that does not enter the block scale",
     .elements = kCublasElements,
     .blocks = kCublasBlocks},
    {.name = "te",
     .system = "TransformerEngine",
     .version = "@d0067d0da",
     .source = "NVIDIA/TransformerEngine:transformer_engine/common/cast/, common/util/ptx.cuh "
               "@d0067d0da",
     .description = "the maximum ignores NaN; nvfp4 blocks with Inf are not documented, so masked",
     .elements = kTeElements,
     .blocks = kTeBlocks}};

}  // namespace

std::span<const Profile> nvidia() { return kNvidiaProfiles; }

}  // namespace mx::profile_data
