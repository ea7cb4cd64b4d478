// What TOSA's reference model answers, by profile tosa-1.1: seen in tosa-tools 2026.8.0.
#include <gtest/gtest.h>

#include "tests/reference/profiles/profile_ask.hpp"

namespace mx::profile_tosa_test {
namespace {

using Codes = std::vector<std::uint64_t>;
constexpr std::uint64_t kInf = 0x7F800000, kMinusInf = 0xFF800000;
constexpr std::uint64_t kNan = 0x7FC00000, kMinusNan = 0xFFC00000;
constexpr std::uint64_t kMax = 0x7F7FFFFF;

// The last maximum that does not round beyond the largest element, and the one above it, with 1
// beside them.
struct Edge {
  const char* format;
  std::uint64_t last;
  Codes at_last, beyond;  ///< under 7F and under 80
  std::uint64_t top;      ///< the scale of a block whose maximum is FLT_MAX
};

const std::vector<Edge>& edges() {
  static const std::vector<Edge> kEdges = {
      {"mxfp8_e4m3", 0x43E80000, {0xFE, 0x38}, {0xF7, 0x30}, 0xF7},
      {"mxfp8_e5m2", 0x476FFFFF, {0xFB, 0x3C}, {0xF8, 0x38}, 0xF0},
      {"mxfp6_e3m2", 0x41EFFFFF, {0x3F, 0x0C}, {0x3C, 0x08}, 0xFB},
      {"mxfp6_e2m3", 0x40F7FFFF, {0x3F, 0x08}, {0x38, 0x04}, 0xFD},
      {"mxfp4", 0x40DFFFFF, {0xF, 0x2}, {0xE, 0x1}, 0xFD},
      {"mxint8", 0x3FFEFFFF, {0x81, 0x40}, {0xC0, 0x20}, 0xFE}};
  return kEdges;
}

TEST(Tosa, ScaleIsTheLeastUnderWhichTheMaximumDoesNotOverflow) {
  ProfileDesk desk;
  for (const Edge& e : edges()) {
    const std::uint64_t minus = 0x80000000;
    const auto within = desk.block("tosa-1.1", e.format, {e.last | minus, f32(1)});
    EXPECT_EQ(within.scale, 0x7FU) << e.format;
    EXPECT_EQ(within.codes, e.at_last) << e.format;
    const auto beyond = desk.block("tosa-1.1", e.format, {(e.last + 1) | minus, f32(1)});
    EXPECT_EQ(beyond.scale, 0x80U) << e.format;
    EXPECT_EQ(beyond.codes, e.beyond) << e.format;
    EXPECT_EQ(desk.scale("tosa-1.1", e.format, kMax), e.top) << e.format;
    EXPECT_EQ(desk.scale("tosa-1.1", e.format, 0x00000001), 0x00U) << e.format;
    EXPECT_EQ(desk.scale("tosa-1.1", e.format, 0), 0x00U) << e.format;
  }
}

// int8 has -2, and meets it where the scale cannot grow.
TEST(Tosa, MostNegativeCodeUnderTheLargestScale) {
  ProfileDesk desk;
  EXPECT_EQ(desk.block("tosa-1.1", "mxint8", {kMax | 0x80000000, kMax}).codes, (Codes{0x80, 0x7F}));
}

TEST(Tosa, BlocksWithNanOrInfAreNan) {
  ProfileDesk desk;
  for (const std::uint64_t special : {kNan, kMinusNan, kInf, kMinusInf}) {
    for (const Edge& e : edges()) {
      EXPECT_EQ(desk.scale("tosa-1.1", e.format, special), 0xFFU) << e.format;
    }
    EXPECT_TRUE(desk.block("tosa-1.1", "mxfp4", {special, f32(1)}).masked.codes);
  }
  for (const auto& [format, nan] : {std::pair{"mxfp8_e4m3", 0x7FU}, {"mxfp8_e5m2", 0x7EU}}) {
    const auto block = desk.block("tosa-1.1", format, {kMinusNan, f32(-1), f32(2), 0});
    EXPECT_EQ(block.codes, Codes(4, nan));
    // A negative NaN keeps its sign there: open.
    const QuantizerConfig config = desk.config("tosa-1.1", format);
    EXPECT_TRUE(is_lane_masked(block.masked, config, kMinusNan));
    EXPECT_FALSE(is_lane_masked(block.masked, config, f32(-1)));
  }
}

TEST(Tosa, CastsDoNotSaturate) {
  ProfileDesk desk;
  struct Row {
    const char* destination;
    std::uint64_t bits, code;
  };
  for (const Row& r : {Row{"e4m3fn", f32(464), 0x7E},
                       {"e4m3fn", f32(464) + 1, 0x7F},
                       {"e4m3fn", kInf, 0x7F},
                       {"e4m3fn", kMinusInf, 0xFF},
                       {"e4m3fn", kMinusNan, 0xFF},
                       {"e5m2", f32(61440) - 1, 0x7B},
                       {"e5m2", f32(61440), 0x7C},
                       {"e5m2", f32(-61440), 0xFC},
                       {"e5m2", kMinusInf, 0xFC},
                       {"e5m2", kNan, 0x7E},
                       {"e5m2", kMinusNan, 0xFE}}) {
    EXPECT_EQ(desk.code("tosa-1.1", r.destination, r.bits), r.code) << std::hex << r.bits;
    EXPECT_FALSE(desk.masked("tosa-1.1", r.destination, r.bits)) << std::hex << r.bits;
  }
  // Beyond -464 the NaN is 7F, where -Inf is FF; the mask begins below the largest value.
  EXPECT_TRUE(desk.masked("tosa-1.1", "e4m3fn", f32(-464) + 1));
  EXPECT_EQ(desk.code("tosa-1.1", "e4m3fn", f32(-464)), 0xFEU);
  EXPECT_FALSE(desk.masked("tosa-1.1", "e4m3fn", f32(-448)));
}

}  // namespace
}  // namespace mx::profile_tosa_test
