// Casts that frameworks make on a GPU: PyTorch as it is and compiled, Triton, JAX; PyTorch's on the
// processor beside them. Seen of every word on an H200 (spec F14.5).
#include "reference/profiles/data.hpp"

namespace mx::profile_data {
namespace {

constexpr std::string_view kOcpFp8Formats = "e4m3fn e5m2";
constexpr std::string_view kFnuzFormats = "e4m3fnuz e5m2fnuz";

constexpr ElementPolicy kOverflows = {.overflow = Overflow::kNoneInfOrNan};
constexpr ElementPolicy kKeepsSign = {.overflow = Overflow::kNoneInfOrNan,
                                      .nan = NanPolicy::kKeepSign};

/// The magnitude, its exponent raised where the first fraction bit is set; above 2^-127 raised
/// always.
constexpr ElementPolicy kTorchE8m0 = {.rounding = Rounding::kTiesToAway,
                                      .overflow = Overflow::kNoneInfOrNan,
                                      .unsigned_negative = UnsignedNegative::kMagnitude,
                                      .e8m0_quirk = E8m0Quirk::kMldtypesNearest};
constexpr ElementRow kE8m0OfTorch = {
    .destinations = "e8m0", .sources = "fp32 bf16 fp16", .policy = kTorchE8m0};

// ---- PyTorch, eager: fp16 is widened by an instruction that drops the sign of a NaN ----

constexpr ElementRow kTorchCuda[] = {
    {.destinations = kOcpFp8Formats, .sources = "fp32 bf16", .policy = kKeepsSign},
    {.destinations = kOcpFp8Formats, .sources = "fp16", .policy = kOverflows},
    {.destinations = kFnuzFormats, .sources = "fp32 bf16 fp16", .policy = kOverflows},
    kE8m0OfTorch};

constexpr ElementPolicy kSaturatesKeepingSign = {.nan = NanPolicy::kKeepSign};
constexpr ElementRow kTorchCpu[] = {
    {.destinations = "e4m3fn", .sources = "fp32 bf16 fp16", .policy = kSaturatesKeepingSign},
    {.destinations = "e5m2", .sources = "fp32 bf16 fp16", .policy = kKeepsSign},
    {.destinations = kFnuzFormats, .sources = "fp32 bf16 fp16", .policy = kOverflows},
    kE8m0OfTorch};

// ---- Triton, and PyTorch compiled to it: cvt.rn.satfinite ----

constexpr ElementRow kByCvt = {.destinations = kOcpFp8Formats, .sources = "fp32 bf16 fp16"};
constexpr ElementRow kTriton[] = {kByCvt};
/// FNUZ it leaves to eager code where Triton has no such type, so from bf16 alone.
constexpr ElementRow kInductor[] = {
    kByCvt, {.destinations = kFnuzFormats, .sources = "bf16", .policy = kOverflows}, kE8m0OfTorch};

// ---- JAX: what XLA makes for a GPU ----

constexpr ElementRow kXla[] = {
    {.destinations = "e4m3fn e5m2 e4m3fnuz e5m2fnuz e4m3b11fnuz",
     .sources = "fp32 bf16 fp16",
     .policy = kOverflows},
    {.destinations = "e4m3 e3m4", .sources = "fp32 bf16 fp16", .policy = kKeepsSign},
    {.destinations = "e2m1fn",
     .sources = "fp32 bf16 fp16",
     .policy = {.nan = NanPolicy::kToOppositeZero},
     .masks = kMaskNegativeNan},
    {.destinations = "e8m0",
     .sources = "fp32 bf16 fp16",
     .policy = {.rounding = Rounding::kTiesToAway,
                .overflow = Overflow::kNoneInfOrNan,
                .unsigned_negative = UnsignedNegative::kToNan,
                .zero_in = ZeroIn::kNan,
                .e8m0_quirk = E8m0Quirk::kMldtypesNearest}}};

constexpr Profile kGpuCastsProfiles[] = {
    {.name = "torch-2.15/cpu",
     .system = "PyTorch casts, on the processor",
     .version = "2.15.0",
     .source = "torch 2.15.0 (PyPI): Tensor.to",
     .description = "e4m3fn saturates, which version 2.11 on a GPU does not",
     .elements = kTorchCpu},
    {.name = "torch-2.11/cuda",
     .system = "PyTorch casts, on a GPU",
     .version = "2.11.0+cu130",
     .source = "torch 2.11.0+cu130, Tensor.to on an H200 (spec F14.5)",
     .description = "nothing saturates; a NaN keeps its sign, from fp16 it does not",
     .elements = kTorchCuda},
    {.name = "torch-2.11/compiled",
     .system = "PyTorch casts by torch.compile, on a GPU",
     .version = "2.11.0+cu130, Triton 3.6.0",
     .source = "torch 2.11.0+cu130 with Triton 3.6.0, torch.compile on an H200 (spec F14.5)",
     .description =
         "FP8 saturates, Inf too, and NaN is positive, unlike the same code not compiled",
     .elements = kInductor},
    {.name = "triton-3.6/sm_90",
     .system = "Triton casts, on a GPU",
     .version = "3.6.0",
     .source = "Triton 3.6.0, tensor.to on an H200 (spec F14.5)",
     .description = "cvt.rn.satfinite: FP8 saturates, Inf too, and NaN is positive",
     .elements = kTriton},
    {.name = "jax-0.11/gpu",
     .system = "JAX casts (XLA), on a GPU",
     .version = "0.11.2",
     .source = "jax 0.11.2, Array.astype in a compiled function on an H200 (spec F14.5)",
     .description = "as ml_dtypes, but the NaN of most FP8 formats is positive; a NaN of e2m1fn is "
                    "8, of either sign, so that of -NaN is masked",
     .elements = kXla}};

}  // namespace

std::span<const Profile> gpu_casts() { return kGpuCastsProfiles; }

}  // namespace mx::profile_data
