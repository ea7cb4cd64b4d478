// What tt-metal's host code does with blocks: spec F14.4, codes that its library gave; and what a
// device does, by statements of its packer and unpacker written anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "oracle/block/rules.hpp"
#include "tests/reference/profiles/profile_ask.hpp"
#include "tests/support/stream.hpp"

namespace mx::profile_tenstorrent_test {
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

// ---- the device ----

std::uint64_t device_value(const char* format, std::uint64_t scale, std::uint64_t code,
                           const ElementFormat& output = formats::bf16) {
  ProfileDesk desk;
  std::uint64_t value = 0;
  made(desk.config("tensix", format)).dequantize_block(scale, {&code, 1}, output, {&value, 1});
  return value;
}

TEST(Tensix, ExponentFieldsWrapBelowTheRangeAndKeepTheirBitsAbove) {
  EXPECT_EQ(device_value("tt_bfp8", 0x00, 0x01), 0x7D00U);
  EXPECT_EQ(device_value("tt_bfp8", 0x00, 0x01, formats::fp32), 0x7D000000U);
  EXPECT_EQ(device_value("tt_bfp8", 0x00, 0x81), 0xFD00U);
  EXPECT_EQ(device_value("tt_bfp8", 0x00, 0x40), 0x0000U) << "field 0, no fraction";
  EXPECT_EQ(device_value("tt_bfp8", 0x00, 0x41), 0x0002U) << "field 0 has no leading one";
  EXPECT_EQ(device_value("tt_bfp8", 0x01, 0x3F), 0x007CU);
  EXPECT_EQ(device_value("tt_bfp8", 0x01, 0x40), 0x0080U);
  EXPECT_EQ(device_value("tt_bfp8", 0xFF, 0x41), 0x7F82U);
  EXPECT_EQ(device_value("tt_bfp8", 0xFF, 0xC0), 0xFF80U);
  EXPECT_EQ(device_value("tt_bfp8", 0xFE, 0x7F), 0x7F7EU);
  EXPECT_EQ(device_value("tt_bfp8", 0x7F, 0x80), 0xFF80U) << "the datum of -0";
  EXPECT_EQ(device_value("tt_bfp4", 0x00, 0x1), 0x7F00U);
  EXPECT_EQ(device_value("tt_bfp2", 0x00, 0x1), 0x0000U);
  EXPECT_EQ(device_value("tt_bfp8", 0x7F, 0x00), 0x0000U);
}

/// The unpacker once more: the magnitude is moved up until its first bit is set, the exponent down
/// with it in 8 bits.
std::uint64_t unpacked_bf16(int bits, std::uint64_t scale, std::uint64_t code) {
  const std::uint64_t wide = code << (8 - bits);
  const std::uint64_t sign = (wide >> 7) << 15;
  std::uint64_t magnitude = wide & 0x7F;
  if (magnitude == 0) return sign == 0 ? 0 : 0xFF80;
  std::uint8_t field = static_cast<std::uint8_t>(scale);
  for (; (magnitude & 0x40) == 0; magnitude <<= 1) --field;
  return sign | std::uint64_t{field} << 7 | (magnitude & 0x3F) << 1;
}

oracle::RulesCase rules_case(const QuantizerConfig& c) {
  return {.block = {c.source, c.format, c.element, c.block},
          .tensor_scale = oracle::extended(oracle::Rational(1))};
}

struct DeviceFormat {
  const char* name;
  int bits;
};
constexpr DeviceFormat kDeviceFormats[] = {{"tt_bfp8", 8}, {"tt_bfp4", 4}, {"tt_bfp2", 2}};

TEST(Tensix, EveryCodeUnderEveryExponentComesBackAsTheUnpackerHasIt) {
  ProfileDesk desk;
  std::size_t compared = 0, ordinary = 0;
  for (const DeviceFormat& format : kDeviceFormats) {
    const QuantizerConfig config = desk.config("tensix", format.name);
    QuantizerConfig plain = config;
    plain.block.dequant_overflow = DequantOverflow::kInf;
    const oracle::RulesCase rules = rules_case(config);
    for (std::uint64_t scale = 0; scale < 256; ++scale) {
      for (std::uint64_t code = 0; code < std::uint64_t{1} << format.bits; ++code) {
        const std::uint64_t wanted = unpacked_bf16(format.bits, scale, code);
        std::uint64_t value = 0, wide = 0, usual = 0;
        made(config).dequantize_block(scale, {&code, 1}, formats::bf16, {&value, 1});
        made(config).dequantize_block(scale, {&code, 1}, formats::fp32, {&wide, 1});
        made(plain).dequantize_block(scale, {&code, 1}, formats::bf16, {&usual, 1});
        ASSERT_EQ(value, wanted) << format.name << " code " << code << " under " << scale;
        ASSERT_EQ(wide, wanted << 16) << format.name << " code " << code << " under " << scale;
        ASSERT_EQ(oracle::dequantize_by_rules(rules, formats::bf16, scale, code, 0), wanted)
            << format.name << " code " << code << " under " << scale;
        ++compared;
        ordinary += usual == wanted ? 1U : 0U;
      }
    }
  }
  EXPECT_EQ(compared, 65'536U + 4'096 + 1'024);
  // The control: the usual way back differs at exponents of 0 and below, and 255.
  EXPECT_EQ(compared - ordinary, 494U + 22 + 2 + 126 + 6);
}

TEST(Tensix, AnInfiniteElementIsTheNumber2To128) {
  ProfileDesk desk;
  const Codes source = {0x7F80, 0xFF80, 0x7F7F, 0x7F00, 0x3F80};
  const auto eight = desk.block("tensix", "tt_bfp8", source, "", "bf16");
  EXPECT_EQ(eight.scale, 0xFFU);
  EXPECT_EQ(eight.codes, (Codes{0x40, 0xC0, 0x40, 0x20, 0}));
  EXPECT_FALSE(eight.masked.scale || eight.masked.codes || eight.masked.lanes != 0);
  EXPECT_EQ(desk.block("tensix", "tt_bfp4", source, "", "bf16").codes, (Codes{4, 0xC, 4, 2, 0}));
  EXPECT_EQ(desk.block("tensix", "tt_bfp2", source, "", "bf16").codes, (Codes{1, 3, 1, 0, 0}));
  EXPECT_EQ(desk.block("tensix", "tt_bfp8", {kInf, kMinusInf}).codes, (Codes{0x40, 0xC0}));
  EXPECT_TRUE(desk.block("tensix", "tt_bfp8", {kNan, f32(1)}).masked.codes);
}

/// The packer once more: the upper half of binary32, exponents below the largest shift, a half is
/// added, BFP4 and BFP2 lose what is left. Without NaN.
struct Packed {
  std::uint64_t scale = 0;
  Codes codes;
};
Packed packed_upper_halves(int bits, const Codes& halves) {
  Packed out;
  const auto is_zero = [](std::uint64_t x) { return (x & 0x7F80) == 0; };
  for (const std::uint64_t x : halves) {
    out.scale = std::max(out.scale, is_zero(x) ? 0 : x >> 7 & 0xFF);
  }
  for (const std::uint64_t x : halves) {
    const std::uint64_t shift = out.scale - (x >> 7 & 0xFF);
    std::uint64_t magnitude = 0;
    if (!is_zero(x) && shift < 8) {
      const std::uint64_t significand = 0x80 | (x & 0x7F);
      magnitude =
          std::min<std::uint64_t>((significand >> (shift + 1)) + (significand >> shift & 1), 0x7F);
    }
    const std::uint64_t kept = magnitude >> (8 - bits);
    out.codes.push_back(kept == 0 ? 0 : kept | (x >> 15) << (bits - 1));
  }
  return out;
}

TEST(Tensix, BlocksAreRoundedAwayFromZeroAndCut) {
  ProfileDesk desk;
  EXPECT_EQ(desk.block("tensix", "tt_bfp8", {0x3F800000, 0x3C000000, 0x3BFFFFFF, 0xBC000000}).codes,
            (Codes{0x40, 1, 0, 0x81}));
  EXPECT_EQ(desk.block("tensix", "tt_bfp4", {0x3F80, 0x3E08}, "", "bf16").codes, (Codes{4, 0}))
      << "8.5 is 9 in BFP8, and 0 of it is left";
  oracle::Stream draw(4242);
  for (const DeviceFormat& format : kDeviceFormats) {
    for (const char* source : {"bf16", "fp32"}) {
      const QuantizerConfig config = desk.config("tensix", format.name, "", source);
      const Quantizer quantizer = made(config);
      const int low = config.source.bits - 16;
      for (int i = 0; i < 400; ++i) {
        const std::uint64_t near = draw.below(256);
        Codes words, halves, codes(16);
        for (int lane = 0; lane < 16; ++lane) {
          const std::uint64_t field =
              i % 4 == 0 ? draw.below(255)
                         : std::min<std::uint64_t>(near, draw.below(10) + (near & 0xF8));
          // No NaN: the top exponent has no fraction.
          const bool infinite = field == 255;
          const std::uint64_t half =
              draw.below(2) << 15 | field << 7 | (infinite ? 0 : draw.below(128));
          const std::uint64_t rest = infinite || low == 0 ? 0 : draw.below(1 << 16);
          halves.push_back(half);
          words.push_back(half << low | rest);
        }
        const Packed wanted = packed_upper_halves(format.bits, halves);
        const BlockResult got = quantizer.quantize_block(words, {}, codes);
        ASSERT_EQ(got.scale_code, wanted.scale) << format.name << ' ' << source << ' ' << i;
        ASSERT_EQ(codes, wanted.codes) << format.name << ' ' << source << ' ' << i;
        const auto judged = oracle::quantize_by_rules(rules_case(config), words, {});
        ASSERT_EQ(judged.scale_code, wanted.scale);
        ASSERT_EQ(judged.codes, wanted.codes) << format.name << ' ' << source << ' ' << i;
      }
    }
  }
}

TEST(Tensix, OtherFormatsAreNotModelled) {
  ProfileDesk desk;
  for (const char* format : {"tt_bfp8a", "tt_bfp4a", "tt_bfp2a", "mxfp4"}) {
    EXPECT_THROW((void)desk.config("tensix", format), std::invalid_argument) << format;
  }
}

}  // namespace
}  // namespace mx::profile_tenstorrent_test
