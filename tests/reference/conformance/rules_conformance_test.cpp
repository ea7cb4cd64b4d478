// The worked examples of spec F11 and F17 that concern scale rules and block formats,
// as named tests. Rows are the texts' own; each is asked of the reference and of the oracle.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "reference/format/table.hpp"
#include "tests/reference/conformance/conformance_kit.hpp"
#include "tests/reference/judgement/rules_sweep.hpp"
#include "tests/support/made.hpp"

namespace mx::oracle::rules_conformance_test {
namespace {

/// Both judges' answer for one block.
BlockOutcome quantize(const RulesCase& what, std::vector<std::uint64_t> source,
                      std::vector<std::uint32_t> random = {}) {
  Report report;
  check_rules(what, source, random, reference_rules(), report);
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  return quantize_by_rules(what, source, random);
}

RulesCase rule_on(std::string_view format, ScaleRule rule,
                  const ElementFormat& source = formats::fp32) {
  BlockCase block = default_case(source, format);
  block.block.rule = rule;
  return rules_case(block);
}

std::uint64_t scale_of(std::string_view format, ScaleRule rule, std::uint64_t amax) {
  return quantize(rule_on(format, rule), {amax}).scale_code;
}

struct Row {
  const char* format;
  std::uint64_t amax;
  std::uint64_t floor, ceil, rceil, even_up, even_down, nearest_log, midmax, floor_log2f;
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& r : rows) {
    const std::pair<ScaleRule, std::uint64_t> columns[] = {
        {ScaleRule::kFloor, r.floor},        {ScaleRule::kCeil, r.ceil},
        {ScaleRule::kRceil, r.rceil},        {ScaleRule::kEvenUp, r.even_up},
        {ScaleRule::kEvenDown, r.even_down}, {ScaleRule::kNearestLog, r.nearest_log},
        {ScaleRule::kMidmax, r.midmax},      {ScaleRule::kFloorLog2f, r.floor_log2f}};
    for (const auto& [rule, code] : columns) {
      EXPECT_EQ(scale_of(r.format, rule, r.amax), code)
          << r.format << ' ' << hex(r.amax, 8) << ' ' << token_of(rule);
    }
  }
}

TEST(G1, ScaleByteOfE2m1ByRule) {
  check_rows({{"mxfp4", fp32(5.0), 0x7F, 0x80, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F, 0x7F},
              {"mxfp4", fp32(6.0), 0x7F, 0x80, 0x7F, 0x7F, 0x7F, 0x80, 0x7F, 0x7F},
              {"mxfp4", 0x40C00001, 0x7F, 0x80, 0x80, 0x7F, 0x7F, 0x80, 0x7F, 0x7F},
              {"mxfp4", fp32(7.0), 0x7F, 0x80, 0x80, 0x80, 0x7F, 0x80, 0x80, 0x7F},
              {"mxfp4", 0x40FFFFFF, 0x7F, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80}});
}

TEST(G2, ScaleByteOfOtherFormatsByRule) {
  check_rows({{"mxfp8_e4m3", fp32(384), 0x7F, 0x80, 0x7F, 0x7F, 0x7F, 0x80, 0x7F, 0x7F},
              {"mxfp8_e4m3", 0x43E00001, 0x7F, 0x80, 0x80, 0x7F, 0x7F, 0x80, 0x7F, 0x7F},
              {"mxfp8_e4m3", fp32(464), 0x7F, 0x80, 0x80, 0x7F, 0x7F, 0x80, 0x7F, 0x7F},
              {"mxfp8_e4m3", fp32(496), 0x7F, 0x80, 0x80, 0x80, 0x7F, 0x80, 0x80, 0x7F},
              {"mxfp8_e4m3", 0x43FFFFFF, 0x7F, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80},
              {"mxfp8_e5m2", fp32(57344) + 1, 0x7F, 0x80, 0x80, 0x7F, 0x7F, 0x80, 0x7F, 0x7F},
              {"mxfp6_e2m3", fp32(7.5) + 1, 0x7F, 0x80, 0x80, 0x7F, 0x7F, 0x80, 0x7F, 0x7F},
              {"mxfp6_e2m3", fp32(7.75), 0x7F, 0x80, 0x80, 0x80, 0x7F, 0x80, 0x80, 0x7F},
              {"mxfp6_e3m2", fp32(30), 0x7F, 0x80, 0x80, 0x80, 0x7F, 0x80, 0x80, 0x7F}});
}

TEST(G4, SearchOfGgmlSendsTiesToZero) {
  RulesCase what = rule_on("mxfp4", ScaleRule::kFloor);
  what.block.block.elem_scaling = ElemScaling::kSearchFp32;
  const BlockOutcome out =
      quantize(what, {fp32(0.25), fp32(1.25), fp32(1.75), fp32(3.5), fp32(5.0), fp32(-5.0)});
  EXPECT_EQ(out.scale_code, 0x7FU);
  EXPECT_EQ(out.codes, (std::vector<std::uint64_t>{0, 2, 3, 5, 6, 0xE}));
}

// The one amax just above max_elem * 2^-127 where binary32 ratios differ from exact ones, for each
// floating element format: the ratio is a binary32 subnormal that rounds to 2^-127.
TEST(G5, OneMaximumAFormatTellsBinary32RatiosApart) {
  for (const char* name : {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4"}) {
    const BlockFormat& format = *find_block_format(name);
    const Real largest = value_of(format.element, format.element.max_code);
    const Rational edge = dyadic(largest.significand, largest.exponent - 127);
    const std::uint64_t amax =
        encode_extended(formats::fp32, extended(edge), ElementPolicy{}).code + 1;
    for (const RatioOp op : {RatioOp::kExact, RatioOp::kFp32Div, RatioOp::kFp32RcpMul}) {
      RulesCase what = rule_on(name, ScaleRule::kRceil);
      what.block.block.ratio_op = op;
      EXPECT_EQ(quantize(what, {amax}).scale_code, op == RatioOp::kExact ? 1U : 0U)
          << name << ' ' << token_of(op);
      EXPECT_EQ(quantize(what, {amax + 1}).scale_code,
                quantize(rule_on(name, ScaleRule::kRceil), {amax + 1}).scale_code)
          << name;
    }
  }
}

TEST(G5, CarryOfTheEvenRulesNearTheLargestNumber) {
  RulesCase what = rule_on("mxfp8_e4m3", ScaleRule::kEvenUp);
  EXPECT_EQ(quantize(what, {0x7F7FFFFF}).scale_code, 0xF7U);
  what.block.block.even_carry = EvenCarry::kToNan;
  EXPECT_EQ(quantize(what, {0x7F7FFFFF}).scale_code, 0xFFU);
}

// floor, even_up: an infinite maximum as E = 255 (torchao 0.18).
TEST(G5, InfiniteBlocksAsE255) {
  const std::pair<const char*, std::uint64_t> rows[] = {{"mxfp8_e4m3", 0xF7},
                                                        {"mxfp8_e5m2", 0xF0},
                                                        {"mxfp6_e3m2", 0xFB},
                                                        {"mxfp6_e2m3", 0xFD},
                                                        {"mxfp4", 0xFD}};
  for (const auto& [name, code] : rows) {
    RulesCase what = rule_on(name, ScaleRule::kFloor);
    what.block.block.inf_block = InfBlock::kAsE255;
    EXPECT_EQ(quantize(what, {0x7F800000, fp32(1)}).scale_code, code) << name;
  }
}

TEST(G5, HalfReciprocalConstants) {
  const auto scale = [](const ElementFormat& source, const char* format, std::uint64_t amax) {
    RulesCase what = rule_on(format, ScaleRule::kRceil, source);
    what.block.block.ratio_op = RatioOp::kHalfRcpMul;
    return quantize(what, {amax}).scale_code;
  };
  // 57344 * 0125 (0.15 % too large) lies above 1, the others below.
  EXPECT_EQ(scale(formats::fp16, "mxfp8_e5m2", 0x7B00), 0x80U);
  EXPECT_EQ(scale(formats::bf16, "mxfp8_e5m2", 0x4760), 0x7FU);
  EXPECT_EQ(scale(formats::fp16, "mxfp8_e4m3", 0x5F00), 0x7FU);
  EXPECT_EQ(scale(formats::bf16, "mxfp8_e4m3", 0x43E0), 0x7FU);
}

// x to e8m0 as amax with an element of largest value 1 (int2, 2^0): the conversions of 11.5.
TEST(G6, ConversionsToE8m0) {
  BlockCase block = default_case(formats::fp32, "mxint8");
  // fixed2.0 holds -1, 0 and 1: the ratio is the value itself.
  block.format.element = *FormatCatalog().find("fixed2.0");
  const auto convert = [&](ScaleRule rule, E8m0Quirk quirk, std::uint64_t x) {
    BlockCase with = block;
    with.format.element.name = "fixed2.0";
    with.block.rule = rule;
    with.element.e8m0_quirk = quirk;
    return quantize(rules_case(with), {x}).scale_code;
  };
  const auto up = ScaleRule::kRceil;
  const auto nearest = ScaleRule::kNearestVal;
  EXPECT_EQ(convert(up, E8m0Quirk::kNone, 0x00400000), 0U);
  EXPECT_EQ(convert(up, E8m0Quirk::kOnnxUp, 0x00400000), 1U);
  EXPECT_EQ(convert(up, E8m0Quirk::kOnnxUp, 0x00000001), 1U);
  EXPECT_EQ(convert(up, E8m0Quirk::kNone, 0x00400001), 1U);
  EXPECT_EQ(convert(nearest, E8m0Quirk::kNone, 0x00400001), 0U);
  EXPECT_EQ(convert(nearest, E8m0Quirk::kOnnxNearest, 0x00400001), 1U);
  EXPECT_EQ(convert(nearest, E8m0Quirk::kMldtypesNearest, 0x00400001), 1U);
  EXPECT_EQ(convert(nearest, E8m0Quirk::kMldtypesNearest, 0x00400000), 0U);
  EXPECT_EQ(convert(nearest, E8m0Quirk::kNone, 0x005FFFFF), 0U);
  EXPECT_EQ(convert(nearest, E8m0Quirk::kNone, 0x00600000), 1U);
  EXPECT_EQ(convert(up, E8m0Quirk::kNone, fp32(1.5)), 0x80U);
  EXPECT_EQ(convert(nearest, E8m0Quirk::kNone, fp32(1.5)), 0x80U);
}

std::uint64_t nvfp4_scale(ScaleRule rule, double tensor, double block_amax) {
  RulesCase what = rule_on("nvfp4", rule, formats::bf16);
  const auto bf16 = [](double x) { return fp32(x) >> 16; };
  const Real g = value_of(formats::bf16, bf16(tensor));
  what = rules_case(what.block, dyadic(g.significand, g.exponent));
  return quantize(what, {bf16(block_amax)}).scale_code;
}

TEST(G9, BlockScalesOfNvfp4AtExactTies) {
  struct Tie {
    double g, b;
    std::uint64_t exact, torchao, te;
  };
  for (const Tie& t : {Tie{1.015625, 0.76171875, 0x7A, 0x7A, 0x7B},
                       Tie{1.09375, 0.0177001953125, 0x4F, 0x4E, 0x4F},
                       Tie{1.203125, 0.2041015625, 0x69, 0x69, 0x6A}}) {
    EXPECT_EQ(nvfp4_scale(ScaleRule::kNvfp4Exact, t.g, t.b), t.exact) << t.g;
    EXPECT_EQ(nvfp4_scale(ScaleRule::kNvfp4Torchao, t.g, t.b), t.torchao) << t.g;
    EXPECT_EQ(nvfp4_scale(ScaleRule::kNvfp4Te, t.g, t.b), t.te) << t.g;
  }
}

TEST(G9, SmallScalesUnderATensorScaleOfOne) {
  const double hundredth = static_cast<double>(std::bit_cast<float>(0x3C240000U));  // 0.01 in bf16
  EXPECT_EQ(nvfp4_scale(ScaleRule::kNvfp4Exact, 2688, hundredth), 0x01U);
  EXPECT_EQ(nvfp4_scale(ScaleRule::kNvfp4Te, 2688, hundredth), 0x01U);
  EXPECT_EQ(nvfp4_scale(ScaleRule::kNvfp4Torchao, 2688, hundredth), 0x08U);
  EXPECT_EQ(nvfp4_scale(ScaleRule::kNvfp4Exact, 2688, 0), 0x00U);
  EXPECT_EQ(nvfp4_scale(ScaleRule::kNvfp4Te, 2688, 0), 0x00U);
  EXPECT_EQ(nvfp4_scale(ScaleRule::kNvfp4Torchao, 2688, 0), 0x08U);
}

TEST(G9, GgmlReachesItsLargestScaleEarly) {
  EXPECT_EQ(scale_of("nvfp4", ScaleRule::kNvfp4Ggml, fp32(6 * 256)), 0x7EU);
  EXPECT_EQ(scale_of("nvfp4", ScaleRule::kNvfp4Cublas, fp32(6 * 256)), 0x78U);
  EXPECT_EQ(scale_of("nvfp4", ScaleRule::kNvfp4Ggml, fp32(6 * 248)), 0x7EU);
  // Subnormal codes never round up to 08.
  EXPECT_EQ(scale_of("nvfp4", ScaleRule::kNvfp4Ggml, fp32(6 * 0.0155029296875)), 0x07U);
}

// A maximum below half the smallest scale has code 00, by which nothing can be divided: zero codes
// that stand for nothing (F12.1 step 6). The smallest scale's codes do.
TEST(Nvfp4Cublas, CodesUnderAScaleOfZeroAreMasked) {
  QuantizerConfig config{formats::fp32, *find_block_format("nvfp4"), {}, {}};
  config.block.rule = ScaleRule::kNvfp4Cublas;
  for (const ElementPolicy& policy :
       {ElementPolicy{}, ElementPolicy{.rounding = Rounding::kTowardPositive}}) {
    config.element = policy;
    std::vector<std::uint64_t> source(16, 0);
    source[0] = fp32(0x1p-30);
    source[3] = fp32(-0x1p-30);
    std::vector<std::uint64_t> codes(16, 5);
    const BlockResult under_zero = made(config).quantize_block(source, {}, codes);
    EXPECT_EQ(under_zero.scale_code, 0U);
    EXPECT_NE(under_zero.flags & kBlockCodesMasked, 0U);
    for (const std::uint64_t code : codes) EXPECT_EQ(code & 7, 0U);
    EXPECT_EQ(under_zero.flags & (kFlagSaturated | kFlagOverflow), 0U);
    std::vector<std::uint64_t> zeros(16, 0);
    zeros[5] = 0x80000000;
    const BlockResult of_zeros = made(config).quantize_block(zeros, {}, codes);
    EXPECT_EQ(of_zeros.scale_code, 0U);
    EXPECT_EQ(of_zeros.flags & kBlockCodesMasked, 0U);
    EXPECT_EQ(codes[5], 8U);
    source[0] = fp32(6 * 0.001953125);
    const BlockResult least = made(config).quantize_block(source, {}, codes);
    EXPECT_EQ(least.scale_code, 1U);
    EXPECT_EQ(least.flags & kBlockCodesMasked, 0U);
    EXPECT_EQ(codes[0], 7U);
  }
}

// An all-zero tensor of torchao has a tensor scale of zero, so NaN scales.
TEST(Nvfp4Torchao, ZeroTensorHasNanScales) {
  QuantizerConfig config{formats::fp32, *find_block_format("nvfp4"), {}, {}};
  config.block.rule = ScaleRule::kNvfp4Torchao;
  config.tensor = tensor_level(config, Unpacked{});
  EXPECT_EQ(config.tensor.scale, 0U);
  const std::vector<std::uint64_t> zeros(16, 0);
  std::vector<std::uint64_t> codes(16);
  const BlockResult result = made(config).quantize_block(zeros, {}, codes);
  EXPECT_EQ(result.scale_code, 0x7FU);
  EXPECT_NE(result.flags & kBlockNanScale, 0);
}

TEST(G10, OneCodeSeveralValues) {
  EXPECT_EQ(value_of(formats::e8m0, 0x7F).significand, 1U);
  EXPECT_EQ(value_of(formats::ue4m3, 0x7F).kind, Kind::kNan);
  EXPECT_TRUE(value_of(*FormatCatalog().find("binary8p1uf"), 0).zero());
  EXPECT_FALSE(value_of(formats::e8m0, 0).zero());
}

// floor_log2f is one too high at 2^k - ulp except for k = -1..2, ceil_log2f one too low at 2^k +
// ulp except for k = -4..3.
TEST(G14, Log2TrapsLieWhereTheTextPutsThem) {
  int high = 0, low = 0;
  for (int k = -126; k <= 127; ++k) {
    const auto power = static_cast<std::uint64_t>(k + 127) << 23;
    const std::uint64_t exact =
        quantize(rule_on("mxint8", ScaleRule::kFloor), {power - 1}).scale_code;
    const std::uint64_t read =
        quantize(rule_on("mxint8", ScaleRule::kFloorLog2f), {power - 1}).scale_code;
    const bool trapped = k < -1 || k > 2;
    // At k = -126 the exact floor is -127, code 00, and the misread one 01.
    EXPECT_EQ(read, exact + (trapped ? 1 : 0)) << k;
    high += read != exact ? 1 : 0;
    const char* format = k < 0 ? "mxint8" : "mxfp4";  // away from both clamps
    const std::uint64_t above = quantize(rule_on(format, ScaleRule::kCeil), {power + 1}).scale_code;
    const std::uint64_t missed =
        quantize(rule_on(format, ScaleRule::kCeilLog2f), {power + 1}).scale_code;
    EXPECT_EQ(missed + (k < -4 || k > 3 ? 1 : 0), above) << k;
    low += missed != above ? 1 : 0;
  }
  EXPECT_EQ(high, 250);
  EXPECT_EQ(low, 246);
}

// spec F11.3: the first fraction that nearest_log2f carries, by |k + 1/2|.
TEST(G14, NearestLog2fTurnsWhereTheTextPutsIt) {
  for (int k = -126; k <= 127; ++k) {
    const int whole = k < 0 ? -k - 1 : k;
    const std::uint64_t first = whole < 4    ? 0x3504F3
                                : whole < 8  ? 0x3504F2
                                : whole < 16 ? 0x3504F0
                                : whole < 32 ? 0x3504EC
                                : whole < 64 ? 0x3504E4
                                             : 0x3504D4;
    const std::uint64_t power = static_cast<std::uint64_t>(k + 127) << 23;
    const char* format = k < 0 ? "mxint8" : "mxfp4";  // away from both clamps
    const RulesCase by_log = rule_on(format, ScaleRule::kNearestLog2f);
    const std::uint64_t floor = quantize(rule_on(format, ScaleRule::kFloor), {power}).scale_code;
    EXPECT_EQ(quantize(by_log, {power | (first - 1)}).scale_code, floor) << k;
    EXPECT_EQ(quantize(by_log, {power | first}).scale_code, floor + 1) << k;
  }
}

// spec S3.3: N(k), the misread numbers, contiguous below each power of two.
TEST(Log2f, MisreadNumbersAreThoseOfTheTable) {
  const std::pair<int, int> table[] = {{-1, 0},   {2, 0},    {3, 1},     {4, 1},    {8, 2},
                                       {16, 5},   {17, 11},  {33, 22},   {64, 22},  {65, 44},
                                       {127, 44}, {-2, 1},   {-4, 2},    {-8, 5},   {-16, 11},
                                       {-32, 22}, {-64, 44}, {-125, 44}, {-126, 22}};
  for (const auto& [k, count] : table) {
    const auto power = static_cast<std::uint64_t>(k + 127) << 23;
    int misread = 0;
    for (std::uint64_t n = 1; n <= 64; ++n) {
      BlockCase block = default_case(formats::fp32, "mxint8");
      block.block.rule = ScaleRule::kFloorLog2f;
      const Quantizer quantizer = made(config_of(rules_case(block)));
      const std::vector<std::uint64_t> x{power - n};
      if (quantizer.explain_scale(x).unclamped == k + 127) ++misread;
    }
    EXPECT_EQ(misread, count) << k;
  }
}

// spec F11.2, relations, away from the clamps.
TEST(Relations, RulesAreOrderedAndWithinOneOfFloor) {
  Stream stream(700);
  std::uint64_t compared = 0;
  for (const BlockFormat& format : mx_block_formats()) {
    for (int i = 0; i < 4000; ++i) {
      const std::uint64_t amax =
          (20 + stream.below(200)) << 23 |
          (stream.coin() ? stream.next() & 0x7FFFFF : 0x7FFFFF & ~(stream.next() >> 20));
      const auto code = [&](ScaleRule rule) {
        QuantizerConfig config{formats::fp32, format, {}, {}};
        config.block.rule = rule;
        const std::vector<std::uint64_t> x{amax};
        return made(config).explain_scale(x).unclamped;
      };
      const int floor = code(ScaleRule::kFloor), ceil = code(ScaleRule::kCeil);
      const int even_down = code(ScaleRule::kEvenDown), even_up = code(ScaleRule::kEvenUp);
      const int midmax = code(ScaleRule::kMidmax), rceil = code(ScaleRule::kRceil);
      const int nearest = code(ScaleRule::kNearestLog);
      EXPECT_LE(floor, even_down);
      EXPECT_LE(even_down, even_up);
      EXPECT_LE(even_up, ceil);
      EXPECT_LE(floor, midmax);
      EXPECT_LE(midmax, rceil);
      EXPECT_LE(rceil, ceil);
      EXPECT_LE(floor, nearest);
      EXPECT_LE(nearest, ceil);
      EXPECT_LE(ceil, floor + 1);
      if (format.element.name != "e4m3fn" && format.element.name != "int8") {
        EXPECT_EQ(even_up, midmax) << format.name << hex(amax);
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 24000U);
}

// torchao 0.18: ceil of a binary32 logarithm of the ratio.
TEST(RceilLog2f, IsOneTooLowJustAboveAPowerOfTwo) {
  EXPECT_EQ(scale_of("mxfp8_e4m3", ScaleRule::kRceilLog2f, 0x4DE00001), 0x93U);
  EXPECT_EQ(scale_of("mxfp8_e4m3", ScaleRule::kRceil, 0x4DE00001), 0x94U);
}

// torchao 0.18: a block with s = 00 is coded at half its value.
TEST(Torchao018, DividesByAtLeastTheSmallestNormal) {
  RulesCase what = rule_on("mxfp8_e4m3", ScaleRule::kFloor);
  what.block.block.elem_scaling = ElemScaling::kFp32DivNormal;
  const BlockOutcome out = quantize(what, {std::uint64_t{7} << 23});  // 2^-120
  EXPECT_EQ(out.scale_code, 0U);
  EXPECT_EQ(out.codes[0], 0x68U);
  what.block.block.rule = ScaleRule::kRceil;
  what.block.block.elem_scaling = ElemScaling::kFp32MulOneAt00;
  EXPECT_EQ(quantize(what, {0x00800000}).codes[0], 0U);
}

// torchao 0.18 with NaN in the block: the codes that its arithmetic leaves.
TEST(Torchao018, NanBlocksAsComputed) {
  RulesCase what = rule_on("mxfp8_e4m3", ScaleRule::kFloor);
  what.block.block.elem_scaling = ElemScaling::kFp32DivNormal;
  what.block.block.nan_scale_codes = NanScaleCodes::kAsComputed;
  what.block.element.nan = NanPolicy::kKeepSign;
  const BlockOutcome out = quantize(what, {0x7FC00000, 0xFFC00000, 0x7F800000, fp32(1), fp32(-1)});
  EXPECT_EQ(out.scale_code, 0xFFU);
  EXPECT_EQ(out.codes, (std::vector<std::uint64_t>{0x7F, 0xFF, 0xFF, 0x00, 0x80}));
}

// microxcaling: scale_bits b gives 2^-L .. 2^L, NaN above and the smallest below.
TEST(ScaleBits, AboveIsNanBelowIsTheSmallest) {
  FormatCatalog catalog;
  for (const int bits : {2, 3, 5, 8}) {
    BlockCase block = default_case(formats::fp32, "mxint8");
    const ElementFormat* scale = catalog.find("exp" + std::to_string(bits) + "nan");
    ASSERT_NE(scale, nullptr) << bits;
    block.format.scale = *scale;
    block.block.scale_sat = ScaleSat::kToNan;
    const int limit = (1 << (bits - 1)) - 1;
    const auto scale_code = [&](int exponent) {
      return quantize(rules_case(block), {static_cast<std::uint64_t>(exponent + 127) << 23})
          .scale_code;
    };
    EXPECT_EQ(scale_code(limit), static_cast<std::uint64_t>(2 * limit)) << bits;
    if (limit < 127) {
      EXPECT_EQ(scale_code(limit + 1), scale->canonical_nan);
      EXPECT_EQ(scale_code(-limit - 1), 0U);
    }
  }
}

// hif4: the significand bytes of bf16(1/L1) are 77, 43 and 18.
TEST(Hif4, UsesTheRepositorysReciprocals) {
  // amax 7 * 2^j gives L1 = 2^j; its element is 7 = 4 * 1.75.
  const BlockOutcome out = quantize(rule_on("hifx4", ScaleRule::kHif4, formats::bf16),
                                    std::vector<std::uint64_t>(64, fp32(7.0) >> 16));
  EXPECT_EQ(out.scale_code & 0xFF, 0xC0U);  // 2^0: (48 << 2)
  EXPECT_EQ(out.scale_code >> 8, 0xFFFFFFU);
  for (const std::uint64_t code : out.codes) EXPECT_EQ(code, 7U);
}

// Tenstorrent: BFP4 is BFP8 cut, and -0 never appears.
TEST(Tenstorrent, Bfp4IsBfp8Cut) {
  Stream stream(710);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::uint64_t> block =
        random_block(formats::bf16, 0x3F80 + stream.below(0x100), 16, stream);
    const BlockOutcome eight =
        quantize(rule_on("tt_bfp8", ScaleRule::kFloor, formats::bf16), block);
    const BlockOutcome four = quantize(rule_on("tt_bfp4", ScaleRule::kFloor, formats::bf16), block);
    for (std::size_t lane = 0; lane < 16; ++lane) {
      const std::uint64_t magnitude = (eight.codes[lane] & 0x7F) >> 4;
      const std::uint64_t sign = magnitude == 0 ? 0 : eight.codes[lane] >> 7 << 3;
      EXPECT_EQ(four.codes[lane], magnitude | sign);
      EXPECT_NE(eight.codes[lane], 0x80U);
    }
  }
}

// spec F12.3: what holds for every block whose scale is not clamped.
TEST(Properties, ScaleMovesWithTheBlockAndCodesStay) {
  Stream stream(720);
  for (const BlockFormat& format : mx_block_formats()) {
    for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kMidmax, ScaleRule::kNearestLog,
                                 ScaleRule::kNearestVal, ScaleRule::kEvenUp}) {
      for (int i = 0; i < 200; ++i) {
        const std::uint64_t amax = (100 + stream.below(20)) << 23 | (stream.next() & 0x7FFFFF);
        std::vector<std::uint64_t> block = random_block(formats::fp32, amax, 8, stream);
        QuantizerConfig config{formats::fp32, format, {}, {}};
        config.block.rule = rule;
        const Quantizer quantizer = made(config);
        std::vector<std::uint64_t> codes(8), moved(8), values(8), again(8);
        const BlockResult before = quantizer.quantize_block(block, {}, codes);
        for (std::uint64_t& x : block) x += (x & 0x7FFFFFFF) == 0 ? 0 : std::uint64_t{5} << 23;
        const BlockResult after = quantizer.quantize_block(block, {}, moved);
        EXPECT_EQ(after.scale_code, before.scale_code + 5);
        EXPECT_EQ(codes, moved);
        if (rule == ScaleRule::kNearestLog || rule == ScaleRule::kNearestVal) continue;
        quantizer.dequantize_block(before.scale_code, codes, formats::fp32, values);
        const BlockResult stable = quantizer.quantize_block(values, {}, again);
        EXPECT_EQ(stable.scale_code, before.scale_code) << format.name << ' ' << token_of(rule);
        EXPECT_EQ(again, codes);
      }
    }
  }
}

}  // namespace
}  // namespace mx::oracle::rules_conformance_test
