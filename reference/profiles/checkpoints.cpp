// Libraries that write checkpoints: NVIDIA ModelOpt, and compressed-tensors, which vLLM reads.
#include "reference/profiles/data.hpp"

namespace mx::profile_data {
namespace {

/// Both take the sign of a number below 0, which -0 is not: what rounds to zero keeps it.
constexpr ElementPolicy kBelowZero = {.zero_sign = ZeroSign::kFlushInput};

constexpr ElementRow kModeloptElements[] = {
    {.destinations = "e2m1fn", .sources = "fp32", .policy = kBelowZero, .masks = kMaskNan}};

/// The export of a quantizer that holds the maxima of its blocks.
constexpr ProfileVariant kModeloptNvfp4[] = {{"static", "rule=nvfp4_modelopt_static"}};

/// Under a tensor scale that is given, infinities take the largest scale and the largest code.
constexpr BlockRow kModeloptBlocks[] = {
    {.formats = "nvfp4",
     .element = kBelowZero,
     .block = {.rule = ScaleRule::kNvfp4Modelopt, .inf_block = InfBlock::kAsE255},
     .variants = kModeloptNvfp4,
     .masks = kMaskNanBlock},
    {.formats = "mxfp8_e4m3",
     .sources = "fp32 bf16",
     .block = {.rule = ScaleRule::kRceilLog2f,
               .ratio_op = RatioOp::kFp32Div,
               .inf_block = InfBlock::kScaleMax,
               .elem_scaling = ElemScaling::kFp32Mul},
     .masks = kMaskNanBlock}};

constexpr ElementRow kCompressedElements[] = {
    {.destinations = "e2m1fn e2m3fn", .sources = "fp32", .policy = kBelowZero, .masks = kMaskNan}};

constexpr BlockRow kCompressedBlocks[] = {
    {.formats = "nvfp4",
     .element = kBelowZero,
     .block = {.rule = ScaleRule::kNvfp4Ct, .inf_block = InfBlock::kAsE255},
     .masks = kMaskNanBlock},
    {.formats = "mxfp4 mxfp6_e2m3",
     .sources = "fp32",
     .element = kBelowZero,
     .block = {.rule = ScaleRule::kEvenUp, .elem_scaling = ElemScaling::kFp32Div},
     .masks = kMaskNanBlock | kMaskInfBlock | kMaskHugeBlock}};

constexpr Profile kCheckpointsProfiles[] = {
    {.name = "modelopt-0.47",
     .system = "NVIDIA ModelOpt",
     .version = "0.47.0",
     .source = "nvidia-modelopt 0.47.0: modelopt/torch/quantization/qtensor/nvfp4_tensor.py, "
               "mxfp8_tensor.py (spec F11.4, F11.6)",
     .description =
         "its tensors on the CPU; static: the export of a quantizer that holds the maxima "
         "of its blocks, as calibrated; blocks with NaN are masked; not offered: its "
         "MXFP4, where zeros have the code of -0",
     .elements = kModeloptElements,
     .blocks = kModeloptBlocks},
    {.name = "compressed-tensors-0.20",
     .system = "compressed-tensors (vLLM, llm-compressor)",
     .version = "0.20.0",
     .source = "compressed-tensors 0.20.0: compressed_tensors/quantization/utils/helpers.py, "
               "mxfp_utils.py, compressors/nvfp4/ (spec F11.4, F11.6)",
     .description = "nvfp4 computes in the tensor's type; NaN, in MX blocks Inf and maxima whose "
                    "scale wraps, are masked; not offered: MX blocks of bf16, whose quotients lose "
                    "the sign of zeros, and MXFP8, whose scales turn at 1.75 where 448 would fit",
     .elements = kCompressedElements,
     .blocks = kCompressedBlocks}};

}  // namespace

std::span<const Profile> checkpoints() { return kCheckpointsProfiles; }

}  // namespace mx::profile_data
