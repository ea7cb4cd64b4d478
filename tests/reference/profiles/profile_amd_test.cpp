// What AMD's host headers and its quantizer were seen to answer: spec F16, F21, F23.
#include <gtest/gtest.h>

#include "tests/reference/profiles/profile_ask.hpp"

namespace mx::profile_amd_test {
namespace {

constexpr std::uint64_t kInf = 0x7F800000, kMinusInf = 0xFF800000;
constexpr std::uint64_t kNan = 0x7FC00000, kMinusNan = 0xFFC00000;

struct Row {
  const char* destination;
  std::uint64_t bits, code;
  const char* variant = "";
  const char* source = "fp32";
};

void check(const char* profile, const std::vector<Row>& rows) {
  ProfileDesk desk;
  for (const Row& r : rows) {
    EXPECT_EQ(desk.code(profile, r.destination, r.bits, r.variant, r.source), r.code)
        << r.destination << ' ' << std::hex << r.bits << ' ' << r.variant << ' ' << r.source;
    EXPECT_FALSE(desk.masked(profile, r.destination, r.bits, r.variant, r.source))
        << r.destination << ' ' << std::hex << r.bits << ' ' << r.variant << ' ' << r.source;
  }
}

// Under saturation the header clamps to e5m2, and e4m3fn becomes a NaN as without.
TEST(AmdOcpHost, Saturation) {
  check("amd-gfx950-host", {{"e4m3fn", 0x43E80000, 0x7E},
                            {"e4m3fn", 0x43E80001, 0x7F},
                            {"e4m3fn", kMinusInf, 0xFF},
                            {"e4m3fn", kMinusInf, 0xFE, "fp16_ovfl"},
                            {"e5m2", 0x47700000, 0x7B, "fp16_ovfl"},
                            {"e5m2", kInf, 0x7B, "fp16_ovfl"},
                            {"e5m2", kInf, 0x7C}});
}

TEST(AmdOcpHost, Binary16) {
  check("amd-gfx950-host", {{"e4m3fn", 0x7E00, 0x7F, "", "fp16"},
                            {"e4m3fn", 0x5F40, 0x7E, "", "fp16"},
                            {"e4m3fn", 0x5F41, 0x7F, "", "fp16"},
                            {"e5m2", 0x0001, 0x00, "", "fp16"},
                            {"e5m2", 0x03FF, 0x04, "", "fp16"},
                            {"e2m1fn", 0xFC00, 0xF, "", "fp16"},
                            {"e2m1fn", 0x3500, 0x1, "", "fp16"},
                            {"e2m1fn", 0x3400, 0x0, "", "fp16"}});
  ProfileDesk desk;
  for (const char* const format : {"e4m3fn", "e5m2", "e2m3fn", "e3m2fn", "e2m1fn"}) {
    const auto bits = amd_random(desk.format("fp16"), desk.format(format), 0);
    ASSERT_TRUE(bits);
    EXPECT_EQ(desk.conversion("amd-gfx950-host", format, "fp16", "sr").policy.random_bits,
              bits->bits);
  }
}

TEST(AmdFp8Host, SaturatesFiniteValuesAlone) {
  check("amd-gfx942-host", {{"e4m3fnuz", 0x43700001, 0x7F},
                            {"e4m3fnuz", kInf, 0x80},
                            {"e4m3fnuz", kMinusNan, 0x80},
                            {"e4m3fnuz", 0x80000000, 0x00},
                            {"e4m3fnuz", 0xBA800000, 0x81},
                            {"e5m2fnuz", 0xC7600001, 0xFF},
                            {"e5m2fnuz", kMinusInf, 0x80},
                            {"e4m3fn", kInf, 0x7F},
                            {"e4m3fn", kMinusInf, 0xFF},
                            {"e4m3fn", f32(500), 0x7E},
                            {"e4m3fn", 0x80000000, 0x80},
                            {"e5m2", kInf, 0x7C},
                            {"e5m2", f32(1e10), 0x7B},
                            {"e5m2", kMinusNan, 0xFF},
                            {"e4m3fnuz", 0x0001, 0x00, "", "fp16"},
                            {"e5m2fnuz", 0x0200, 0x04, "", "fp16"}});
}

// An earlier header saturated infinities too, and NaN of FNUZ formats.
TEST(AmdFp8Host, EarlierHeader) {
  check("amd-gfx942-host", {{"e4m3fnuz", kInf, 0x7F, "f9f995c"},
                            {"e4m3fnuz", kMinusNan, 0xFF, "f9f995c"},
                            {"e5m2fnuz", kNan, 0x7F, "f9f995c"},
                            {"e4m3fn", kMinusInf, 0xFE, "f9f995c"},
                            {"e4m3fn", kNan, 0x7F, "f9f995c"},
                            {"e5m2", kInf, 0x7B, "f9f995c"}});
}

// 448.0001 to e4m3fn is NaN there, though 448 is nearest; 2^-71 may become anything.
TEST(AmdFp8Host, OpenInputs) {
  ProfileDesk desk;
  EXPECT_TRUE(desk.masked("amd-gfx942-host", "e4m3fn", 0x43E00001, "nosat"));
  EXPECT_FALSE(desk.masked("amd-gfx942-host", "e4m3fn", 0x43E00000, "nosat"));
  EXPECT_EQ(desk.code("amd-gfx942-host", "e4m3fnuz", kInf, "nosat"), 0x80U);
  EXPECT_TRUE(desk.masked("amd-gfx942-host", "e4m3fnuz", 0x1C000000));
  EXPECT_TRUE(desk.masked("amd-gfx942-host", "e4m3fnuz", 0x1C00, "", "bf16"));
  EXPECT_FALSE(desk.masked("amd-gfx942-host", "e4m3fnuz", 0x0001, "", "fp16"));
}

TEST(Quark, Elements) {
  check("quark-0.13", {{"e4m3fn", kMinusNan, 0xFF},
                       {"e4m3fn", kInf, 0x7E},
                       {"e5m2", kMinusInf, 0xFB},
                       {"e4m3fn", 0x80000000, 0x80},
                       {"e2m1fn", 0x80000000, 0x0},
                       {"e2m1fn", f32(-0.25), 0x0},
                       {"e2m1fn", f32(-0.75), 0xA},
                       {"e2m1fn", f32(1e10), 0x7},
                       {"ue5m3", f32(-1), 0x00},
                       {"ue5m3", f32(1), 0x78},
                       {"ue5m3", f32(0x1p-18), 0x00},
                       {"ue5m3", f32(0x1.8p-17), 0x02},
                       {"ue5m3", kInf, 0xFE}});
  ProfileDesk desk;
  EXPECT_TRUE(desk.masked("quark-0.13", "e2m1fn", kInf));
  EXPECT_TRUE(desk.masked("quark-0.13", "ue5m3", kNan));
  EXPECT_TRUE(desk.masked("quark-0.13", "e4m3fn", 0x7FC0, "", "bf16"));
}

TEST(Quark, Scales) {
  ProfileDesk desk;
  EXPECT_EQ(desk.scale("quark-0.13", "mxfp4", f32(7.0)), 0x80U);
  EXPECT_EQ(desk.scale("quark-0.13", "mxfp4", 0x40DFFFFF), 0x7FU);
  EXPECT_EQ(desk.scale("quark-0.13", "mxfp4", 0x40FFFFFF, "floor"), 0x80U);
  EXPECT_EQ(desk.scale("quark-0.13", "mxfp4", f32(5.0), "ceil"), 0x80U);
  EXPECT_EQ(desk.scale("quark-0.13", "mxfp8_e4m3", 0), 0x00U);
  EXPECT_EQ(desk.scale("quark-0.13", "mxfp8_e4m3", kInf), 0xFEU);
  EXPECT_EQ(desk.scale("quark-0.13", "mxfp8_e4m3", kNan), 0xFFU);
  // Bfloat16 tensors have no other rule than even.
  EXPECT_EQ(desk.scale("quark-0.13", "mxfp4", 0x40E0, "", "bf16"), 0x80U);
  EXPECT_THROW((void)desk.scale("quark-0.13", "mxfp4", 0x40E0, "floor", "bf16"),
               std::invalid_argument);
}

TEST(Quark, OpenBlocks) {
  ProfileDesk desk;
  EXPECT_TRUE(desk.block("quark-0.13", "mxfp4", {0x7F7FFFFF}).masked.scale);
  EXPECT_FALSE(desk.block("quark-0.13", "mxfp4", {0x7E7FFFFF}).masked.scale);
  EXPECT_TRUE(desk.block("quark-0.13", "mxfp4", {0}, "floor").masked.scale);
  EXPECT_FALSE(desk.block("quark-0.13", "mxfp4", {0}).masked.scale);
  EXPECT_TRUE(desk.block("quark-0.13", "mxfp4", {kInf}, "ceil").masked.scale);
  EXPECT_TRUE(desk.block("quark-0.13", "mxfp4", {0x00800000}, "floor").masked.scale);
}

}  // namespace
}  // namespace mx::profile_amd_test
