// The PyTorch family: torchao in two versions, FBGEMM, triton_kernels.
#include "reference/profiles/data.hpp"

namespace mx::profile_data {
namespace {

constexpr std::string_view kTensorTypes = "fp32 bf16";
constexpr std::string_view kMxFp8 = "mxfp8_e4m3 mxfp8_e5m2";
constexpr std::string_view kMxFp6Fp4 = "mxfp6_e3m2 mxfp6_e2m3 mxfp4";

// ---- torchao: NVFP4 is the same in both versions ----

constexpr BlockRow kTorchaoNvfp4 = {
    .formats = "nvfp4",
    .sources = kTensorTypes,
    .block = {.rule = ScaleRule::kNvfp4Torchao, .inf_block = InfBlock::kAsE255}};

// ---- torchao 0.19 development ----

constexpr ElementRow kTorchaoDevElements[] = {
    {.destinations = "e4m3fn e5m2", .sources = kTensorTypes},
    {.destinations = "e2m3fn e3m2fn e2m1fn", .sources = kTensorTypes, .masks = kMaskNan}};

constexpr BlockPolicy torchao_dev(NanScaleCodes codes) {
  return {.rule = ScaleRule::kFloor,
          .even_carry = EvenCarry::kToNan,
          .nan_scale_codes = codes,
          .elem_scaling = ElemScaling::kFp32Mul};
}

constexpr ProfileVariant kTorchaoDevRules[] = {{"ceil", "rule=ceil"},
                                               {"even_up", "rule=even_up"},
                                               {"rceil", "rule=rceil ratio_op=fp32_rcp_mul"}};

constexpr BlockRow kTorchaoDevBlocks[] = {{.formats = kMxFp8,
                                           .sources = kTensorTypes,
                                           .block = torchao_dev(NanScaleCodes::kNan),
                                           .variants = kTorchaoDevRules},
                                          {.formats = kMxFp6Fp4,
                                           .sources = kTensorTypes,
                                           .block = torchao_dev(NanScaleCodes::kDontCare),
                                           .variants = kTorchaoDevRules},
                                          kTorchaoNvfp4};

// ---- torchao 0.18.0 ----

constexpr ElementPolicy kKeepsNanSign = {.nan = NanPolicy::kKeepSign};

constexpr ElementRow kTorchao018Elements[] = {
    {.destinations = "e4m3fn e5m2", .sources = kTensorTypes, .policy = kKeepsNanSign},
    {.destinations = "e2m3fn e3m2fn e2m1fn", .sources = kTensorTypes, .masks = kMaskNan}};

/// Exponent 255 counts as an ordinary one; elements are divided by max(2^(s-127), 2^-126), and by
/// infinity under scale FF.
constexpr BlockPolicy kTorchao018 = {.rule = ScaleRule::kFloor,
                                     .inf_block = InfBlock::kAsE255,
                                     .nan_scale_codes = NanScaleCodes::kAsComputed,
                                     .elem_scaling = ElemScaling::kFp32DivNormal};

/// On a GPU arithmetic drops the sign of a NaN.
constexpr ProfileVariant kTorchao018Fp8Rules[] = {
    {"cuda", "nan=canonical_positive"},
    {"ceil", "rule=ceil"},
    {"even_up", "rule=even_up"},
    {"rceil",
     "rule=rceil_log2f ratio_op=fp32_div inf_block=scale_max elem_scaling=fp32_mul_one_at_00 "
     "elem_codes_when_nan_scale=nan nan=canonical_positive"}};
constexpr ProfileVariant kTorchao018SmallRules[] = {
    {"ceil", "rule=ceil"},
    {"even_up", "rule=even_up"},
    {"rceil",
     "rule=rceil_log2f ratio_op=fp32_div inf_block=scale_max elem_scaling=fp32_mul_one_at_00 "
     "elem_codes_when_nan_scale=dont_care"}};

constexpr BlockRow kTorchao018Blocks[] = {{.formats = kMxFp8,
                                           .sources = kTensorTypes,
                                           .element = kKeepsNanSign,
                                           .block = kTorchao018,
                                           .variants = kTorchao018Fp8Rules},
                                          // NaN, and Inf / Inf, become a garbage element.
                                          {.formats = kMxFp6Fp4,
                                           .sources = kTensorTypes,
                                           .block = kTorchao018,
                                           .variants = kTorchao018SmallRules,
                                           .masks = kMaskSpecialLanes},
                                          kTorchaoNvfp4};

// ---- FBGEMM MX4 ----

constexpr ElementPolicy kFbgemm = {.rounding = Rounding::kTiesToAway};

/// e3m0, whose least value is 0.25: what lies below becomes 0 even where 0.25 is nearest, since the
/// bit that rounding carries is dropped (spec F11.6).
constexpr ElementPolicy kFbgemmPowers = {.rounding = Rounding::kTiesToAway,
                                         .dst_ftz = ResultSubnormals::kFlushBeforeRounding};

constexpr ElementRow kFbgemmElements[] = {
    {.destinations = "e2m1fn", .sources = "fp32", .policy = kFbgemm, .masks = kMaskNan | kMaskInf},
    {.destinations = "e3m0",
     .sources = "fp32",
     .policy = kFbgemmPowers,
     .masks = kMaskNan | kMaskInf}};

constexpr ProfileVariant kFbgemmRules[] = {{"nearest_log2f", "rule=nearest_log2f"},
                                           {"floor", "rule=floor"},
                                           {"reference_floor", "rule=floor_log2f"},
                                           {"even_down", "rule=even_down"},
                                           {"stoch_exp", "rule=stoch_exp"}};

constexpr BlockPolicy kFbgemmScale = {.rule = ScaleRule::kCeilLog2f,
                                      .zero_block_scale = ZeroBlockScale::kMinAmax,
                                      .elem_scaling = ElemScaling::kFp32Div};

constexpr BlockRow kFbgemmBlocks[] = {{.formats = "fbgemm_mx4",
                                       .sources = "fp32",
                                       .element = kFbgemm,
                                       .block = kFbgemmScale,
                                       .variants = kFbgemmRules,
                                       .masks = kMaskNanBlock | kMaskInfBlock},
                                      {.formats = "fbgemm_mx4_e3m0",
                                       .sources = "fp32",
                                       .element = kFbgemmPowers,
                                       .block = kFbgemmScale,
                                       .variants = kFbgemmRules,
                                       .masks = kMaskNanBlock | kMaskInfBlock}};

// ---- triton_kernels, the quantizer of gpt-oss ----

constexpr std::string_view kKernelTypes = "fp32 bf16 fp16";

/// Its FP8 codes are the device's, by cvt.rn.satfinite; those of FP4 are made of bits.
constexpr ElementPolicy kTritonFp4 = {.rounding = Rounding::kTiesToAway};

/// Any ratio above 0 has a scale of 2^-126 at least; under scale 00, which a ratio of 0 has, every
/// element becomes a zero, as do numbers below 2^-110 that are not scaled.
constexpr BlockPolicy kTritonScale = {.rule = ScaleRule::kRceil,
                                      .ratio_op = RatioOp::kFp32RcpMul,
                                      .elem_scaling = ElemScaling::kFp32MulOneAt00};
/// Its PyTorch reference divides, which gives another scale of one maximum only.
constexpr ProfileVariant kTritonReference[] = {{"reference", "ratio_op=fp32_div"}};
constexpr ElementPolicy triton_scaled(ElementPolicy policy) {
  policy.e8m0_quirk = E8m0Quirk::kOnnxUp;
  return policy;
}

constexpr BlockRow kTritonBlocks[] = {{.formats = kMxFp8,
                                       .sources = kKernelTypes,
                                       .element = triton_scaled({}),
                                       .block = kTritonScale,
                                       .variants = kTritonReference,
                                       .masks = kMaskNanBlock},
                                      {.formats = "mxfp4",
                                       .sources = kKernelTypes,
                                       .element = triton_scaled(kTritonFp4),
                                       .block = kTritonScale,
                                       .variants = kTritonReference,
                                       .masks = kMaskNanBlock}};

constexpr Profile kPytorchProfiles[] = {
    {.name = "torchao-0.19dev",
     .system = "torchao",
     .version = "@36027d82d (0.19 development)",
     .source = "pytorch/ao:torchao/prototype/mx_formats/mx_tensor.py, nvfp4_tensor.py, "
               "torchao/prototype/custom_fp_utils.py @36027d82d",
     .description = "floor by default; FP6 and FP4 NaN elements are garbage, so masked",
     .elements = kTorchaoDevElements,
     .blocks = kTorchaoDevBlocks},
    {.name = "torchao-0.18",
     .system = "torchao",
     .version = "0.18.0",
     .source = "torchao 0.18.0: torchao/prototype/mx_formats/mx_tensor.py, nvfp4_tensor.py "
               "(spec F11.6)",
     .description = "floor by default; a block with scale 00 is coded at half its value (rceil: as "
                    "zeros); FP6 and FP4 NaN elements are masked",
     .elements = kTorchao018Elements,
     .blocks = kTorchao018Blocks},
    {.name = "fbgemm",
     .system = "FBGEMM",
     .version = "1.9.0",
     .source = "fbgemm-gpu-cpu 1.9.0: fbgemm_gpu/triton/quantize_ref.py, quantize.py",
     .description =
         "ceil of a binary32 log2 by default; of e3m0 what lies below 0.25 is 0; NaN and Inf are "
         "not documented, so masked; its biased stochastic casting is none of the stochastic "
         "roundings",
     .elements = kFbgemmElements,
     .blocks = kFbgemmBlocks},
    {.name = "triton-kernels-3.5",
     .system = "triton_kernels (gpt-oss, vLLM)",
     .version = "Triton 3.5.1, as in vLLM 0.33.0",
     .source = "vllm 0.33.0: vllm/third_party/triton_kernels/numerics_details/mxfp.py, "
               "mxfp_details/_downcast_to_mxfp.py",
     .description =
         "ROUND_UP, its default; FP4 ties go away from zero; a NaN element makes another "
         "scale of its block in the kernel than in the reference, so masked",
     .blocks = kTritonBlocks}};

}  // namespace

std::span<const Profile> pytorch() { return kPytorchProfiles; }

}  // namespace mx::profile_data
