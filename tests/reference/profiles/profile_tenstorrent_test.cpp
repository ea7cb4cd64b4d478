// What tt-metal's host code does with blocks: spec F14.4, codes that its library gave.
#include <gtest/gtest.h>

#include "tests/reference/profiles/profile_ask.hpp"

namespace mx {
namespace {

constexpr std::uint64_t kInf = 0x7F800000, kMinusInf = 0xFF800000, kNan = 0x7FC00000;
using Codes = std::vector<std::uint64_t>;

Codes first(const Codes& codes, std::size_t count) {
  return {codes.begin(), codes.begin() + static_cast<std::ptrdiff_t>(count)};
}

TEST(TtMetal, BlockFloatsAreRoundedToEven) {
  ProfileDesk desk;
  // 1, a tie, the next one, nearly 1 and its negative, a tie beyond the largest magnitude
  const Codes bf16 = {0x3F80, 0x3C00, 0x3CC0, 0x3F7F, 0xBF7F, 0x3C40};
  const auto block = desk.block("tt-metal", "tt_bfp8", bf16, "", "bf16");
  EXPECT_EQ(block.scale, 0x7FU);
  EXPECT_EQ(block.codes, (Codes{0x40, 0, 2, 0x40, 0xC0, 1}));
  EXPECT_FALSE(block.masked.scale || block.masked.codes || block.masked.lanes != 0);
}

TEST(TtMetal, FormatsThatItDoesNotCutAreNotModelled) {
  ProfileDesk desk;
  for (const char* format : {"tt_bfp4", "tt_bfp2", "tt_bfp8a", "tt_bfp4a", "tt_bfp2a"}) {
    EXPECT_THROW((void)desk.config("tt-metal", format), std::invalid_argument) << format;
  }
}

TEST(TtMetal, BlockFloatsFlushSubnormalsAndTakeInfAsANumber) {
  ProfileDesk desk;
  const auto subnormal = desk.block("tt-metal", "tt_bfp8", {1, 0x007FFFFF, 0x80000001});
  EXPECT_EQ(subnormal.scale, 0U);
  EXPECT_EQ(subnormal.codes, (Codes{0, 0, 0}));
  const Codes source = {kInf, kMinusInf, 0x7F7FFFFF, 0x7F000000};
  const auto infinite = desk.block("tt-metal", "tt_bfp8", source);
  EXPECT_EQ(infinite.scale, 0xFFU);
  EXPECT_EQ(infinite.codes[3], 0x20U);
  EXPECT_TRUE(infinite.masked.codes);
  EXPECT_FALSE(infinite.masked.scale);
  EXPECT_TRUE(desk.block("tt-metal", "tt_bfp8", {kNan, f32(1)}).masked.codes);
}

// 3C000001 is one unit above a tie, and that unit is shifted out: 0 there, 1 here.
TEST(TtMetal, BitsThatTheShiftDropsAreOpen) {
  ProfileDesk desk;
  const auto block =
      desk.block("tt-metal", "tt_bfp8", {0x3F800000, 0x3C000000, 0x3C000001, 0x3C400000});
  EXPECT_EQ(block.codes, (Codes{0x40, 0, 1, 1}));
  const QuantizerConfig c = desk.config("tt-metal", "tt_bfp8");
  EXPECT_TRUE(is_lane_masked(block.masked, c, 0x3C000001));
  EXPECT_FALSE(is_lane_masked(block.masked, c, 0x3C000000));
}

TEST(TtMetal, MxBlocksSkipNanAndInf) {
  ProfileDesk desk;
  const Codes source = {0x3F800000, kInf, kMinusInf, kNan, 0xFFC00000, 0x80000000, 0x3E800002};
  struct Row {
    const char* format;
    std::uint64_t scale;
    Codes codes;
  };
  for (const Row& row : {Row{"mxfp8_e4m3", 0x77, {0x78, 0x7E, 0xFE, 0x7F, 0x7F, 0x80, 0x68}},
                         Row{"mxfp8_e5m2", 0x70, {0x78, 0x7C, 0xFC, 0x7D, 0x7D, 0x80, 0x70}}}) {
    const auto block = desk.block("tt-metal", row.format, source);
    EXPECT_EQ(block.scale, row.scale) << row.format;
    EXPECT_EQ(block.codes, row.codes) << row.format;
    EXPECT_FALSE(block.masked.scale || block.masked.codes) << row.format;
  }
  for (const Row& row :
       {Row{"mxfp6_e3m2", 0x7B, {0x1C, 0x1F, 0x3F}}, Row{"mxfp6_e2m3", 0x7D, {0x18, 0x1F, 0x3F}},
        Row{"mxfp4", 0x7D, {6, 7, 0xF}}, Row{"mxint8", 0x7F, {0x40, 0x7F, 0x81}}}) {
    const auto block = desk.block("tt-metal", row.format, source);
    EXPECT_EQ(block.scale, row.scale) << row.format;
    EXPECT_EQ(first(block.codes, 3), row.codes) << row.format;
    EXPECT_TRUE(is_lane_masked(block.masked, desk.config("tt-metal", row.format), kNan));
    EXPECT_FALSE(is_lane_masked(block.masked, desk.config("tt-metal", row.format), f32(1)));
  }
}

TEST(TtMetal, MxElementsBelowTheSmallestNormalOne) {
  ProfileDesk desk;
  const auto four =
      desk.block("tt-metal", "mxfp4", {0x40C00000, 0x3E800002, 0x3E800000, 0x40A00000, 0xBF400000});
  EXPECT_EQ(four.scale, 0x7FU);
  EXPECT_EQ(four.codes, (Codes{7, 1, 0, 6, 0xA}));
}

TEST(TtMetal, ScalesWithoutAFiniteNumberAreOpen) {
  ProfileDesk desk;
  for (const Codes& source : {Codes{0, 0x80000000}, Codes{0, kInf}, Codes{kNan, kNan}}) {
    EXPECT_TRUE(desk.block("tt-metal", "mxfp8_e4m3", source).masked.scale);
  }
  EXPECT_EQ(desk.block("tt-metal", "mxint8", {0}).scale, 0x7FU);
  EXPECT_TRUE(desk.block("tt-metal", "mxint8", {0x007FFFFF}).masked.codes);
  EXPECT_FALSE(desk.block("tt-metal", "mxfp4", {0x007FFFFF}).masked.codes);
}

}  // namespace
}  // namespace mx
