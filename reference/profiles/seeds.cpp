// Systems that quantize to values or blocks in their own way: torchmx, dmx, QPyTorch, AIMET.
#include "reference/profiles/data.hpp"

namespace mx::profile_data {
namespace {

// ---- torchmx: bfloat16 blocks; integers without fraction bits under a scale 6 lower than MX ----

constexpr ElementFormat kWholeInt8 = {.name = "fixed8.0",
                                      .bits = 8,
                                      .storage_bits = 8,
                                      .kind = FormatKind::kTwosComplement,
                                      .zero = ZeroKind::kPosOnly,
                                      .max_code = 0x7F};

constexpr std::string_view kTorchmxFloats = "mxfp8_e4m3 mxfp6_e3m2 mxfp6_e2m3 mxfp4";
constexpr BlockPolicy kTorchmx = {.rule = ScaleRule::kFloor,
                                  .nan_scale_codes = NanScaleCodes::kZero,
                                  .elem_scaling = ElemScaling::kFp32Div};

/// It casts blocks only (spec S6.2).
constexpr ElementRow kTorchmxElements[] = {
    {.destinations = "*", .sources = "fp64 fp32 tf32 bf16 fp16", .masks = kMaskAll}};

constexpr BlockRow kTorchmxInt8 = {
    .formats = "mxint8", .sources = "bf16", .block = kTorchmx, .element_format = &kWholeInt8};

constexpr BlockRow kTorchmxSim[] = {
    {.formats = kTorchmxFloats, .sources = "bf16", .block = kTorchmx}, kTorchmxInt8};
/// The exact path leaves codes in blocks whose scale is FF.
constexpr BlockRow kTorchmxHw[] = {{.formats = kTorchmxFloats,
                                    .sources = "bf16",
                                    .block = kTorchmx,
                                    .masks = kMaskNanBlockCodes | kMaskInfBlockCodes},
                                   kTorchmxInt8};

// ---- QPyTorch and dmx floats: every code finite, the subnormal range through an addition ----

constexpr ElementPolicy bit_rounding(Rounding rounding) {
  return {
      .rounding = rounding, .nan = NanPolicy::kToSignedMax, .zero_sign = ZeroSign::kFlushPositive};
}

constexpr ProfileVariant kStochastic3[] = {{"stochastic", "rounding=stochastic_a random_bits=20"}};
constexpr ProfileVariant kStochastic2[] = {{"stochastic", "rounding=stochastic_a random_bits=21"}};
constexpr ProfileVariant kStochastic1[] = {{"stochastic", "rounding=stochastic_a random_bits=22"}};
constexpr ProfileVariant kStochastic10[] = {{"stochastic", "rounding=stochastic_a random_bits=13"}};
constexpr ProfileVariant kDmx3[] = {{"stochastic", "rounding=stochastic_a random_bits=20"},
                                    {"flush", "dst_ftz=pre"}};
constexpr ProfileVariant kDmx2[] = {{"stochastic", "rounding=stochastic_a random_bits=21"},
                                    {"flush", "dst_ftz=pre"}};
constexpr ProfileVariant kDmx1[] = {{"stochastic", "rounding=stochastic_a random_bits=22"},
                                    {"flush", "dst_ftz=pre"}};
constexpr ProfileVariant kDmx10[] = {{"stochastic", "rounding=stochastic_a random_bits=13"},
                                     {"flush", "dst_ftz=pre"}};

constexpr ElementRow bit_rounded(std::string_view destinations, std::string_view sources,
                                 Rounding rounding, std::span<const ProfileVariant> variants) {
  return {.destinations = destinations,
          .sources = sources,
          .policy = bit_rounding(rounding),
          .variants = variants,
          .masks = kMaskNanPayload | kMaskFineBelowNormal};
}

constexpr ElementRow kQtorchElements[] = {
    bit_rounded("e4m3fin e2m3fn", "fp32", Rounding::kTiesToAway, kStochastic3),
    bit_rounded("e5m2fin e3m2fn", "fp32", Rounding::kTiesToAway, kStochastic2),
    bit_rounded("e2m1fn", "fp32", Rounding::kTiesToAway, kStochastic1),
    bit_rounded("e5m10fin", "fp32", Rounding::kTiesToAway, kStochastic10)};

/// Its blocks are whole axes or tensors with integers rounded ties_toward_positive: no format of
/// the table has that shape.
constexpr BlockRow kUnmodelled[] = {{.formats = "*", .masks = kMaskAllBlocks}};

constexpr std::string_view kDmxSources = "fp32 bf16 fp16";

/// torch makes of a binary16 NaN a payload or none by where it stands in the tensor.
constexpr ElementRow bit_rounded16(std::string_view destinations,
                                   std::span<const ProfileVariant> variants) {
  ElementRow row = bit_rounded(destinations, "fp16", Rounding::kTiesToEven, variants);
  row.masks = kMaskNan | kMaskFineBelowNormal;
  return row;
}

/// A binary16 tensor passes through its own format by default, -0, NaN and Inf too; those two have
/// no code in it (spec S5.5).
constexpr ProfileVariant kDmxSame16[] = {
    {"stochastic", "rounding=stochastic_a random_bits=13 zero_sign=flush_positive"},
    {"flush", "dst_ftz=pre zero_sign=flush_positive"}};

constexpr ElementRow kDmxElements[] = {
    {.destinations = "e5m10fin",
     .sources = "fp16",
     .variants = kDmxSame16,
     .masks = kMaskNan | kMaskInf},
    bit_rounded("e4m3fin e2m3fn", "fp32 bf16", Rounding::kTiesToEven, kDmx3),
    bit_rounded("e5m2fin e3m2fn", "fp32 bf16", Rounding::kTiesToEven, kDmx2),
    bit_rounded("e2m1fn", "fp32 bf16", Rounding::kTiesToEven, kDmx1),
    bit_rounded("e5m10fin", "fp32 bf16", Rounding::kTiesToEven, kDmx10),
    bit_rounded16("e4m3fin e2m3fn", kDmx3),
    bit_rounded16("e5m2fin e3m2fn", kDmx2),
    bit_rounded16("e2m1fn", kDmx1)};

// ---- dmx blocks ----

constexpr ElementFormat all_finite(std::string_view name, int exp_bits, int man_bits) {
  return {.name = name,
          .bits = 8,
          .storage_bits = 8,
          .exp_bits = exp_bits,
          .man_bits = man_bits,
          .bias = (1 << (exp_bits - 1)) - 1,
          .max_code = 0x7F};
}
constexpr ElementFormat kE4m3fin = all_finite("e4m3fin", 4, 3);
constexpr ElementFormat kE5m2fin = all_finite("e5m2fin", 5, 2);

/// Numbers near both ends of the binary32 range are garbage, special blocks all NaN.
constexpr Masks kDmxBlockMasks = kMaskNanBlock | kMaskInfBlock | kMaskHugeBlock | kMaskFineLanes;

/// A block of one integer is a float with eight exponent bits there (spec S5.5).
constexpr int kDmxLeastBlock = 2;

constexpr ProfileVariant kDmxDown[] = {{"down", "rounding=toward_negative"}};

constexpr BlockPolicy kDmxMxfp = {.rule = ScaleRule::kFloorLog2f,
                                  .elem_scaling = ElemScaling::kFp32Div};

constexpr BlockRow dmx_mxfp(std::string_view format, const ElementFormat* element) {
  return {.formats = format,
          .sources = kDmxSources,
          .element = bit_rounding(Rounding::kTiesToEven),
          .block = kDmxMxfp,
          .masks = kDmxBlockMasks | kMaskZeroBlock | kMaskZeroBlockCodes | kMaskClampedScale,
          .element_format = element};
}

constexpr BlockRow kDmxBlocks[] = {
    {.formats = "bfp24_64 bfp24_32 bfp24_16 bfp16_128 bfp16_64 bfp16_32 bfp16_16 bfp14_128 "
                "bfp14_64 bfp14_32 bfp14_16 bfp12_128 bfp12_64 bfp12_32 bfp12_16",
     .sources = kDmxSources,
     .block = {.rule = ScaleRule::kFloor},
     .variants = kDmxDown,
     .masks = kDmxBlockMasks | kMaskSubnormalBlock | kMaskZeroBlock,
     .least_block = kDmxLeastBlock},
    {.formats = "mxint8 mxint6 mxint4",
     .sources = kDmxSources,
     .block = {.rule = ScaleRule::kFloor},
     .masks = kDmxBlockMasks | kMaskSubnormalBlock | kMaskZeroBlock,
     .least_block = kDmxLeastBlock},
    dmx_mxfp("mxfp8_e4m3", &kE4m3fin),
    dmx_mxfp("mxfp8_e5m2", &kE5m2fin),
    dmx_mxfp("mxfp6_e3m2 mxfp6_e2m3 mxfp4", nullptr),
    {.formats = "*", .sources = kDmxSources, .masks = kMaskAllBlocks}};

// ---- AIMET: the cast at scale 1; scales come from a logarithm and a power, so as data ----

constexpr ElementRow kAimetElements[] = {
    {.destinations = "e4m3fn e4m3fnuz e5m2fnuz", .sources = "fp32", .masks = kMaskNegativeNan},
    {.destinations = "e5m2 fp16 bf16", .sources = "fp32", .masks = kMaskNan},
    {.destinations = "e2m1fn", .sources = "fp32", .masks = kMaskNan}};

constexpr Profile kSeedsProfiles[] = {
    {.name = "torchmx-0.1.0/sim",
     .system = "torchmx, simulated path",
     .version = "0.1.0",
     .source = "rain-neuromorphics/torchmx:torchmx/mx_tensor @7648b97 (spec S6.3)",
     .description = "bfloat16 blocks, no single values; mxint8 codes are integers, so its scale "
                    "bytes are 6 lower than MX's; products rounded in the target type are not "
                    "modelled",
     .elements = kTorchmxElements,
     .blocks = kTorchmxSim},
    {.name = "torchmx-0.1.0/hw",
     .system = "torchmx, hardware-exact path",
     .version = "0.1.0",
     .source = "rain-neuromorphics/torchmx:torchmx/mx_tensor @7648b97 (spec S6.3)",
     .description = "as sim; the codes it leaves under scale FF are masked",
     .elements = kTorchmxElements,
     .blocks = kTorchmxHw},
    {.name = "dmx-0.1.11/cpu",
     .system = "dmx-compressor on CPU",
     .version = "0.1.11 @69a2245",
     .source = "d-matrix-ai/dmx-compressor:src/dmx/compressor/numerical/format.py @69a2245 "
               "(spec S5)",
     .description = "values, every code finite; masked: what an addition in binary32 rounds first, "
                    "special and extreme blocks; integer blocks of one element (floats there), "
                    "SBFP and fixed point (quotients and products rounded in binary32) are not "
                    "modelled",
     .elements = kDmxElements,
     .blocks = kDmxBlocks},
    {.name = "qtorch-0.3.0/cpu",
     .system = "QPyTorch on CPU",
     .version = "0.3.0",
     .source = "qtorch 0.3.0: qtorch/quant (spec S4)",
     .description = "values, every code finite; masked: subnormal results that an addition in "
                    "binary32 rounds first; blocks (whole axes) and fixed point are not modelled",
     .elements = kQtorchElements,
     .blocks = kUnmodelled},
    {.name = "aimet-2.42",
     .system = "AIMET FloatQuantizeDequantize",
     .version = "2.42.0",
     .source = "aimet-torch 2.42.0: aimet_torch/quantization/float/quantizer.py "
               "(spec S8)",
     .description = "scale 1, binary32 tensors, types with a torch dtype and e2m1fn; scales are "
                    "made by log2 and pow, which no rule expresses, so blocks are not modelled",
     .elements = kAimetElements,
     .blocks = kUnmodelled}};

}  // namespace

std::span<const Profile> seeds() { return kSeedsProfiles; }

}  // namespace mx::profile_data
