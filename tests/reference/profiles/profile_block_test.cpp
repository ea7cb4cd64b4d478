// What the named profiles do with blocks: spec F11.6, F11.4, F14 and F17 and
// spec S9, every fact that names a system, asked through its profile.
#include <gtest/gtest.h>

#include "tests/reference/profiles/profile_ask.hpp"

namespace mx {
namespace {

constexpr std::uint64_t kInf = 0x7F800000, kMinusInf = 0xFF800000;
constexpr std::uint64_t kNan = 0x7FC00000, kMinusNan = 0xFFC00000;
using Codes = std::vector<std::uint64_t>;

// G1 and G2 by the rules that systems offer: torchao's four, FBGEMM's, ggml's and microxcaling's.
struct ScaleRow {
  const char* element;
  std::uint64_t amax;
  std::uint64_t floor, ceil, rceil, even_up, even_down, nearest_log, floor_log2f;
};

std::string mx_name(std::string_view element) {
  if (element == "e2m1fn") return "mxfp4";
  if (element == "e2m3fn") return "mxfp6_e2m3";
  if (element == "e3m2fn") return "mxfp6_e3m2";
  return element == "e4m3fn" ? "mxfp8_e4m3" : "mxfp8_e5m2";
}

const std::vector<ScaleRow>& scale_rows() {
  static const std::vector<ScaleRow> kRows = {
      {"e2m1fn", f32(5.0), 0x7F, 0x80, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F},
      {"e2m1fn", f32(6.0), 0x7F, 0x80, 0x7F, 0x7F, 0x7F, 0x80, 0x7F},
      {"e2m1fn", 0x40C00001, 0x7F, 0x80, 0x80, 0x7F, 0x7F, 0x80, 0x7F},
      {"e2m1fn", f32(7.0), 0x7F, 0x80, 0x80, 0x80, 0x7F, 0x80, 0x7F},
      {"e2m1fn", 0x40FFFFFF, 0x7F, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80},
      {"e4m3fn", f32(384), 0x7F, 0x80, 0x7F, 0x7F, 0x7F, 0x80, 0x7F},
      {"e4m3fn", 0x43E00001, 0x7F, 0x80, 0x80, 0x7F, 0x7F, 0x80, 0x7F},
      {"e4m3fn", f32(464), 0x7F, 0x80, 0x80, 0x7F, 0x7F, 0x80, 0x7F},
      {"e4m3fn", f32(496), 0x7F, 0x80, 0x80, 0x80, 0x7F, 0x80, 0x7F},
      {"e4m3fn", 0x43FFFFFF, 0x7F, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80},
      {"e5m2", f32(57344) + 1, 0x7F, 0x80, 0x80, 0x7F, 0x7F, 0x80, 0x7F},
      {"e2m3fn", f32(7.5) + 1, 0x7F, 0x80, 0x80, 0x7F, 0x7F, 0x80, 0x7F},
      {"e2m3fn", f32(7.75), 0x7F, 0x80, 0x80, 0x80, 0x7F, 0x80, 0x7F},
      {"e3m2fn", f32(30), 0x7F, 0x80, 0x80, 0x80, 0x7F, 0x80, 0x7F}};
  return kRows;
}

TEST(G1, Torchao) {
  ProfileDesk desk;
  for (const ScaleRow& r : scale_rows()) {
    for (const char* name : {"torchao-0.18", "torchao-0.19dev"}) {
      const std::string format = mx_name(r.element);
      EXPECT_EQ(desk.scale(name, format, r.amax), r.floor) << name << ' ' << std::hex << r.amax;
      EXPECT_EQ(desk.scale(name, format, r.amax, "ceil"), r.ceil);
      EXPECT_EQ(desk.scale(name, format, r.amax, "even_up"), r.even_up);
      EXPECT_EQ(desk.scale(name, format, r.amax, "rceil"), r.rceil) << name << std::hex << r.amax;
    }
  }
}

TEST(G1, Microxcaling) {
  ProfileDesk desk;
  for (const ScaleRow& r : scale_rows()) {
    const std::string format = mx_name(r.element);
    EXPECT_EQ(desk.scale("microxcaling-1.1.0/py-f32", format, r.amax), r.floor_log2f);
    EXPECT_EQ(desk.scale("microxcaling-1.1.0/cpp", format, r.amax), r.floor);
    EXPECT_EQ(desk.scale("gfloat", format, r.amax), r.floor_log2f);
    EXPECT_EQ(desk.scale("ocp-mx-1.0", format, r.amax), r.floor);
  }
}

TEST(G1, Fbgemm) {
  ProfileDesk desk;
  for (const ScaleRow& r : scale_rows()) {
    if (std::string_view(r.element) != "e2m1fn") continue;
    EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4", r.amax), r.ceil);
    EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4", r.amax, "nearest_log2f"), r.nearest_log);
    EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4", r.amax, "floor"), r.floor);
    EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4", r.amax, "even_down"), r.even_down);
    EXPECT_EQ(desk.scale("ggml", "mxfp4", r.amax), r.floor_log2f);
  }
}

TEST(G1, CublasAndTransformerEngine) {
  ProfileDesk desk;
  for (const ScaleRow& r : scale_rows()) {
    const std::string format = mx_name(r.element);
    if (!format.starts_with("mxfp8")) continue;
    EXPECT_EQ(desk.scale("cublas-13", format, r.amax), r.rceil);
    EXPECT_EQ(desk.scale("te", format, r.amax), r.rceil);
  }
}

TEST(G3, ElementCodes) {
  ProfileDesk desk;
  const Codes x = {f32(7), f32(3.5), f32(2.5), f32(0.75), f32(0.25), 0x80000000};
  for (const char* name : {"torchao-0.18", "torchao-0.19dev", "ocp-mx-1.0"}) {
    EXPECT_EQ(desk.block(name, "mxfp4", x).codes, (Codes{7, 6, 4, 2, 0, 8})) << name;
  }
  for (const char* variant : {"ceil", "rceil", "even_up"}) {
    EXPECT_EQ(desk.block("torchao-0.18", "mxfp4", x, variant).codes, (Codes{6, 4, 2, 1, 0, 8}));
    EXPECT_EQ(desk.block("torchao-0.19dev", "mxfp4", x, variant).codes, (Codes{6, 4, 2, 1, 0, 8}));
  }
}

// spec F17, G9: the vendors' chains on ties of the exact value.
struct Nvfp4Row {
  std::uint64_t g, b;  ///< bfloat16
  std::uint64_t exact, torchao, te;
};
constexpr Nvfp4Row kNvfp4Rows[] = {{0x3F82, 0x3F43, 0x7A, 0x7A, 0x7B},
                                   {0x3F8C, 0x3C91, 0x4F, 0x4E, 0x4F},
                                   {0x3F9A, 0x3E51, 0x69, 0x69, 0x6A}};

std::uint64_t nvfp4_scale(ProfileDesk& desk, const char* name, std::uint64_t g, std::uint64_t b) {
  const QuantizerConfig config = desk.config(name, "nvfp4");
  const TensorLevel level = tensor_level(config, decode(formats::fp32, g << 16));
  return desk.block(name, "nvfp4", {b << 16}, "", "fp32", level).scale;
}

TEST(G9, TeChain) {
  ProfileDesk desk;
  for (const Nvfp4Row& r : kNvfp4Rows) EXPECT_EQ(nvfp4_scale(desk, "te", r.g, r.b), r.te);
}

TEST(G9, TorchaoChain) {
  ProfileDesk desk;
  for (const char* name : {"torchao-0.18", "torchao-0.19dev"}) {
    for (const Nvfp4Row& r : kNvfp4Rows) EXPECT_EQ(nvfp4_scale(desk, name, r.g, r.b), r.torchao);
  }
}

TEST(G9, MxgoldDefaultIsExact) {
  ProfileDesk desk;
  EXPECT_EQ(desk.config("mxgold-default", "nvfp4").block.rule, ScaleRule::kNvfp4Exact);
  for (const Nvfp4Row& r : kNvfp4Rows) {
    EXPECT_EQ(nvfp4_scale(desk, "mxgold-default", r.g, r.b), r.exact);
  }
}

// g = 2688: S_enc = 1. torchao has a floor of 2^-6, TransformerEngine none.
TEST(G9, FloorOfTheScale) {
  ProfileDesk desk;
  const std::uint64_t hundredth = 0x3C23D70A;
  const auto scale = [&](const char* name, std::uint64_t b) {
    const TensorLevel level =
        tensor_level(desk.config(name, "nvfp4"), unpack_integer(false, 2688, 0));
    return desk.block(name, "nvfp4", {b}, "", "fp32", level).scale;
  };
  EXPECT_EQ(scale("te", hundredth), 0x01U);
  EXPECT_EQ(scale("torchao-0.18", hundredth), 0x08U);
  EXPECT_EQ(scale("te", 0), 0x00U);
  EXPECT_EQ(scale("torchao-0.19dev", 0), 0x08U);
}

TEST(G9, GgmlScale) {
  ProfileDesk desk;
  EXPECT_EQ(desk.scale("ggml", "nvfp4", f32(6 * 256)), 0x7EU);
  EXPECT_EQ(desk.scale("ggml", "nvfp4", f32(6 * 248)), 0x7EU);
  EXPECT_EQ(desk.scale("ggml", "nvfp4", f32(6)), 0x38U);
}

TEST(G14, Log2Traps) {
  ProfileDesk desk;
  int traps = 0;
  for (std::uint64_t k = 3; k <= 254; ++k) {  // 2^-124 ..: clear of the lower clamp
    const std::uint64_t below = (k << 23) - 1;
    const std::uint64_t exact = desk.scale("microxcaling-1.1.0/cpp", "mxfp4", below);
    const std::uint64_t read = desk.scale("microxcaling-1.1.0/py-f32", "mxfp4", below);
    EXPECT_EQ(desk.scale("gfloat", "mxfp4", below), read);
    traps += read != exact ? 1 : 0;
  }
  EXPECT_EQ(traps, 248);  // 252 powers of two but 2^-1 .. 2^2
}

// ---- spec F11.6 ----

TEST(EdgeCases, ZeroBlock) {
  ProfileDesk desk;
  for (const char* name : {"torchao-0.19dev", "torchao-0.18", "te", "cublas-13", "gfloat",
                           "microxcaling-1.1.0/py-f32", "microxcaling-1.1.0/cpp"}) {
    const ProfileDesk::Block zero = desk.block(name, "mxfp8_e4m3", {0, 0});
    EXPECT_EQ(zero.scale, 0x00U) << name;
    EXPECT_EQ(zero.codes, (Codes{0, 0})) << name;
  }
  EXPECT_EQ(desk.scale("ggml", "mxfp4", 0), 0x00U);
  EXPECT_TRUE(desk.block("ocp-mx-1.0", "mxfp4", {0}).masked.scale);
  // FBGEMM: the rule at 2^-126, then clamped.
  EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4", 0), 0x00U);
}

TEST(EdgeCases, SubnormalMaximum) {
  ProfileDesk desk;
  for (const char* name : {"torchao-0.19dev", "te", "cublas-13", "gfloat"}) {
    EXPECT_EQ(desk.scale(name, "mxfp8_e4m3", 0x00000001), 0x00U) << name;
    EXPECT_EQ(desk.scale(name, "mxfp8_e4m3", 0x007FFFFF), 0x00U) << name;
  }
  for (const char* variant : {"ceil", "even_up", "rceil"}) {
    EXPECT_EQ(desk.scale("torchao-0.19dev", "mxfp8_e4m3", 0x007FFFFF, variant), 0x00U);
  }
  // ggml converts a negative float to uint8 below 2^-125.
  EXPECT_TRUE(desk.block("ggml", "mxfp4", {(std::uint64_t{2} << 23) - 1}).masked.scale);
  EXPECT_FALSE(desk.block("ggml", "mxfp4", {std::uint64_t{2} << 23}).masked.scale);
  // flush_fp32_subnorms zeros the block.
  const ProfileDesk::Block flushed =
      desk.block("microxcaling-1.1.0/cpp", "mxint8", {0x007FFFFF}, "flush_fp32_subnorms");
  EXPECT_EQ(flushed.codes, Codes{0});
  EXPECT_NE(desk.block("microxcaling-1.1.0/cpp", "mxint8", {0x007FFFFF}).codes, Codes{0});
}

TEST(EdgeCases, TorchaoDevNanBlock) {
  ProfileDesk desk;
  for (const char* variant : {"", "ceil", "even_up", "rceil"}) {
    const auto block = desk.block("torchao-0.19dev", "mxfp8_e4m3", {kMinusNan, f32(1), 0}, variant);
    EXPECT_EQ(block.scale, 0xFFU);
    EXPECT_EQ(block.codes, (Codes{0x7F, 0x7F, 0x7F}));
    EXPECT_FALSE(block.masked.codes);
    EXPECT_TRUE(desk.block("torchao-0.19dev", "mxfp4", {kNan, f32(1)}, variant).masked.codes);
  }
}

TEST(EdgeCases, TorchaoDevInfBlock) {
  ProfileDesk desk;
  for (const char* variant : {"", "ceil", "even_up", "rceil"}) {
    EXPECT_EQ(desk.scale("torchao-0.19dev", "mxfp8_e5m2", kInf, variant), 0xFFU);
    EXPECT_EQ(desk.scale("torchao-0.19dev", "mxfp4", kMinusInf, variant), 0xFFU);
  }
}

TEST(EdgeCases, TorchaoDevNearFltMax) {
  ProfileDesk desk;
  EXPECT_EQ(desk.scale("torchao-0.19dev", "mxfp8_e4m3", 0x7F7FFFFF, "even_up"), 0xFFU);
  EXPECT_EQ(desk.scale("torchao-0.19dev", "mxfp8_e4m3", 0x7F7FFFFF), 0xF6U);
  EXPECT_LE(desk.scale("torchao-0.19dev", "mxfp4", 0x7F7FFFFF, "rceil"), 0xFEU);
}

TEST(EdgeCases, TransformerEngine) {
  ProfileDesk desk;
  // NaN is passed over: the other element decides; alone it leaves a maximum of 0.
  const auto mixed = desk.block("te", "mxfp8_e4m3", {kMinusNan, f32(448)});
  EXPECT_EQ(mixed.scale, 0x7FU);
  EXPECT_EQ(mixed.codes, (Codes{0x7F, 0x7E}));
  const auto alone = desk.block("te", "mxfp8_e4m3", {kNan, kNan});
  EXPECT_EQ(alone.scale, 0x00U);
  EXPECT_EQ(alone.codes, (Codes{0x7F, 0x7F}));
  EXPECT_EQ(desk.block("te", "mxfp8_e4m3", {kInf, f32(1)}).scale, 0xFEU);
  EXPECT_EQ(desk.block("te", "mxfp8_e4m3", {kMinusInf, f32(1)}).codes, (Codes{0xFE, 0x00}));
  EXPECT_LE(desk.scale("te", "mxfp8_e4m3", 0x7F7FFFFF), 0xFEU);
}

TEST(EdgeCases, MicroxcalingSpecialBlocksAreNan) {
  ProfileDesk desk;
  for (const char* name : {"microxcaling-1.1.0/py-f32", "microxcaling-1.1.0/cpp"}) {
    for (const std::uint64_t special : {kNan, kInf, kMinusInf}) {
      const auto block = desk.block(name, "mxfp8_e4m3", {special, f32(1)});
      EXPECT_EQ(block.scale, 0xFFU) << name;
      EXPECT_TRUE(block.masked.codes);
      EXPECT_EQ(block.values, (Codes{kNan, kNan}));
    }
  }
}

TEST(EdgeCases, GfloatInfinityClips) {
  ProfileDesk desk;
  const auto block = desk.block("gfloat", "mxfp8_e4m3", {kInf, f32(1)});
  EXPECT_EQ(block.scale, 0xFEU);
  EXPECT_EQ(block.codes[0], 0x7EU);
  EXPECT_EQ(desk.block("gfloat", "mxfp8_e4m3", {kNan, f32(1)}).scale, 0xFFU);
}

TEST(EdgeCases, GgmlReadsFltMaxOneTooHigh) {
  ProfileDesk desk;
  EXPECT_EQ(desk.scale("ggml", "mxfp4", 0x7F7FFFFF), 0xFDU);
  EXPECT_TRUE(desk.block("ggml", "mxfp4", {kInf}).masked.scale);
  const auto with_nan = desk.block("ggml", "mxfp4", {kNan, f32(4)});
  EXPECT_EQ(with_nan.scale, 0x7FU);
  EXPECT_FALSE(with_nan.masked.scale);
  const QuantizerConfig config = desk.config("ggml", "mxfp4");
  EXPECT_TRUE(is_lane_masked(with_nan.masked, config, kNan));
  EXPECT_FALSE(is_lane_masked(with_nan.masked, config, f32(4)));
}

TEST(EdgeCases, Torchao018InfBlock) {
  ProfileDesk desk;
  const std::pair<const char*, std::uint64_t> scales[] = {{"mxfp8_e4m3", 0xF7},
                                                          {"mxfp8_e5m2", 0xF0},
                                                          {"mxfp6_e3m2", 0xFB},
                                                          {"mxfp6_e2m3", 0xFD},
                                                          {"mxfp4", 0xFD}};
  for (const auto& [format, scale] : scales) {
    for (const char* variant : {"", "ceil", "even_up"}) {
      const auto block = desk.block("torchao-0.18", format, {kInf, kMinusInf, f32(1)}, variant);
      EXPECT_EQ(block.scale, scale) << format << ' ' << variant;
      const ElementFormat& element = desk.config("torchao-0.18", format).format.element;
      EXPECT_EQ(block.codes, (Codes{element.max_code, element.max_code | element.sign_bit(), 0}));
    }
    // even_up at the carry to 2^128.
    EXPECT_EQ(desk.scale("torchao-0.18", format, 0x7F7FFFFF, "even_up"), scale);
    const auto rceil = desk.block("torchao-0.18", format, {kInf, f32(1)}, "rceil");
    EXPECT_EQ(rceil.scale, 0xFEU);
    EXPECT_EQ(rceil.codes[1], 0U);
  }
}

TEST(EdgeCases, Torchao018NanBlock) {
  ProfileDesk desk;
  const Codes x = {kNan, kMinusNan, kInf, f32(1), f32(-1)};
  for (const char* variant : {"", "ceil", "even_up"}) {
    const auto block = desk.block("torchao-0.18", "mxfp8_e4m3", x, variant);
    EXPECT_EQ(block.scale, 0xFFU);
    EXPECT_EQ(block.codes, (Codes{0x7F, 0xFF, 0xFF, 0x00, 0x80}));
    EXPECT_FALSE(block.masked.codes);
    // FP4: numbers are zeros, the others garbage.
    const auto small = desk.block("torchao-0.18", "mxfp4", x, variant);
    const QuantizerConfig config = desk.config("torchao-0.18", "mxfp4", variant);
    EXPECT_EQ(small.codes[3], 0x0U);
    EXPECT_EQ(small.codes[4], 0x8U);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(is_lane_masked(small.masked, config, x[i]), i < 3) << i;
    }
  }
  EXPECT_EQ(desk.block("torchao-0.18", "mxfp8_e4m3", x, "rceil").codes,
            (Codes{0x7F, 0x7F, 0x7F, 0x7F, 0x7F}));
}

TEST(EdgeCases, Torchao018RceilIsOneTooLow) {
  ProfileDesk desk;
  EXPECT_EQ(desk.scale("torchao-0.18", "mxfp8_e4m3", 0x4DE00001, "rceil"), 0x93U);
  EXPECT_EQ(desk.scale("torchao-0.19dev", "mxfp8_e4m3", 0x4DE00001, "rceil"), 0x94U);
  // bfloat16 inputs are never affected.
  for (std::uint64_t x = 0x0080; x < 0x7F80; ++x) {
    EXPECT_EQ(desk.scale("torchao-0.18", "mxfp8_e4m3", x, "rceil", "bf16"),
              desk.scale("torchao-0.19dev", "mxfp8_e4m3", x, "rceil", "bf16"))
        << std::hex << x;
    x += 6;
  }
}

TEST(EdgeCases, Torchao018ScaleZeroBlocks) {
  ProfileDesk desk;
  const auto floor = desk.block("torchao-0.18", "mxfp8_e4m3", {std::uint64_t{7} << 23});
  EXPECT_EQ(floor.scale, 0x00U);
  EXPECT_EQ(floor.codes, Codes{0x68});
  EXPECT_EQ(floor.values, (Codes{std::uint64_t{6} << 23}));  // 2^-121
  const auto rceil = desk.block("torchao-0.18", "mxfp8_e4m3", {std::uint64_t{7} << 23}, "rceil");
  EXPECT_EQ(rceil.scale, 0x00U);
  EXPECT_EQ(rceil.codes, Codes{0x00});
  EXPECT_EQ(desk.block("torchao-0.19dev", "mxfp8_e4m3", {std::uint64_t{7} << 23}).codes,
            Codes{0x70});
}

TEST(EdgeCases, TorchaoNvfp4Specials) {
  ProfileDesk desk;
  for (const char* name : {"torchao-0.18", "torchao-0.19dev"}) {
    const auto nan = desk.block(name, "nvfp4", {kNan, f32(1)});
    EXPECT_EQ(nan.scale, 0x7FU);
    EXPECT_TRUE(nan.masked.codes);
    const auto inf = desk.block(name, "nvfp4", {kInf, kMinusInf, f32(1)});
    EXPECT_EQ(inf.scale, 0x7EU);
    EXPECT_EQ(inf.codes, (Codes{0x7, 0xF, 0x0}));
  }
}

TEST(EdgeCases, FbgemmClamps) {
  ProfileDesk desk;
  for (const char* variant : {"", "even_down", "nearest_log2f"}) {
    EXPECT_LE(desk.scale("fbgemm", "fbgemm_mx4", 0x7F7FFFFF, variant), 0xFCU);
  }
  // e3m0 subtracts 3 where its e_max is 4.
  EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4_e3m0", f32(16)), 0x80U);
  EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4_e3m0", 0x7F7FFFFF, "even_down"), 0xFCU);
  EXPECT_TRUE(desk.block("fbgemm", "fbgemm_mx4", {kNan}).masked.scale);
}

// spec F11.6: of e3m0 what lies below 0.25 is 0 of its sign. Seen in fbgemm-gpu-cpu 1.9.0.
TEST(EdgeCases, FbgemmRoundsNothingUpToTheLeastPowerOfTwo) {
  ProfileDesk desk;
  const auto block = desk.block("fbgemm", "fbgemm_mx4_e3m0",
                                {f32(8), f32(0.24F), f32(-0.24F), f32(0.25F), f32(0.375F)});
  EXPECT_EQ(block.scale, 0x7FU);
  EXPECT_EQ(block.codes, (Codes{0x6, 0x0, 0x8, 0x1, 0x2}));
}

// spec F11.3: the binary32 logarithm reaches k + 1/2 below sqrt(2) * 2^k. Seen there, too.
TEST(EdgeCases, FbgemmTakesANumberBelowRootTwoForIt) {
  ProfileDesk desk;
  EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4", 0x013504D3, "nearest_log2f"), 0U);
  EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4", 0x013504D4, "nearest_log2f"), 1U);
  EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4", 0x3F3504F2, "nearest_log2f"), 0x7CU);
  EXPECT_EQ(desk.scale("fbgemm", "fbgemm_mx4", 0x3F3504F3, "nearest_log2f"), 0x7DU);
}

TEST(EdgeCases, UndocumentedBlocksAreMasked) {
  ProfileDesk desk;
  for (const std::uint64_t special : {kNan, kInf}) {
    EXPECT_TRUE(desk.block("cublas-13", "mxfp8_e4m3", {special}).masked.scale);
    EXPECT_TRUE(desk.block("cublas-13", "nvfp4", {special}).masked.scale);
    EXPECT_TRUE(desk.block("hif4", "hifx4", {special}).masked.scale);
    EXPECT_TRUE(desk.block("hif8", "hifx4", {special}).masked.scale);
    EXPECT_TRUE(desk.block("ocp-mx-1.0", "mxfp8_e4m3", {special}).masked.scale);
  }
  EXPECT_TRUE(desk.block("ocp-mx-1.0", "mxfp8_e4m3", {std::uint64_t{5} << 23}).masked.scale);
  EXPECT_FALSE(desk.block("ocp-mx-1.0", "mxfp8_e4m3", {std::uint64_t{9} << 23}).masked.scale);
}

TEST(P3109Blocks, MaximumOfFiniteElementsWithoutDivision) {
  ProfileDesk desk;
  const auto block = desk.block("p3109-4.0", "binary8p4se_k32", {f32(2), f32(1), kInf, kNan});
  EXPECT_EQ(block.scale, 0x81U);                            // 2^1
  EXPECT_EQ(block.codes, (Codes{0x40, 0x38, 0x7F, 0x80}));  // 1, 0.5, Inf, NaN
  EXPECT_EQ(desk.block("p3109-4.0", "binary8p4se_k32", Codes(32, kNan)).scale, 0xFFU);
  const auto zero = desk.block("p3109-4.0", "binary4p2sf_k32", {0, 0x80000000});
  EXPECT_EQ(zero.scale, 0x00U);
  EXPECT_EQ(zero.codes, (Codes{0, 0}));
  // 1.5 rounds to 1 in binary8p1uf (spec F2 item 12), to 2 when the scale rounds up.
  EXPECT_EQ(desk.scale("p3109-4.0", "binary8p3se_k32", f32(1.5)), 0x80U);
  EXPECT_EQ(desk.scale("p3109-4.0", "binary8p3se_k32", f32(1.5), "scale_toward_positive"), 0x81U);
}

// ---- spec S9.3, S9.4, S5.5 ----

Codes bf16(std::initializer_list<double> values) {
  Codes codes;
  for (const double x : values) {
    const std::uint64_t bits = f32(x);
    EXPECT_EQ(bits & 0xFFFF, 0U);
    codes.push_back(bits >> 16);
  }
  return codes;
}

TEST(Torchmx, Quirks) {
  ProfileDesk desk;
  for (const char* name : {"torchmx-0.1.0/sim", "torchmx-0.1.0/hw"}) {
    const auto block = [&](const char* format, const Codes& x) {
      return desk.block(name, format, x, "", "bf16");
    };
    const auto kt1 = block("mxint8", bf16({1, 0.5, -0.25}));
    EXPECT_EQ(kt1.scale, 0x79U);
    EXPECT_EQ(kt1.codes, (Codes{64, 32, 0xF0}));
    EXPECT_EQ(kt1.values, (Codes{f32(1), f32(0.5), f32(-0.25)}));
    const auto kt2 = block("mxint8", {0x0008, 0x0001});  // 2^-130, 2^-133
    EXPECT_EQ(kt2.scale, 0x00U);
    EXPECT_EQ(kt2.codes, (Codes{0, 0}));
    const auto kt3 = block("mxint8", bf16({-127.5 / 64, 127.5 / 64, 1, -127.0 / 64}));
    EXPECT_EQ(kt3.scale, 0x79U);
    EXPECT_EQ(kt3.codes, (Codes{0x81, 0x7F, 0x40, 0x81}));
    const auto kt4 = block("mxfp8_e4m3", bf16({1.8984375, 1, -1.8984375}));
    EXPECT_EQ(kt4.scale, 0x77U);
    EXPECT_EQ(kt4.codes, (Codes{0x7E, 0x78, 0xFE}));
    const auto kt5 = block("mxfp8_e4m3", {0x0000, 0x8000});
    EXPECT_EQ(kt5.scale, 0x00U);
    EXPECT_EQ(kt5.codes, (Codes{0x00, 0x80}));
    const auto kt7 = block("mxfp8_e4m3", {0x8D4B, 0x3F80, 0x3680});  // -6.26e-31, 1, 2^-18
    EXPECT_EQ(kt7.codes, (Codes{0x80, 0x78, 0x00}));
    const auto kt9 = block("mxfp4", bf16({4, 1, -6, 0.5}));
    EXPECT_EQ(kt9.scale, 0x7FU);
    EXPECT_EQ(kt9.codes, (Codes{0x6, 0x2, 0xF, 0x1}));
  }
}

TEST(Torchmx, NanBlocks) {
  ProfileDesk desk;
  for (const std::uint64_t special : Codes{0x7FC0, 0x7F80}) {
    const auto sim =
        desk.block("torchmx-0.1.0/sim", "mxfp8_e4m3", {special, 0xFA81, 0x7A81}, "", "bf16");
    EXPECT_EQ(sim.scale, 0xFFU);
    EXPECT_EQ(sim.codes, (Codes{0, 0, 0}));
    EXPECT_FALSE(sim.masked.codes);
    const auto hw =
        desk.block("torchmx-0.1.0/hw", "mxfp8_e4m3", {special, 0xFA81, 0x7A81}, "", "bf16");
    EXPECT_EQ(hw.scale, 0xFFU);
    EXPECT_FALSE(hw.masked.scale);
    EXPECT_TRUE(hw.masked.codes);
  }
}

/// Values of a microxcaling block, as doubles scaled by 2^16 and rounded: enough for the rows
/// below.
Codes values(const char* name, const char* format, const Codes& x, const char* variant = "") {
  ProfileDesk desk;
  const auto block = desk.block(name, format, x, variant);
  const QuantizerConfig config = desk.config(name, format, variant);
  EXPECT_FALSE(block.masked.scale || block.masked.codes);
  for (const std::uint64_t each : x) EXPECT_FALSE(is_lane_masked(block.masked, config, each));
  return block.values;
}

TEST(Microxcaling, BlockQuirks) {
  constexpr const char* kPy = "microxcaling-1.1.0/py-f32";
  constexpr const char* kCpp = "microxcaling-1.1.0/cpp";
  const Codes km1 = {f32(4), f32(0.25), f32(2.5), f32(5), f32(-0.25), f32(1.75)};
  const Codes nearest = {f32(4), f32(0.5), f32(3), f32(6), f32(-0.5), f32(2)};
  EXPECT_EQ(values(kPy, "mxfp4", km1), nearest);
  EXPECT_EQ(values(kCpp, "mxfp4", km1), nearest);
  EXPECT_EQ(values(kPy, "mxfp4", km1, "even"),
            (Codes{f32(4), 0, f32(2), f32(4), 0x80000000, f32(2)}));
  EXPECT_EQ(values(kCpp, "mxfp4", km1, "even"), (Codes{f32(4), 0, f32(2), f32(4), 0, f32(2)}));
  EXPECT_EQ(values(kPy, "mxfp4", km1, "floor"),
            (Codes{f32(4), 0, f32(2), f32(4), 0x80000000, f32(1.5)}));
  const Codes km2 = {0x40FFFFFF, f32(0.25), f32(1), f32(0.75)};
  EXPECT_EQ(values(kPy, "mxfp4", km2), (Codes{f32(8), 0, f32(1), f32(1)}));
  EXPECT_EQ(values(kCpp, "mxfp4", km2), (Codes{f32(6), f32(0.5), f32(1), f32(1)}));
  EXPECT_EQ(values(kCpp, "mxfp4", km2, "even"), (Codes{f32(6), 0, f32(1), f32(1)}));
  const Codes km13 = {f32(957), f32(900), f32(-930), f32(1)};
  for (const char* name : {kPy, kCpp}) {
    EXPECT_EQ(values(name, "mxfp8_e4m3", km13), (Codes{f32(896), f32(896), f32(-896), f32(1)}));
  }
  const Codes km14 = {0x00080000, 0x00010000, 0x80008000};  // 2^-130, 2^-133, -2^-134
  EXPECT_EQ(values(kPy, "mxint8", km14), (Codes{0x00080000, 0x00010000, 0x80010000}));
  EXPECT_EQ(values(kCpp, "mxint8", km14), (Codes{0x00080000, 0x00010000, 0x80010000}));
}

TEST(Microxcaling, LargestNumbersUnderLog2) {
  ProfileDesk desk;  // KM8
  EXPECT_EQ(desk.scale("microxcaling-1.1.0/py-f32", "mxint8", 0x7F7FFFFF), 0xFFU);
  const auto cpp = desk.block("microxcaling-1.1.0/cpp", "mxint8", {0x7F7FFFFF, f32(1), 0xFF000000});
  EXPECT_EQ(cpp.scale, 0xFEU);
  EXPECT_EQ(cpp.codes, (Codes{0x7F, 0x00, 0xC0}));
}

// KM4: elements just below half the smallest one are masked, their neighbours are not.
TEST(Microxcaling, AdditionOfOneHalf) {
  ProfileDesk desk;
  const std::uint64_t below_half = f32(0x1p-7) - 1;
  const Codes x = {f32(1), below_half, below_half | 0x80000000, below_half - 1, f32(0x1p-7)};
  const auto block = desk.block("microxcaling-1.1.0/py-f32", "mxint8", x);
  const QuantizerConfig config = desk.config("microxcaling-1.1.0/py-f32", "mxint8");
  const bool masked[] = {false, true, true, false, false};
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_EQ(is_lane_masked(block.masked, config, x[i]), masked[i]) << i;
  }
  EXPECT_EQ(desk.block("microxcaling-1.1.0/cpp", "mxint8", x).codes, (Codes{0x40, 0, 0, 0, 1}));
}

TEST(Dmx, BlockFloatingPoint) {
  ProfileDesk desk;
  const Codes x = {f32(1.5), f32(-0.5), f32(1.0 / 64), f32(1.5 / 64)};
  const auto block = desk.block("dmx-0.1.11/cpu", "bfp16_16", x);
  EXPECT_EQ(block.scale, 0x7FU);
  EXPECT_EQ(block.codes, (Codes{0x60, 0xE0, 0x01, 0x02}));
  EXPECT_EQ(desk.block("dmx-0.1.11/cpu", "bfp16_16", x, "down").codes,
            (Codes{0x60, 0xE0, 0x01, 0x01}));
  const QuantizerConfig config = desk.config("dmx-0.1.11/cpu", "bfp16_16");
  EXPECT_TRUE(is_lane_masked(block.masked, config, f32(1.5 / 64) + 1));
  EXPECT_FALSE(is_lane_masked(block.masked, config, f32(1.5 / 64)));
  EXPECT_TRUE(desk.block("dmx-0.1.11/cpu", "bfp16_16", {0x7F000000}).masked.scale);
  EXPECT_TRUE(desk.block("dmx-0.1.11/cpu", "bfp16_16", {0x007FFFFF}).masked.scale);
  EXPECT_FALSE(block_config(desk.profile("dmx-0.1.11/cpu"), *find_block_format("sbfp12_16_7"),
                            formats::fp32));
}

TEST(Dmx, MxfpUsesEveryExponentCode) {
  ProfileDesk desk;
  // E4M3 reaches 480, so 480 stays; E5M2 divides by 2^16.
  const auto e4m3 = desk.block("dmx-0.1.11/cpu", "mxfp8_e4m3", {f32(480), f32(1)});
  EXPECT_EQ(e4m3.scale, 0x7FU);
  EXPECT_EQ(e4m3.values, (Codes{f32(480), f32(1)}));
  EXPECT_EQ(desk.scale("dmx-0.1.11/cpu", "mxfp8_e5m2", f32(65536)), 0x7FU);
  EXPECT_EQ(desk.scale("dmx-0.1.11/cpu", "mxfp4", 0x40FFFFFF), 0x80U);  // the log2 slip
  EXPECT_TRUE(desk.block("dmx-0.1.11/cpu", "mxfp4", {0}).masked.codes);
}

}  // namespace
}  // namespace mx
