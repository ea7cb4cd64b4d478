// The block formats: rows of spec F5 and of the systems it names.
#include <array>

#include "reference/format/table.hpp"

namespace mx {
namespace {

using formats::e2m1fn;
using formats::e4m3fn;
using formats::e5m2;
using formats::fp32;

constexpr BlockFormat mx_format(std::string_view name, const ElementFormat& element) {
  return {.name = name, .element = element, .scale = formats::e8m0, .defined_by = "OCP MX 1.0"};
}

constexpr BlockFormat nvfp4(std::string_view name, int tile_lines) {
  return {.name = name,
          .element = e2m1fn,
          .scale = formats::ue4m3,
          .block_size = 16,
          .tile_lines = tile_lines,
          .tensor_scale = TensorScale::kFp32,
          .rule = ScaleRule::kNvfp4Exact,
          .defined_by = "NVIDIA"};
}

/// One level, the block maximum brought to the largest element: nvfp4_exact without tensor scale.
constexpr BlockFormat ue5m3_blocks(std::string_view name, int block_size) {
  return {.name = name,
          .element = e2m1fn,
          .scale = formats::ue5m3,
          .block_size = block_size,
          .rule = ScaleRule::kNvfp4Exact,
          .defined_by = "CUDA 13.4 / PTX 9.4 conversions"};
}

constexpr ElementFormat sign_magnitude(std::string_view name, int bits) {
  return {.name = name,
          .bits = bits,
          .storage_bits = 8,
          .kind = FormatKind::kSignMagnitude,
          .frac_bits = bits - 2,
          .max_code = (std::uint64_t{1} << (bits - 1)) - 1};
}

constexpr ElementFormat integer(std::string_view name, int bits) {
  return {.name = name,
          .bits = bits,
          .storage_bits = bits <= 8    ? 8
                          : bits <= 16 ? 16
                                       : 32,
          .kind = FormatKind::kTwosComplement,
          .frac_bits = bits - 2,
          .zero = ZeroKind::kPosOnly,
          .max_code = (std::uint64_t{1} << (bits - 1)) - 1};
}

constexpr ElementFormat whole_int4 = {.name = "fixed4.0",
                                      .bits = 4,
                                      .storage_bits = 8,
                                      .kind = FormatKind::kTwosComplement,
                                      .zero = ZeroKind::kPosOnly,
                                      .max_code = 0x7};

constexpr BlockFormat hifx4 = {.name = "hifx4",
                               .element = sign_magnitude("sm4", 4),
                               .scale = formats::ue6m2,
                               .block_size = 64,
                               .sublevels = {8, 4},
                               .rule = ScaleRule::kHif4,
                               .defined_by = "Huawei HiFloat4 repository"};

constexpr BlockFormat fp32_scaled(std::string_view name, const ElementFormat& element,
                                  BlockExtent extent, int block_size, int tile_lines) {
  return {.name = name,
          .element = element,
          .scale = fp32,
          .block_size = block_size,
          .tile_lines = tile_lines,
          .extent = extent,
          .rule = extent == BlockExtent::kTensor ? ScaleRule::kFp32Tensor : ScaleRule::kFp32Block,
          .defined_by = "cuBLAS, TransformerEngine, DeepSeek style"};
}

constexpr BlockFormat tenstorrent(std::string_view name, int bits, const ScaleFormat& scale) {
  return {.name = name,
          .element = sign_magnitude(bits == 8   ? "sm8"
                                    : bits == 4 ? "sm4"
                                                : "sm2",
                                    bits),
          .scale = scale,
          .block_size = 16,
          .cut_from = bits == 8 ? 0 : 8,
          .negative_zero = scale.bits == 8 ? NegativeZeroDatum::kMinusInfinity
                                           : NegativeZeroDatum::kMinusTwoTo16,
          .defined_by = "Tenstorrent ISA documentation"};
}

/// dmx BFP16, BFP14 and BFP12 of n elements: 8, 6 and 4 bits; the exponent counts as 8 more.
constexpr BlockFormat dmx_bfp(std::string_view name, int bits, int block_size) {
  return {.name = name,
          .element = integer(bits == 8   ? "int8"
                             : bits == 6 ? "int6"
                             : bits == 4 ? "int4"
                                         : "int16",
                             bits),
          .scale = formats::bfp_exp8,
          .block_size = block_size,
          .defined_by = "dmx strict (spec S2, ST10)"};
}

constexpr BlockFormat mxint(std::string_view name, int bits) {
  return {.name = name,
          .element = integer(bits == 6 ? "int6" : "int4", bits),
          .scale = formats::e8m0,
          .defined_by = "dmx MXINT, strict"};
}

/// SBFP<XP[4,0](CSN)><FP[0|4|4,bias](FN)>{16}: no subnormal scales, every scale code finite.
constexpr BlockFormat sbfp(std::string_view name, std::string_view scale_name, int bias) {
  return {.name = name,
          .element = whole_int4,
          .scale = {.name = scale_name,
                    .bits = 8,
                    .storage_bits = 8,
                    .is_signed = false,
                    .exp_bits = 4,
                    .man_bits = 4,
                    .bias = bias,
                    .has_subnormal = false,
                    .zero = ZeroKind::kPosOnly,
                    .max_code = 0xFF},
          .block_size = 16,
          .rule = ScaleRule::kSbfp,
          .defined_by = "dmx strict (spec S2, ST11)"};
}

/// FBGEMM's MX4: the exponent clamped to [-127, 125] and stored + 127.
constexpr BlockFormat fbgemm_mx4(std::string_view name, const ElementFormat& element, int emax) {
  return {.name = name,
          .element = element,
          .scale = formats::e8m0,
          .rule_emax = emax,
          .scale_limit = 252,
          .rule = ScaleRule::kCeilLog2f,
          .defined_by = "FBGEMM"};
}

/// P3109's ConvertToBlockMaxAbsFinite: signed elements under the mandatory scale binary8p1uf.
constexpr BlockFormat p3109(std::string_view name, std::string_view element, int bits,
                            int precision, InfKind inf) {
  const int exp_bits = bits - precision;
  const std::uint64_t top = (std::uint64_t{1} << (bits - 1)) - 1;
  return {.name = name,
          .element = {.name = element,
                      .bits = bits,
                      .storage_bits = 8,
                      .exp_bits = exp_bits,
                      .man_bits = precision - 1,
                      .bias = 1 << (exp_bits - 1),
                      .zero = ZeroKind::kPosOnly,
                      .inf = inf,
                      .nan = NanKind::kNegZeroSlot,
                      .max_code = inf == InfKind::kNone ? top : top - 1,
                      .canonical_nan = top + 1},
          .scale = {.name = "binary8p1uf",
                    .bits = 8,
                    .storage_bits = 8,
                    .is_signed = false,
                    .exp_bits = 8,
                    .bias = 128,
                    .has_subnormal = false,
                    .zero = ZeroKind::kPosOnly,
                    .nan = NanKind::kTopCode,
                    .max_code = 0xFE,
                    .canonical_nan = 0xFF},
          .rule = ScaleRule::kMaxabsFinite,
          .defined_by = "P3109 v4.0, 5.2.3"};
}

constexpr BlockFormat with_block_size(BlockFormat format, std::string_view name, int block_size,
                                      std::string_view defined_by) {
  format.name = name;
  format.block_size = block_size;
  format.defined_by = defined_by;
  return format;
}

constexpr std::size_t kMxFormats = 6;

constexpr std::array kBlockFormats = {
    mx_format("mxfp8_e4m3", e4m3fn),
    mx_format("mxfp8_e5m2", e5m2),
    mx_format("mxfp6_e3m2", formats::e3m2fn),
    mx_format("mxfp6_e2m3", formats::e2m3fn),
    mx_format("mxfp4", e2m1fn),
    mx_format("mxint8", formats::int8),
    with_block_size(mx_format("", e2m1fn), "e2m1_e8m0_k16", 16, "PTX mxf4nvf4, .scale_vec::4X"),
    nvfp4("nvfp4", 1),
    nvfp4("nvfp4_16x16", 16),
    ue5m3_blocks("e2m1_ue5m3_k16", 16),
    ue5m3_blocks("e2m1_ue5m3_k32", 32),
    hifx4,
    fp32_scaled("fp8_e4m3_fp32_tensor", e4m3fn, BlockExtent::kTensor, 1, 1),
    fp32_scaled("fp8_e4m3_fp32_row", e4m3fn, BlockExtent::kAxis, 1, 1),
    fp32_scaled("fp8_e4m3_fp32_1x128", e4m3fn, BlockExtent::kElements, 128, 1),
    fp32_scaled("fp8_e4m3_fp32_128x128", e4m3fn, BlockExtent::kElements, 128, 128),
    fp32_scaled("fp8_e5m2_fp32_tensor", e5m2, BlockExtent::kTensor, 1, 1),
    fp32_scaled("fp8_e5m2_fp32_row", e5m2, BlockExtent::kAxis, 1, 1),
    fp32_scaled("fp8_e5m2_fp32_1x128", e5m2, BlockExtent::kElements, 128, 1),
    fp32_scaled("fp8_e5m2_fp32_128x128", e5m2, BlockExtent::kElements, 128, 128),
    tenstorrent("tt_bfp8", 8, formats::bfp_exp8),
    tenstorrent("tt_bfp4", 4, formats::bfp_exp8),
    tenstorrent("tt_bfp2", 2, formats::bfp_exp8),
    tenstorrent("tt_bfp8a", 8, formats::bfp_exp5),
    tenstorrent("tt_bfp4a", 4, formats::bfp_exp5),
    tenstorrent("tt_bfp2a", 2, formats::bfp_exp5),
    mxint("mxint6", 6),
    mxint("mxint4", 4),
    dmx_bfp("bfp24_64", 16, 64),
    dmx_bfp("bfp24_32", 16, 32),
    dmx_bfp("bfp24_16", 16, 16),
    dmx_bfp("bfp16_128", 8, 128),
    dmx_bfp("bfp16_64", 8, 64),
    dmx_bfp("bfp16_32", 8, 32),
    dmx_bfp("bfp16_16", 8, 16),
    dmx_bfp("bfp14_128", 6, 128),
    dmx_bfp("bfp14_64", 6, 64),
    dmx_bfp("bfp14_32", 6, 32),
    dmx_bfp("bfp14_16", 6, 16),
    dmx_bfp("bfp12_128", 4, 128),
    dmx_bfp("bfp12_64", 4, 64),
    dmx_bfp("bfp12_32", 4, 32),
    dmx_bfp("bfp12_16", 4, 16),
    sbfp("sbfp12_16_4", "sbfp_scale_4", 4),
    sbfp("sbfp12_16_5", "sbfp_scale_5", 5),
    sbfp("sbfp12_16_6", "sbfp_scale_6", 6),
    sbfp("sbfp12_16_7", "sbfp_scale_7", 7),
    sbfp("sbfp12_16_8", "sbfp_scale_8", 8),
    sbfp("sbfp12_16_9", "sbfp_scale_9", 9),
    sbfp("sbfp12_16_10", "sbfp_scale_10", 10),
    sbfp("sbfp12_16_11", "sbfp_scale_11", 11),
    sbfp("sbfp12_16_12", "sbfp_scale_12", 12),
    sbfp("sbfp12_16_13", "sbfp_scale_13", 13),
    sbfp("sbfp12_16_14", "sbfp_scale_14", 14),
    sbfp("sbfp12_16_15", "sbfp_scale_15", 15),
    sbfp("sbfp12_16_16", "sbfp_scale_16", 16),
    sbfp("sbfp12_16_17", "sbfp_scale_17", 17),
    sbfp("sbfp12_16_18", "sbfp_scale_18", 18),
    fbgemm_mx4("fbgemm_mx4", e2m1fn, 2),
    fbgemm_mx4("fbgemm_mx4_e3m0", formats::e3m0, 3),
    p3109("binary8p4se_k32", "binary8p4se", 8, 4, InfKind::kP3109Top),
    p3109("binary8p3se_k32", "binary8p3se", 8, 3, InfKind::kP3109Top),
    p3109("binary4p2sf_k32", "binary4p2sf", 4, 2, InfKind::kNone)};

constexpr std::array kNamedOnly = {
    NamedOnlyFormat{"msfp12", "16 elements, sign and 3 magnitude bits, 8-bit exponent", "memory"},
    NamedOnlyFormat{"msfp16", "16 elements, sign and 7 magnitude bits, 8-bit exponent", "memory"},
    NamedOnlyFormat{"mx9", "16 elements in pairs, 7 mantissa bits, 8-bit and 1-bit exponents",
                    "memory"},
    NamedOnlyFormat{"mx6", "16 elements in pairs, 4 mantissa bits, 8-bit and 1-bit exponents",
                    "memory"},
    NamedOnlyFormat{"mx4", "16 elements in pairs, 2 mantissa bits, 8-bit and 1-bit exponents",
                    "memory"},
    NamedOnlyFormat{"mx_plus", "32 elements, the maximum's exponent field holds mantissa bits",
                    "memory"},
    NamedOnlyFormat{"q4_0", "ggml: 32 integers under an fp16 scale", "ggml"},
    NamedOnlyFormat{"q5_0", "ggml: 32 integers under an fp16 scale", "ggml"},
    NamedOnlyFormat{"q8_0", "ggml: 32 integers under an fp16 scale", "ggml"},
    NamedOnlyFormat{"k_quants", "ggml: 256 integers, fp16 scale and 6-bit sub-scales", "ggml"},
    NamedOnlyFormat{"cfloat8_1_4_3", "8 bits, configurable 6-bit bias", "memory"},
    NamedOnlyFormat{"cfloat8_1_5_2", "8 bits, configurable 6-bit bias", "memory"}};

}  // namespace

std::span<const BlockFormat> mx_block_formats() {
  return std::span<const BlockFormat>(kBlockFormats).first(kMxFormats);
}

std::span<const BlockFormat> all_block_formats() { return kBlockFormats; }

std::span<const NamedOnlyFormat> named_only_formats() { return kNamedOnly; }

const BlockFormat* find_block_format(std::string_view name) {
  for (const BlockFormat& row : kBlockFormats) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace mx
