// The worked examples of the specification as named regression tests. Every row is asked of the
// reference and of the oracle, so that neither is trusted on its own.
#include <gtest/gtest.h>

#include "reference/format/table.hpp"
#include "tests/reference/conformance/conformance_kit.hpp"
#include "tests/reference/judgement/block_sweep.hpp"
#include "tests/support/made.hpp"

namespace mx::oracle {
namespace {

constexpr Rounding kEven = Rounding::kTiesToEven;
constexpr Rounding kAway = Rounding::kTiesToAway;
constexpr Rounding kZero = Rounding::kTowardZero;
constexpr Overflow kNosat = Overflow::kNoneInfOrNan;

/// A block of fp32 patterns under one rule, other policies as in `element` and `block`.
BlockOutcome quantize(std::string_view format, ScaleRule rule, std::vector<std::uint64_t> source,
                      const ElementPolicy& element = {}, BlockPolicy block = {}) {
  block.rule = rule;
  const BlockFormat* found = find_block_format(format);
  EXPECT_NE(found, nullptr) << format;
  const BlockCase what{formats::fp32, *found, element, block};
  const ElementOracle<TickField> judge(found->element);
  const std::vector<std::uint32_t> random(source.size(), 0);
  const BlockOutcome want = oracle::quantize(judge, what, source, random);
  BlockOutcome got = reference_blocks()(what, source, random);
  EXPECT_TRUE(same_block(got, want)) << describe_blocks(what, source, random, got, want);
  return got;
}

std::uint64_t scale_of(std::string_view format, ScaleRule rule, std::uint64_t amax) {
  return quantize(format, rule, {amax}).scale_code;
}

struct ScaleRow {
  const char* format;
  std::uint64_t amax;
  std::uint64_t floor, ceil, rceil, even_up, even_down;
};

void check_scale_rows(const std::vector<ScaleRow>& rows) {
  for (const ScaleRow& row : rows) {
    const auto amax = hex(row.amax, 8);
    EXPECT_EQ(scale_of(row.format, ScaleRule::kFloor, row.amax), row.floor) << amax;
    EXPECT_EQ(scale_of(row.format, ScaleRule::kCeil, row.amax), row.ceil) << amax;
    EXPECT_EQ(scale_of(row.format, ScaleRule::kRceil, row.amax), row.rceil) << amax;
    EXPECT_EQ(scale_of(row.format, ScaleRule::kEvenUp, row.amax), row.even_up) << amax;
    EXPECT_EQ(scale_of(row.format, ScaleRule::kEvenDown, row.amax), row.even_down) << amax;
  }
}

TEST(Conformance, G1E2m1ScaleByteByRule) {
  check_scale_rows({
      {"mxfp4", fp32(5.0), 0x7F, 0x80, 0x7F, 0x7F, 0x7F},
      {"mxfp4", fp32(6.0), 0x7F, 0x80, 0x7F, 0x7F, 0x7F},
      {"mxfp4", 0x40C00001, 0x7F, 0x80, 0x80, 0x7F, 0x7F},
      {"mxfp4", fp32(7.0), 0x7F, 0x80, 0x80, 0x80, 0x7F},
      {"mxfp4", 0x40FFFFFF, 0x7F, 0x80, 0x80, 0x80, 0x80},
  });
}

TEST(Conformance, G2ScaleByteOtherFormats) {
  check_scale_rows({
      {"mxfp8_e4m3", fp32(384), 0x7F, 0x80, 0x7F, 0x7F, 0x7F},
      {"mxfp8_e4m3", 0x43E00001, 0x7F, 0x80, 0x80, 0x7F, 0x7F},
      {"mxfp8_e4m3", fp32(464), 0x7F, 0x80, 0x80, 0x7F, 0x7F},
      {"mxfp8_e4m3", fp32(496), 0x7F, 0x80, 0x80, 0x80, 0x7F},
      {"mxfp8_e4m3", 0x43FFFFFF, 0x7F, 0x80, 0x80, 0x80, 0x80},
      {"mxfp8_e5m2", fp32(57344) + 1, 0x7F, 0x80, 0x80, 0x7F, 0x7F},
      {"mxfp6_e2m3", fp32(7.5) + 1, 0x7F, 0x80, 0x80, 0x7F, 0x7F},
      {"mxfp6_e2m3", fp32(7.75), 0x7F, 0x80, 0x80, 0x80, 0x7F},
      {"mxfp6_e3m2", fp32(30), 0x7F, 0x80, 0x80, 0x80, 0x7F},
  });
}

TEST(Conformance, G3ElementCodes) {
  const std::vector<std::uint64_t> e2m1 = {fp32(7),    fp32(3.5),  fp32(2.5), fp32(0.75),
                                           fp32(0.25), 0x80000000, fp32(0.1F)};
  const auto floor = quantize("mxfp4", ScaleRule::kFloor, e2m1);
  EXPECT_EQ(floor.scale_code, 0x7FU);
  EXPECT_EQ(floor.codes, (std::vector<std::uint64_t>{7, 6, 4, 2, 0, 8, 0}));
  EXPECT_NE(floor.element_flags & kFlagSaturated, 0);
  for (const ScaleRule rule : {ScaleRule::kCeil, ScaleRule::kRceil, ScaleRule::kEvenUp}) {
    const auto higher = quantize("mxfp4", rule, e2m1);
    EXPECT_EQ(higher.scale_code, 0x80U);
    EXPECT_EQ(higher.codes, (std::vector<std::uint64_t>{6, 4, 2, 1, 0, 8, 0}));
  }
  const std::vector<std::uint64_t> e4m3 = {fp32(480), fp32(449), fp32(448), fp32(1.0625),
                                           fp32(0x1p-7)};
  EXPECT_EQ(quantize("mxfp8_e4m3", ScaleRule::kFloor, e4m3).codes,
            (std::vector<std::uint64_t>{0x7E, 0x7E, 0x7E, 0x38, 0x04}));
  EXPECT_EQ(quantize("mxfp8_e4m3", ScaleRule::kCeil, e4m3).codes,
            (std::vector<std::uint64_t>{0x77, 0x76, 0x76, 0x30, 0x02}));
}

TEST(Conformance, G4E2m1TiesByRounding) {
  struct Row {
    double x;
    std::uint64_t even, away, zero, ties_to_zero;
  };
  for (const Row& row : {Row{0.25, 0, 1, 0, 0}, Row{1.25, 2, 3, 2, 2}, Row{1.75, 4, 4, 3, 3},
                         Row{3.5, 6, 6, 5, 5}, Row{5.0, 6, 7, 6, 6}}) {
    EXPECT_EQ(convert(formats::fp32, "e2m1fn", with(kEven), fp32(row.x)), row.even) << row.x;
    EXPECT_EQ(convert(formats::fp32, "e2m1fn", with(kAway), fp32(row.x)), row.away) << row.x;
    EXPECT_EQ(convert(formats::fp32, "e2m1fn", with(kZero), fp32(row.x)), row.zero) << row.x;
    EXPECT_EQ(convert(formats::fp32, "e2m1fn", with(Rounding::kTiesToZero), fp32(row.x)),
              row.ties_to_zero)
        << row.x;
  }
}

// G5 (a): rceil exact at the lowest scale: max_elem * 2^-127 still fits scale 00.
TEST(Conformance, G5RceilAtTheLowestScale) {
  const std::uint64_t edge = fp32(0x1.Cp-119);  // 448 * 2^-127
  EXPECT_EQ(scale_of("mxfp8_e4m3", ScaleRule::kRceil, edge - 1), 0x00U);
  EXPECT_EQ(scale_of("mxfp8_e4m3", ScaleRule::kRceil, edge), 0x00U);
  EXPECT_EQ(scale_of("mxfp8_e4m3", ScaleRule::kRceil, edge + 1), 0x01U);
  EXPECT_FALSE(quantize("mxfp8_e4m3", ScaleRule::kRceil, {edge}).clamped);
  EXPECT_TRUE(quantize("mxfp8_e4m3", ScaleRule::kRceil, {fp32(0x1.Cp-120)}).clamped);
}

// G5 (b): the even rules' carry out of the exponent range at FLT_MAX, against the other rules.
TEST(Conformance, G5CarryAtFltMax) {
  constexpr std::uint64_t kFltMax = 0x7F7FFFFF;
  check_scale_rows({{"mxfp8_e4m3", kFltMax, 0xF6, 0xF7, 0xF7, 0xF7, 0xF7},
                    {"mxfp8_e5m2", kFltMax, 0xEF, 0xF0, 0xF0, 0xF0, 0xF0},
                    {"mxfp6_e3m2", kFltMax, 0xFA, 0xFB, 0xFB, 0xFB, 0xFB},
                    {"mxfp6_e2m3", kFltMax, 0xFC, 0xFD, 0xFD, 0xFD, 0xFD},
                    {"mxfp4", kFltMax, 0xFC, 0xFD, 0xFD, 0xFD, 0xFD},
                    {"mxint8", kFltMax, 0xFE, 0xFE, 0xFE, 0xFE, 0xFE}});
  BlockPolicy to_nan;
  to_nan.even_carry = EvenCarry::kToNan;
  for (const ScaleRule rule : {ScaleRule::kEvenUp, ScaleRule::kEvenDown}) {
    const auto block = quantize("mxfp8_e4m3", rule, {kFltMax}, {}, to_nan);
    EXPECT_EQ(block.scale_code, 0xFFU);
    EXPECT_TRUE(block.clamped);
  }
  EXPECT_EQ(quantize("mxfp8_e4m3", ScaleRule::kCeil, {kFltMax}, {}, to_nan).scale_code, 0xF7U);
  BlockPolicy saturate_to_nan;
  saturate_to_nan.scale_sat = ScaleSat::kToNan;
  EXPECT_EQ(quantize("mxint8", ScaleRule::kCeil, {kFltMax}, {}, saturate_to_nan).scale_code, 0xFFU);
  EXPECT_TRUE(quantize("mxint8", ScaleRule::kCeil, {kFltMax}).clamped);
  EXPECT_FALSE(quantize("mxint8", ScaleRule::kFloor, {kFltMax}).clamped);
}

// G5 (c): Inf and NaN blocks by policy.
TEST(Conformance, G5SpecialBlocks) {
  const std::vector<std::uint64_t> nan = {0x7FC00000, fp32(1)};
  const std::vector<std::uint64_t> inf = {0x7F800000, fp32(1)};
  EXPECT_EQ(quantize("mxfp8_e4m3", ScaleRule::kFloor, nan).scale_code, 0xFFU);
  EXPECT_EQ(quantize("mxfp8_e4m3", ScaleRule::kFloor, inf).scale_code, 0xFFU);
  EXPECT_EQ(quantize("mxfp8_e4m3", ScaleRule::kFloor, inf).codes,
            (std::vector<std::uint64_t>{0, 0}));
  BlockPolicy policy;
  policy.inf_block = InfBlock::kScaleMax;
  auto block = quantize("mxfp8_e4m3", ScaleRule::kFloor, inf, {}, policy);
  EXPECT_EQ(block.scale_code, 0xFEU);
  EXPECT_EQ(block.codes, (std::vector<std::uint64_t>{0x7E, 0}));
  policy.inf_block = InfBlock::kAsE255;
  EXPECT_EQ(quantize("mxfp8_e4m3", ScaleRule::kFloor, inf, {}, policy).scale_code, 0xF7U);
  EXPECT_EQ(quantize("mxfp4", ScaleRule::kFloor, inf, {}, policy).scale_code, 0xFDU);
  policy = {};
  policy.amax_over = AmaxOver::kIgnoreNan;
  block = quantize("mxfp8_e4m3", ScaleRule::kFloor, nan, {}, policy);
  EXPECT_EQ(block.scale_code, 0x77U);
  EXPECT_EQ(block.codes, (std::vector<std::uint64_t>{0x7F, 0x78}));
  policy = {};
  policy.nan_scale_codes = NanScaleCodes::kNan;
  EXPECT_EQ(quantize("mxfp8_e4m3", ScaleRule::kFloor, nan, {}, policy).codes,
            (std::vector<std::uint64_t>{0x7F, 0x7F}));
  EXPECT_EQ(quantize("mxfp4", ScaleRule::kFloor, nan, {}, policy).codes,
            (std::vector<std::uint64_t>{0, 0}));
}

// G5 (d): the lower clamp; zero blocks.
TEST(Conformance, G5LowerClampAndZeroBlocks) {
  EXPECT_EQ(scale_of("mxfp8_e4m3", ScaleRule::kFloor, fp32(0x1p-119)), 0x00U);
  EXPECT_FALSE(quantize("mxfp8_e4m3", ScaleRule::kFloor, {fp32(0x1p-119)}).clamped);
  EXPECT_TRUE(quantize("mxfp8_e4m3", ScaleRule::kFloor, {fp32(0x1p-120)}).clamped);
  EXPECT_TRUE(quantize("mxint8", ScaleRule::kFloor, {1}).clamped);
  const auto zero = quantize("mxfp8_e4m3", ScaleRule::kCeil, {0, 0x80000000});
  EXPECT_TRUE(zero.zero_block);
  EXPECT_EQ(zero.scale_code, 0x00U);
  EXPECT_EQ(zero.codes, (std::vector<std::uint64_t>{0x00, 0x80}));
  BlockPolicy one;
  one.zero_block_scale = ZeroBlockScale::kOne;
  EXPECT_EQ(quantize("mxfp8_e4m3", ScaleRule::kCeil, {0}, {}, one).scale_code, 0x7FU);
}

// spec F11.1: with e_max = 0 the value form is the specification for subnormal maxima.
TEST(Conformance, ValueFormOfTheRulesOnSubnormalMaxima) {
  EXPECT_EQ(scale_of("mxint8", ScaleRule::kEvenUp, 0x007F0000), 0x00U);
  EXPECT_EQ(scale_of("mxint8", ScaleRule::kFloor, 0x00400000), 0x00U);
  EXPECT_EQ(scale_of("mxint8", ScaleRule::kCeil, 0x00400001), 0x01U);
}

TEST(Conformance, G6E8m0Conversion) {
  ElementPolicy rz = with(kZero);
  rz.unsigned_negative = UnsignedNegative::kMagnitude;
  ElementPolicy rp = rz;
  rp.rounding = Rounding::kTowardPositive;
  ElementPolicy rp_nosat = rp;
  rp_nosat.overflow = kNosat;
  ElementPolicy rz_nosat = rz;
  rz_nosat.overflow = kNosat;
  struct Row {
    std::uint64_t x, rz, rp, rp_nosat, rz_nosat;
  };
  for (const Row& row :
       {Row{0, 0x00, 0x00, 0x00, 0x00}, Row{0x80000000, 0x00, 0x00, 0x00, 0x00},
        Row{0x00400000, 0x00, 0x00, 0x00, 0x00}, Row{0x00400001, 0x00, 0x01, 0x01, 0x00},
        Row{0x00800000, 0x01, 0x01, 0x01, 0x01}, Row{fp32(1.5), 0x7F, 0x80, 0x80, 0x7F},
        Row{fp32(-1.5), 0x7F, 0x80, 0x80, 0x7F}, Row{0x7F800000, 0xFE, 0xFE, 0xFF, 0xFF},
        Row{0xFF800000, 0xFE, 0xFE, 0xFF, 0xFF}, Row{0x7F000001, 0xFE, 0xFE, 0xFF, 0xFE},
        Row{0x7FC00000, 0xFF, 0xFF, 0xFF, 0xFF}}) {
    EXPECT_EQ(convert(formats::fp32, "e8m0", rz, row.x), row.rz) << hex(row.x, 8);
    EXPECT_EQ(convert(formats::fp32, "e8m0", rp, row.x), row.rp) << hex(row.x, 8);
    EXPECT_EQ(convert(formats::fp32, "e8m0", rp_nosat, row.x), row.rp_nosat) << hex(row.x, 8);
    EXPECT_EQ(convert(formats::fp32, "e8m0", rz_nosat, row.x), row.rz_nosat) << hex(row.x, 8);
  }
  constexpr std::uint64_t kTwoTo128 = 0x47F0000000000000;
  EXPECT_EQ(convert(formats::fp64, "e8m0", rz, kTwoTo128), 0xFEU);
  EXPECT_EQ(convert(formats::fp64, "e8m0", rp_nosat, kTwoTo128), 0xFFU);
  EXPECT_EQ(convert(formats::fp64, "e8m0", rz_nosat, kTwoTo128), 0xFEU);
}

TEST(Conformance, G7SpecialsToElements) {
  constexpr std::uint64_t kNan = 0x7FC00000;
  constexpr std::uint64_t kNegativeNan = 0xFFC00000;
  ElementPolicy policy;
  EXPECT_EQ(convert(formats::fp32, "e2m1fn", policy, kNan), 7U);
  EXPECT_EQ(convert(formats::fp32, "e4m3fn", policy, kNegativeNan), 0x7FU);
  EXPECT_EQ(convert(formats::fp32, "e5m2", policy, kNan), 0x7FU);
  EXPECT_EQ(convert(formats::fp32, "int8", policy, kNan), 0x7FU);
  policy.nan = NanPolicy::kKeepSign;
  EXPECT_EQ(convert(formats::fp32, "e4m3fn", policy, kNegativeNan), 0xFFU);
  EXPECT_EQ(convert(formats::fp32, "e5m2", policy, kNegativeNan), 0xFFU);
  policy.nan = NanPolicy::kToOppositeZero;
  EXPECT_EQ(convert(formats::fp32, "e2m1fn", policy, kNan), 8U);
  EXPECT_EQ(convert(formats::fp32, "e2m1fn", policy, kNegativeNan), 0U);
  EXPECT_EQ(convert(formats::fp32, "int8", policy, kNan), 0U);
  policy.nan = NanPolicy::kToSignedMax;
  policy.int_min = IntMin::kAllow;
  EXPECT_EQ(convert(formats::fp32, "int8", policy, kNegativeNan), 0x81U);
  EXPECT_EQ(convert(formats::fp32, "e4m3fn", with(kEven), fp32(500)), 0x7EU);
  EXPECT_EQ(convert(formats::fp32, "e4m3fn", with(kEven, kNosat), fp32(500)), 0x7FU);
}

TEST(Conformance, G8Int8Extremes) {
  const std::uint64_t x = fp32(0x1.FFF972p+0);  // 1.9999, binary32
  for (const IntMin int_min : {IntMin::kAllow, IntMin::kClampSymmetric}) {
    ElementPolicy policy;
    policy.int_min = int_min;
    EXPECT_EQ(convert(formats::fp32, "int8", policy, x), 0x7FU);
    EXPECT_EQ(convert(formats::fp32, "int8", policy, x | 0x80000000),
              int_min == IntMin::kAllow ? 0x80U : 0x81U);
    EXPECT_EQ(convert(formats::fp32, "int8", policy, 0xFF800000),
              int_min == IntMin::kAllow ? 0x80U : 0x81U);
  }
}

TEST(Conformance, G10CodeOfOne) {
  const std::vector<std::pair<const char*, std::uint64_t>> ones = {
      {"e4m3fn", 0x38},      {"e4m3b11fnuz", 0x58}, {"e3m4", 0x30},  {"e5m2fnuz", 0x40},
      {"binary8p3se", 0x40}, {"e8m0", 0x7F},        {"ue4m3", 0x38}, {"ue5m3", 0x78},
      {"e5m2", 0x3C},        {"e2m1fn", 0x2},       {"int8", 0x40}};
  for (const auto& [name, code] : ones) {
    EXPECT_EQ(convert(formats::fp32, name, {}, fp32(1)), code) << name;
  }
  EXPECT_EQ(decode(format_named("ue4m3"), 0x7F).cls, ValueClass::kNan);
  EXPECT_EQ(decode(formats::e8m0, 0x00).exponent, -127);
  EXPECT_EQ(decode(format_named("binary8p1uf"), 0x00).cls, ValueClass::kZero);
}

TEST(Conformance, G11DoubleRounding) {
  const std::uint64_t x = fp32(0x1.1p+0 + 0x1p-13);
  ElementPolicy staged;
  staged.staging = Staging::kViaFp16;
  EXPECT_EQ(convert(formats::fp32, "e4m3fn", {}, x), 0x39U);
  EXPECT_EQ(convert(formats::fp32, "e4m3fn", staged, x), 0x38U);
}

// spec F9.5: binary64 sources are rounded once; narrowed to binary32 first they differ.
TEST(Conformance, Fp64RoundsOnceUnlessStaged) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  ElementPolicy staged = with(kEven, kNosat);
  staged.staging = Staging::kViaFp32;
  const ElementPolicy once = with(kEven, kNosat);
  EXPECT_EQ(convert(formats::fp64, "e4m3fn", once, bits(1.0625 + 0x1p-40)), 0x39U);
  EXPECT_EQ(convert(formats::fp64, "e4m3fn", staged, bits(1.0625 + 0x1p-40)), 0x38U);
  EXPECT_EQ(convert(formats::fp64, "e4m3fn", once, bits(464 + 0x1p-40)), 0x7FU);
  EXPECT_EQ(convert(formats::fp64, "e4m3fn", staged, bits(464 + 0x1p-40)), 0x7EU);
  EXPECT_EQ(convert(formats::fp64, "e2m1fn", once, bits(5 + 0x1p-40)), 7U);
  EXPECT_EQ(convert(formats::fp64, "e2m1fn", staged, bits(5 + 0x1p-40)), 6U);
}

// spec F9.5: fp16 to e4m3fn, in units of 2^-9. 3.375 is a tie at 4 bits, 3.5 one of the subnormals.
TEST(Conformance, RoundsBeforeDenormalising) {
  ElementPolicy staged;
  staged.staging = Staging::kViaUnbounded;
  struct Case {
    std::uint64_t input, once, twice;
  };
  for (const Case& each : {Case{0x1EE0, 0x03, 0x04},
                           {0x9EE0, 0x83, 0x84},
                           {0x1EC0, 0x03, 0x04},
                           {0x1EBF, 0x03, 0x03},
                           {0x1EFF, 0x03, 0x04},
                           {0x1F00, 0x04, 0x04},
                           {0x1401, 0x01, 0x00},     // a hair above half a unit
                           {0x23FF, 0x08, 0x08},     // just below the normals: 8 units
                           {0x2401, 0x08, 0x08},     // a normal
                           {0x5F41, 0x7E, 0x7E}}) {  // beyond the range
    EXPECT_EQ(convert(formats::fp16, "e4m3fn", {}, each.input), each.once) << each.input;
    EXPECT_EQ(convert(formats::fp16, "e4m3fn", staged, each.input), each.twice) << each.input;
  }
  // The first rounding is that of the policy; two in one direction are one.
  staged.rounding = Rounding::kTiesToZero;
  EXPECT_EQ(convert(formats::fp16, "e4m3fn", staged, 0x1F40), 0x03U);
  EXPECT_EQ(convert(formats::fp16, "e4m3fn", staged, 0x1F41), 0x04U);
  staged.rounding = Rounding::kTiesToAway;
  EXPECT_EQ(convert(formats::fp16, "e4m3fn", staged, 0x1EBF), 0x03U);
  EXPECT_EQ(convert(formats::fp16, "e4m3fn", staged, 0x1EC0), 0x04U);
  staged.rounding = Rounding::kTowardZero;
  EXPECT_EQ(convert(formats::fp16, "e4m3fn", staged, 0x1EFF), 0x03U);
  // Integers have no subnormals.
  staged.rounding = Rounding::kTiesToEven;
  EXPECT_EQ(convert(formats::fp32, "int8", staged, fp32(3.4375 / 64)), 3U);
}

// spec F10.3: the least number for a NaN of either sign.
TEST(Conformance, NanToTheLeast) {
  ElementPolicy policy;
  policy.nan = NanPolicy::kToMin;
  for (const auto& [name, code] : {std::pair<const char*, std::uint64_t>{"int8", 0x80},
                                   {"e4m3fn", 0xFE},
                                   {"e2m1fn", 0xF},
                                   {"e4m3fnuz", 0xFF},
                                   {"ue4m3", 0x00},
                                   {"e8m0", 0x00}}) {
    for (const std::uint64_t nan : {0x7FC00000U, 0xFFC00000U, 0x7F800001U}) {
      EXPECT_EQ(convert(formats::fp32, name, policy, nan), code) << name;
    }
    policy.int_min = policy.int_min == IntMin::kAllow ? IntMin::kClampSymmetric : IntMin::kAllow;
  }
}

/// The smallest R that rounds x up, 2^N if none does.
std::uint64_t first_r_up(Rounding rounding, int random_bits, std::uint64_t x, std::uint64_t down) {
  ElementPolicy policy = with(rounding);
  policy.random_bits = random_bits;
  const std::uint64_t all = std::uint64_t{1} << random_bits;
  for (std::uint64_t r = 0; r < all; ++r) {
    if (convert(formats::fp32, "e4m3fn", policy, x, static_cast<std::uint32_t>(r)) != down) {
      return r;
    }
  }
  return all;
}

TEST(Conformance, G12StochasticRounding) {
  const std::uint64_t seven_sixteenths = fp32(1 + 7.0 / 16 / 8);
  EXPECT_EQ(first_r_up(Rounding::kStochasticA, 3, seven_sixteenths, 0x38), 5U);
  EXPECT_EQ(first_r_up(Rounding::kStochasticB, 3, seven_sixteenths, 0x38), 4U);
  EXPECT_EQ(first_r_up(Rounding::kStochasticC, 3, seven_sixteenths, 0x38), 4U);
  const std::uint64_t thirteen_32nds = fp32(1 + 13.0 / 32 / 8);
  for (const Rounding rounding :
       {Rounding::kStochasticA, Rounding::kStochasticB, Rounding::kStochasticC}) {
    EXPECT_EQ(first_r_up(rounding, 3, thirteen_32nds, 0x38), 5U);
  }
  // 1.03125 (nu = 1/4): 39 iff R >= 6.
  EXPECT_EQ(first_r_up(Rounding::kStochasticA, 3, fp32(1.03125), 0x38), 6U);
  // Exact values never move.
  EXPECT_EQ(first_r_up(Rounding::kStochasticA, 8, fp32(1), 0x38), 256U);
}

// spec F9.4: stochastic rounding into overflow, x = 449 with AMD's N = 20.
TEST(Conformance, StochasticOverflow) {
  ElementPolicy policy = with(Rounding::kStochasticA, kNosat);
  policy.random_bits = 20;
  EXPECT_EQ(convert(formats::fp32, "e4m3fn", policy, fp32(449), 0xFFFFF), 0x7FU);
  EXPECT_EQ(convert(formats::fp32, "e4m3fn", policy, fp32(449), 0), 0x7EU);
}

TEST(Conformance, G13P3109SatNone) {
  const ElementPolicy v4 = with(kEven, Overflow::kNoneP3109V4);
  const ElementPolicy formal = with(kEven, Overflow::kNoneP310920260714);
  EXPECT_EQ(convert(formats::fp32, "e4m3fnuz", v4, fp32(1000)), 0x7FU);
  EXPECT_EQ(convert(formats::fp32, "e4m3fnuz", formal, fp32(1000)), 0x80U);
  EXPECT_EQ(convert(formats::fp32, "binary8p4se", v4, fp32(1000)), 0x7FU);
  EXPECT_EQ(convert(formats::fp32, "binary8p4se", with(kZero, Overflow::kNoneP3109V4), fp32(1000)),
            0x7EU);
}

// G14: the integer floor has no log2 trap: just below 2^k it stays one below, for every k.
TEST(Conformance, G14NoLog2Trap) {
  for (std::uint64_t field = 1; field <= 254; ++field) {
    const std::uint64_t power = field << 23;
    const std::uint64_t expected = field < 3 ? 0 : field - 2;  // e_max of e2m1fn is 2
    EXPECT_EQ(scale_of("mxfp4", ScaleRule::kFloor, power), expected);
    EXPECT_EQ(scale_of("mxfp4", ScaleRule::kFloor, power - 1), expected == 0 ? 0 : expected - 1);
    EXPECT_EQ(scale_of("mxfp4", ScaleRule::kCeil, power + 1), field < 2 ? 0 : field - 1);
  }
}

// spec F8.2, the worked values.
TEST(Conformance, WorkedValuesOfEncode) {
  const auto code = [](std::string_view format, double x, const ElementPolicy& policy) {
    return convert(formats::fp32, format, policy, fp32(x));
  };
  EXPECT_EQ(code("e4m3fn", 7.5 * 0x1p-9, with(kEven)), 0x08U);
  EXPECT_EQ(code("e4m3fn", 1.9375, with(kEven)), 0x40U);
  EXPECT_EQ(code("e5m2fnuz", -0x1p-19, with(kEven)), 0x00U);
  EXPECT_EQ(code("e5m2", -0x1p-18, with(kEven)), 0x80U);
  EXPECT_EQ(code("e5m2", 65535, with(kEven, kNosat)), 0x7CU);
  EXPECT_EQ(code("e5m2", 65535, with(kZero, kNosat)), 0x7BU);
  EXPECT_EQ(code("ue5m3", 120000, with(kZero, kNosat)), 0xFEU);
  EXPECT_EQ(code("ue5m3", 120000, with(Rounding::kTowardPositive, kNosat)), 0xFFU);
  EXPECT_EQ(code("int8", 129.0 / 128, with(kEven)), 0x40U);
  EXPECT_EQ(code("int8", 129.0 / 128, with(kAway)), 0x41U);
  EXPECT_EQ(code("int8", -1.75, with(kEven)), 0x90U);
  EXPECT_EQ(code("e3m0", 0.125, with(kEven)), 0U);
  EXPECT_EQ(code("e3m0", 3, with(kEven)), 4U);
  EXPECT_EQ(code("e3m0", 6, with(kEven)), 6U);
  EXPECT_EQ(code("e3m0", 20, with(kEven)), 7U);
  EXPECT_EQ(code("binary8p4se", 225, with(Rounding::kToOdd)), 0x7EU);
  EXPECT_EQ(code("binary8p4se", 225, with(Rounding::kToOdd, Overflow::kNoneP3109V4)), 0x7FU);
  EXPECT_EQ(code("ue6m2", 0x1p-50, with(kEven)), 0x00U);
  EXPECT_EQ(code("ue6m2", 50000, with(kEven)), 0xFEU);
  EXPECT_EQ(code("e4m3fnuz", -0x1p-12, with(kEven)), 0x00U);
  EXPECT_EQ(code("e4m3fn", -0x1p-12, with(kEven)), 0x80U);
}

// spec F2 item 12: ties of one-bit precision depend on the bias and the parity rule.
TEST(Conformance, TiesOfOneBitPrecision) {
  EXPECT_EQ(convert(formats::fp32, "binary8p1uf", {}, fp32(1.5)), 128U);        // 1.0
  EXPECT_EQ(convert(formats::fp32, "e8m0", {}, fp32(1.5)), 128U);               // 2.0
  EXPECT_EQ(convert(formats::fp32, "e8m0_implicit_odd", {}, fp32(1.5)), 128U);  // 2.0
  EXPECT_EQ(convert(formats::fp32, "binary8p1uf", {}, fp32(3)), 130U);          // 4.0
  EXPECT_EQ(convert(formats::fp32, "e8m0", {}, fp32(3)), 128U);                 // 2.0
  EXPECT_EQ(convert(formats::fp32, "e8m0_implicit_odd", {}, fp32(3)), 129U);    // 4.0
}

// spec F14.1: CUDA's host conversions, ties_to_even, SATFINITE / NOSAT.
TEST(Conformance, CudaHostTable) {
  const ElementPolicy sat = with(kEven);
  const ElementPolicy nosat = with(kEven, kNosat);
  struct Row {
    std::uint64_t x, e4m3_sat, e4m3_nosat, e5m2_sat, e5m2_nosat;
  };
  for (const Row& row :
       {Row{0x80000000, 0x80, 0x80, 0x80, 0x80}, Row{0x7F800000, 0x7E, 0x7F, 0x7B, 0x7C},
        Row{0xFF800000, 0xFE, 0xFF, 0xFB, 0xFC}, Row{0xFF800001, 0x7F, 0x7F, 0x7F, 0x7F},
        Row{fp32(464), 0x7E, 0x7E, 0x5F, 0x5F}, Row{fp32(464) + 1, 0x7E, 0x7F, 0x5F, 0x5F},
        Row{fp32(61440) - 1, 0x7E, 0x7F, 0x7B, 0x7B}, Row{fp32(61440), 0x7E, 0x7F, 0x7B, 0x7C}}) {
    EXPECT_EQ(convert(formats::fp32, "e4m3fn", sat, row.x), row.e4m3_sat) << hex(row.x, 8);
    EXPECT_EQ(convert(formats::fp32, "e4m3fn", nosat, row.x), row.e4m3_nosat) << hex(row.x, 8);
    EXPECT_EQ(convert(formats::fp32, "e5m2", sat, row.x), row.e5m2_sat) << hex(row.x, 8);
    EXPECT_EQ(convert(formats::fp32, "e5m2", nosat, row.x), row.e5m2_nosat) << hex(row.x, 8);
  }
  EXPECT_EQ(convert(formats::fp32, "e4m3fn", sat, fp32(0x1p-10)), 0x00U);
  EXPECT_EQ(convert(formats::fp32, "e4m3fn", sat, fp32(0x1p-10) + 1), 0x01U);
  for (const std::uint64_t big : {fp32(464), fp32(61440), std::uint64_t{0x7F800000}}) {
    EXPECT_EQ(convert(formats::fp32, "e2m3fn", sat, big), 0x1FU);
    EXPECT_EQ(convert(formats::fp32, "e3m2fn", nosat, big), 0x1FU);
    EXPECT_EQ(convert(formats::fp32, "e2m1fn", nosat, big), 7U);
  }
}

// spec V5.3: the first overflowing fp32 pattern under ties_to_even.
TEST(Conformance, FirstOverflowingPatterns) {
  const std::vector<std::pair<const char*, std::uint64_t>> rows = {
      {"e4m3fn", 0x43E80001},  {"e5m2", 0x47700000},   {"e3m2fn", 0x41F00000},
      {"e2m3fn", 0x40F80000},  {"e2m1fn", 0x40E00000}, {"e4m3fnuz", 0x43780000},
      {"e5m2fnuz", 0x47700000}};
  for (const auto& [name, pattern] : rows) {
    const ConversionConfig conversion{formats::fp32, format_named(name), with(kEven, kNosat)};
    EXPECT_EQ(made(conversion)(pattern - 1).flags & kFlagOverflow, 0) << name;
    EXPECT_NE(made(conversion)(pattern).flags & kFlagOverflow, 0) << name;
    EXPECT_EQ(made(conversion)(pattern - 1).code, conversion.destination.max_code) << name;
    convert(formats::fp32, name, with(kEven, kNosat), pattern);
    convert(formats::fp32, name, with(kEven, kNosat), pattern - 1);
  }
}

// spec V8.2: the fault list's right answers, fp32 to e4m3fn.
TEST(FaultList, ElementCodes) {
  const auto code = [](std::uint64_t x, const ElementPolicy& policy) {
    return convert(formats::fp32, "e4m3fn", policy, x);
  };
  EXPECT_EQ(code(0x40080000, {}), 0x40U);  // 1: the tie goes to even
  EXPECT_EQ(code(0x40080001, {}), 0x41U);  // 2: one ulp above the tie
  for (int bit = 0; bit < 19; ++bit) {     // 2: a lone sticky bit at every distance
    EXPECT_EQ(code(0x40080000 | std::uint64_t{1} << bit, {}), 0x41U) << bit;
  }
  EXPECT_EQ(code(0x3B000000, {}), 0x01U);                   // 3, 4: smallest subnormal
  EXPECT_EQ(code(0x43E08000, with(kEven, kNosat)), 0x7EU);  // 5: 449 rounds back
  EXPECT_EQ(code(0x447A0000, with(kZero, kNosat)), 0x7EU);  // 6: directed inward
  EXPECT_EQ(code(0x44160000, {}), 0x7EU);                   // 7: 600 saturates
  EXPECT_EQ(code(0x43E80000, with(kEven, kNosat)), 0x7EU);  // 8: the tie at 464
  EXPECT_EQ(code(0x3FA88000, {}), 0x3BU);                   // 11: rounded once
  EXPECT_EQ(code(0x80000000, {}), 0x80U);                   // 12: -0 kept
}

TEST(FaultList, BlockScales) {
  EXPECT_EQ(scale_of("mxfp8_e4m3", ScaleRule::kCeil, 0x3F900000), 0x78U);  // 9
  EXPECT_EQ(scale_of("mxfp4", ScaleRule::kFloor, fp32(5)), 0x7FU);         // 10
  EXPECT_EQ(scale_of("mxfp4", ScaleRule::kCeil, fp32(5)), 0x80U);
  EXPECT_EQ(quantize("mxfp8_e4m3", ScaleRule::kFloor, {0x7FC00000, fp32(1), 0}).scale_code, 0xFFU);
  BlockPolicy ignore;
  ignore.amax_over = AmaxOver::kIgnoreNan;
  EXPECT_EQ(
      quantize("mxfp8_e4m3", ScaleRule::kFloor, {0x7FC00000, fp32(1), 0}, {}, ignore).scale_code,
      0x77U);  // 13
}

// spec R8.3: the bug zoo's right answers.
TEST(FaultList, RtlZoo) {
  using Codes = std::vector<std::uint64_t>;
  constexpr ScaleRule kFloor = ScaleRule::kFloor;
  const auto expect = [](const BlockOutcome& block, std::uint64_t scale, const Codes& codes) {
    EXPECT_EQ(block.scale_code, scale);
    EXPECT_EQ(block.codes, codes);
  };
  EXPECT_EQ(scale_of("mxfp8_e4m3", kFloor, 0x3F800000), 0x77U);        // 1
  expect(quantize("mxfp8_e4m3", kFloor, {0x43E00000}), 0x7F, {0x7E});  // 2
  BlockPolicy finite_only;
  finite_only.amax_over = AmaxOver::kFiniteOnly;
  expect(quantize("mxfp8_e4m3", kFloor, {0x7F800000, 0x3F800000}, with(kEven, kNosat), finite_only),
         0x77, {0x7F, 0x78});                                                            // 3
  expect(quantize("mxfp6_e3m2", kFloor, {0x41E00000}), 0x7F, {0x1F});                    // 4
  expect(quantize("mxfp8_e5m2", kFloor, {0x3F800000}), 0x70, {0x78});                    // 5
  expect(quantize("mxfp8_e4m3", kFloor, {0x00400000}), 0x00, {0x38});                    // 6
  expect(quantize("mxint8", kFloor, {0x00400000}), 0x00, {0x40});                        // 6
  expect(quantize("mxfp4", kFloor, {0x40800000, 0x3F000000}), 0x7F, {6, 1});             // 7
  expect(quantize("mxfp8_e4m3", kFloor, {0x43800000, 0x3C000000}), 0x7F, {0x78, 0x04});  // 8
  expect(quantize("mxfp4", kFloor, {0x40800000, 0x3E800000}), 0x7F, {6, 0});             // 9
  expect(quantize("mxfp8_e4m3", kFloor, {0x43800000, 0x3F882000}), 0x7F, {0x78, 0x39});  // 10
  EXPECT_EQ(scale_of("mxfp8_e4m3", kFloor, 0x43FFFEB8), 0x7FU);                          // 10
  EXPECT_EQ(scale_of("mxfp4", kFloor, 0x7FC00000), 0xFFU);                               // 11
  ElementPolicy stochastic = with(Rounding::kStochasticA);
  expect(quantize("mxfp4", kFloor, {0x40800000, 0x3F800000}, stochastic), 0x7F, {6, 2});  // 14
}

// spec F17, G15: the worked block.
TEST(Conformance, WorkedBlock) {
  std::vector<std::uint64_t> source = {0x40490FDB, 0xBF400000, 0x3C000000, 0x3A83126F};
  source.resize(32, 0);
  const BlockOutcome block = quantize("mxfp8_e4m3", ScaleRule::kFloor, source);
  EXPECT_EQ(block.scale_code, 0x78U);
  EXPECT_EQ(std::vector<std::uint64_t>(block.codes.begin(), block.codes.begin() + 4),
            (std::vector<std::uint64_t>{0x7D, 0xEC, 0x38, 0x20}));
  EXPECT_EQ(block.element_flags, kFlagInexact);
  const Quantizer quantizer =
      made(QuantizerConfig{formats::fp32, *find_block_format("mxfp8_e4m3"), {}, {}});
  std::vector<std::uint64_t> back(4);
  quantizer.dequantize_block(0x78, std::span(block.codes).first(4), formats::fp32, back);
  EXPECT_EQ(back, (std::vector<std::uint64_t>{fp32(3.25), fp32(-0.75), fp32(0x1p-7),
                                              fp32(0.0009765625)}));
}

}  // namespace
}  // namespace mx::oracle
