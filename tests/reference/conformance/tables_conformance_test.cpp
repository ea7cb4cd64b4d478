// Every number that spec F2 to F14 state as a fact about a format, a code or a
// conversion and that conformance_test.cpp and rules_conformance_test.cpp do not hold already.
// Conversions are asked of the reference and of the oracle; decoded values are typed here.
#include <gtest/gtest.h>

#include <cmath>

#include "reference/block/quantizer.hpp"
#include "reference/catalog/block_fields.hpp"
#include "reference/element/random_source.hpp"
#include "reference/tensor/packing.hpp"
#include "reference/tensor/scale_layout.hpp"
#include "tests/reference/conformance/conformance_kit.hpp"
#include "tests/support/made.hpp"

namespace mx::oracle::tables_conformance_test {
namespace {

/// A code's value as the machine holds it: every format here fits binary64.
double value(std::string_view name, std::uint64_t code) {
  const Unpacked x = decode(format_named(name), code);
  EXPECT_EQ(x.cls == ValueClass::kFinite || x.cls == ValueClass::kZero, true)
      << name << ' ' << code;
  const double magnitude = x.cls == ValueClass::kZero
                               ? 0
                               : std::ldexp(static_cast<double>(x.significand), x.exponent - 63);
  return x.negative ? -magnitude : magnitude;
}

ValueClass class_of(std::string_view name, std::uint64_t code) {
  return decode(format_named(name), code).cls;
}

constexpr ValueClass kNan = ValueClass::kNan;
constexpr ValueClass kInf = ValueClass::kInf;

// spec F3.1: the table of fixed formats.
TEST(Section3, FixedFormats) {
  struct Row {
    const char* name;
    int bits, exp_bits, man_bits, bias;
    double max;
    std::uint64_t max_code;
    double min_normal, min_subnormal;
    int negative_zero;  // code, -1: none
  };
  const Row rows[] = {{"e2m1fn", 4, 2, 1, 1, 6, 7, 1, 0.5, 8},
                      {"e3m0", 4, 3, 0, 3, 16, 7, 0.25, 0, 8},
                      {"e2m3fn", 6, 2, 3, 1, 7.5, 0x1F, 1, 0.125, 0x20},
                      {"e3m2fn", 6, 3, 2, 3, 28, 0x1F, 0.25, 0.0625, 0x20},
                      {"e4m3fn", 8, 4, 3, 7, 448, 0x7E, 0x1p-6, 0x1p-9, 0x80},
                      {"e5m2", 8, 5, 2, 15, 57344, 0x7B, 0x1p-14, 0x1p-16, 0x80},
                      {"e4m3fnuz", 8, 4, 3, 8, 240, 0x7F, 0x1p-7, 0x1p-10, -1},
                      {"e5m2fnuz", 8, 5, 2, 16, 57344, 0x7F, 0x1p-15, 0x1p-17, -1},
                      {"e4m3b11fnuz", 8, 4, 3, 11, 30, 0x7F, 0x1p-10, 0x1p-13, -1},
                      {"e4m3", 8, 4, 3, 7, 240, 0x77, 0x1p-6, 0x1p-9, 0x80},
                      {"e3m4", 8, 3, 4, 3, 15.5, 0x6F, 0.25, 0x1p-6, 0x80},
                      {"e3m4fn_intel", 8, 3, 4, 3, 30, 0x7E, 0.25, 0x1p-6, 0x80},
                      {"tf32", 19, 8, 10, 127, 0x1.FFCp+127, 0x3FBFF, 0x1p-126, 0x1p-136, 0x40000},
                      {"bf16", 16, 8, 7, 127, 0x1.FEp+127, 0x7F7F, 0x1p-126, 0x1p-133, 0x8000},
                      {"fp16", 16, 5, 10, 15, 65504, 0x7BFF, 0x1p-14, 0x1p-24, 0x8000}};
  for (const Row& row : rows) {
    const ElementFormat f = format_named(row.name);
    EXPECT_EQ(f.bits, row.bits) << row.name;
    EXPECT_EQ(f.exp_bits, row.exp_bits) << row.name;
    EXPECT_EQ(f.man_bits, row.man_bits) << row.name;
    EXPECT_EQ(f.bias, row.bias) << row.name;
    EXPECT_EQ(f.max_code, row.max_code) << row.name;
    EXPECT_EQ(value(row.name, row.max_code), row.max) << row.name;
    const std::uint64_t first_normal = std::uint64_t{1} << f.man_bits;
    EXPECT_EQ(value(row.name, first_normal), row.min_normal) << row.name;
    if (row.min_subnormal != 0) {
      EXPECT_EQ(value(row.name, 1), row.min_subnormal) << row.name;
    }
    // "Code of 1.0 is bias << M for every floating format."
    const auto one = static_cast<std::uint64_t>(f.bias) << f.man_bits;
    EXPECT_EQ(value(row.name, one), 1) << row.name;
    EXPECT_EQ(convert(formats::fp32, row.name, {}, fp32(1)), one) << row.name;
    if (row.negative_zero >= 0) {
      const auto code = static_cast<std::uint64_t>(row.negative_zero);
      EXPECT_EQ(class_of(row.name, code), ValueClass::kZero) << row.name;
      EXPECT_EQ(convert(formats::fp32, row.name, {}, 0x80000000), code) << row.name;
    } else {
      EXPECT_EQ(class_of(row.name, f.sign_bit()), kNan) << row.name;
      EXPECT_EQ(convert(formats::fp32, row.name, {}, 0x80000000), 0U) << row.name;
    }
  }
}

TEST(Section3, InfAndNanCodes) {
  struct Row {
    const char* name;
    std::vector<std::uint64_t> inf, nan;
    std::uint64_t canonical;
  };
  const Row rows[] = {
      {"e4m3fn", {}, {0x7F, 0xFF}, 0x7F},
      {"e5m2", {0x7C, 0xFC}, {0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF}, 0x7F},
      {"e4m3fnuz", {}, {0x80}, 0x80},
      {"e5m2fnuz", {}, {0x80}, 0x80},
      {"e4m3b11fnuz", {}, {0x80}, 0x80},
      {"e4m3",
       {0x78, 0xF8},
       {0x79, 0x7A, 0x7B, 0x7C, 0x7D, 0x7E, 0x7F, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF},
       0x7C},
      {"e3m4fn_intel", {}, {0x7F, 0xFF}, 0x7F},
      {"hif8", {0x6F, 0xEF}, {0x80}, 0x80},
      {"e8m0", {}, {0xFF}, 0xFF},
      {"ue4m3", {}, {0x7F}, 0x7F},
      {"ue5m3", {}, {0xFF}, 0xFF},
      {"ue6m2", {}, {0xFF}, 0xFF},
      {"binary8p4se", {0x7F, 0xFF}, {0x80}, 0x80},
      {"binary8p1uf", {}, {0xFF}, 0xFF}};
  for (const Row& row : rows) {
    const ElementFormat f = format_named(row.name);
    std::vector<std::uint64_t> inf, nan;
    for (std::uint64_t code = 0; code <= f.code_mask(); ++code) {
      if (class_of(row.name, code) == kInf) inf.push_back(code);
      if (class_of(row.name, code) == kNan) nan.push_back(code);
    }
    EXPECT_EQ(inf, row.inf) << row.name;
    EXPECT_EQ(nan, row.nan) << row.name;
    EXPECT_EQ(f.canonical_nan, row.canonical) << row.name;
  }
  for (std::uint64_t code = 0x71; code <= 0x7F; ++code) {
    EXPECT_EQ(class_of("e3m4", code), kNan);
    EXPECT_EQ(class_of("e3m4", code | 0x80), kNan);
  }
  EXPECT_EQ(class_of("e3m4", 0x70), kInf);
  EXPECT_EQ(format_named("e3m4").canonical_nan, 0x78U);
}

TEST(Section3, MagnitudesOfTheFourBitFormats) {
  const double e2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6}, e3m0[] = {0, 0.25, 0.5, 1, 2, 4, 8, 16};
  for (std::uint64_t code = 0; code < 8; ++code) {
    EXPECT_EQ(value("e2m1fn", code), e2m1[code]);
    EXPECT_EQ(value("e3m0", code), e3m0[code]);
    EXPECT_EQ(value("e2m1fn", code | 8), -e2m1[code]);
  }
}

TEST(Section3, P3109Instances) {
  struct Row {
    const char* name;
    int bias;
    std::uint64_t max_code;
    double max, min_positive;
  };
  for (const Row& row :
       {Row{"binary8p4se", 8, 0x7E, 224, 0x1p-10}, Row{"binary8p3se", 16, 0x7E, 49152, 0x1p-17},
        Row{"binary4p2sf", 2, 7, 3, 0.25}, Row{"binary8p1uf", 128, 0xFE, 0x1p126, 0x1p-127},
        Row{"binary6p3sf", 4, 0x1F, 14, 0x1p-5}, Row{"binary6p4sf", 2, 0x1F, 3.75, 0x1p-4},
        Row{"binary8p4uf", 16, 0xFE, 57344, 0x1p-18},
        Row{"binary8p3uf", 32, 0xFE, 1.5 * 0x1p31, 0x1p-33},
        Row{"binary8p7sf", 1, 0x7F, 1.984375, 0x1p-6},
        Row{"binary8p8uf", 1, 0xFE, 1.984375, 0x1p-7}}) {
    const ElementFormat f = format_named(row.name);
    EXPECT_EQ(f.bias, row.bias) << row.name;
    EXPECT_EQ(f.max_code, row.max_code) << row.name;
    EXPECT_EQ(value(row.name, row.max_code), row.max) << row.name;
    EXPECT_EQ(value(row.name, 1), row.min_positive) << row.name;
    EXPECT_EQ(class_of(row.name, 0), ValueClass::kZero) << row.name;
  }
  EXPECT_EQ(class_of("binary4p2sf", 8), kNan);  // not e2m1fn
  for (std::uint64_t c = 1; c <= 0xFE; ++c) {
    EXPECT_EQ(value("binary8p1uf", c), std::ldexp(1.0, static_cast<int>(c) - 128));
  }
  // e4m3fnuz = binary8p4sf, e5m2fnuz = binary8p3sf.
  for (const auto& [fnuz, binary] :
       {std::pair{"e4m3fnuz", "binary8p4sf"}, {"e5m2fnuz", "binary8p3sf"}}) {
    for (std::uint64_t code = 0; code < 256; ++code) {
      EXPECT_TRUE(decode(format_named(fnuz), code) == decode(format_named(binary), code)) << code;
    }
  }
}

TEST(Section3, P3109CodesOfEveryInstance) {
  int formats = 0;
  for (int k = 3; k <= 16; ++k) {
    for (int p = 1; p <= k; ++p) {
      for (const Signedness sign : {Signedness::kSigned, Signedness::kUnsigned}) {
        for (const P3109Domain domain : {P3109Domain::kFinite, P3109Domain::kExtended}) {
          const auto f = p3109_format(k, p, sign, domain);
          if (!f) continue;
          ++formats;
          const bool is_signed = sign == Signedness::kSigned;
          const std::uint64_t half = std::uint64_t{1} << (k - 1), all = 2 * half - 1;
          const bool is_extended = domain == P3109Domain::kExtended;
          EXPECT_EQ(decode(*f, is_signed ? half : all).cls, kNan);
          EXPECT_EQ(decode(*f, 0).cls, ValueClass::kZero);
          if (is_extended) {
            EXPECT_EQ(decode(*f, is_signed ? half - 1 : all - 1).cls, kInf);
            EXPECT_EQ(decode(*f, all).negative, is_signed);
          }
          // Minimum positive 2^(2-P-B), minimum normal 2^(1-B).
          EXPECT_EQ(decode(*f, 1).exponent, 2 - p - f->bias) << k << ' ' << p;
          EXPECT_EQ(decode(*f, std::uint64_t{1} << (p - 1)).exponent, 1 - f->bias);
        }
      }
    }
  }
  EXPECT_EQ(formats, 504);  // the published value tables, K = 3..16
}

TEST(Section3, Hif8) {
  const auto code = [](double x) {
    return convert(formats::fp32, "hif8", with(Rounding::kTiesToAway, Overflow::kPropagateInf),
                   fp32(x));
  };
  EXPECT_EQ(value("hif8", 0x6E), 0x1p15);
  EXPECT_EQ(value("hif8", code(0x1p-22)), 0x1p-22);
  EXPECT_EQ(value("hif8", code(0x1p-23)), 0x1p-22);       // [2^-23, 2^-22) rises
  EXPECT_EQ(code(0x1.FFFFFEp-24), 0U);                    // below 2^-23
  EXPECT_EQ(value("hif8", code(1.0625)), 1.125);          // three bits, ties away
  EXPECT_EQ(value("hif8", code(16 * 1.125)), 16 * 1.25);  // two bits in binade 4
  EXPECT_EQ(value("hif8", code(256 * 1.25)), 256 * 1.5);  // one bit in binade 8
  EXPECT_EQ(value("hif8", code(0x1.8p-17)), 0x1p-16);     // no bits below 2^-15
  // 0000 mmm: 2^(m - 23).
  for (std::uint64_t m = 1; m < 8; ++m) {
    EXPECT_EQ(value("hif8", m), std::ldexp(1.0, static_cast<int>(m) - 23));
  }
  EXPECT_EQ(value("hif8", 0x08), 1.0);    // 0001 000
  EXPECT_EQ(value("hif8", 0x10), 2.0);    // 001 0 000: exponent +1
  EXPECT_EQ(value("hif8", 0x18), 0.5);    // 001 1 000: exponent -1
  EXPECT_EQ(value("hif8", 0x20), 4.0);    // 01 00 000: +2
  EXPECT_EQ(value("hif8", 0x30), 0.25);   // 01 10 000: -2
  EXPECT_EQ(value("hif8", 0x40), 16.0);   // 10 000 00: +4
  EXPECT_EQ(value("hif8", 0x60), 256.0);  // 11 0000 0... : +8
  const ElementPolicy none = with(Rounding::kTiesToAway, Overflow::kNoneInfOrNan);
  EXPECT_EQ(convert(formats::fp32, "hif8", none, fp32(1.25 * 0x1p15)), 0x6FU);
  EXPECT_EQ(convert(formats::fp32, "hif8", none, fp32(1.25 * 0x1p15) - 1), 0x6EU);
  EXPECT_EQ(convert(formats::fp32, "hif8", none, fp32(-1.25 * 0x1p15)), 0xEFU);
}

TEST(Section3, FixedPoint) {
  EXPECT_EQ(value("int8", 0x80), -2.0);
  EXPECT_EQ(value("int8", 0x7F), 127.0 / 64);
  EXPECT_EQ(value("int8", 0x01), 0x1p-6);
  EXPECT_EQ(value("int4", 0x7), 7.0 / 4);
  EXPECT_EQ(value("int2", 0x1), 1.0);
  EXPECT_EQ(value("sm4", 0x7), 1.75);
  EXPECT_EQ(value("sm8", 0x7F), 127.0 / 64);
}

// Tenstorrent: sign 1 with magnitude 0 is -Inf; in the "a" variants -2^16.
TEST(Section3, TenstorrentDatumOfMinusZero) {
  for (const auto& [name, pattern] :
       {std::pair{"tt_bfp8", std::uint64_t{0xFF800000}}, {"tt_bfp8a", fp32(-65536)}}) {
    QuantizerConfig config{formats::fp32, *find_block_format(name), {}, {}};
    const std::vector<std::uint64_t> codes = {0x80};
    std::vector<std::uint64_t> values(1);
    made(config).dequantize_block(0x10, codes, formats::fp32, values);
    EXPECT_EQ(values[0], pattern) << name;
  }
}

TEST(Section4, ScaleFormats) {
  EXPECT_EQ(value("e8m0", 0x00), 0x1p-127);
  EXPECT_EQ(value("e8m0", 0xFE), 0x1p127);
  EXPECT_EQ(class_of("e8m0_cann", 0x00), ValueClass::kZero);
  EXPECT_EQ(value("e8m0_cann", 0x01), 0x1p-126);
  EXPECT_EQ(value("ue4m3", 0x7E), 448);
  EXPECT_EQ(value("ue4m3", 0x01), 0x1p-9);
  EXPECT_EQ(value("ue5m3", 0xFE), 114688);
  EXPECT_EQ(value("ue5m3", 0x01), 0x1p-17);
  EXPECT_EQ(value("ue6m2", 0x00), 0x1p-48);
  EXPECT_EQ(value("ue6m2", 0xFE), 49152);
  EXPECT_EQ(value("bfp_exp8", 0x00), 0x1p-127);
  EXPECT_EQ(value("bfp_exp8", 0xFF), 0x1p128);
  EXPECT_EQ(value("bfp_exp5", 0x1F), 65536);
  EXPECT_EQ(value("bfp_exp5", 0x00), 0x1p-15);
  EXPECT_EQ(value("exp5nan", 0x00), 0x1p-15);  // microxcaling scale_bits = 5
  EXPECT_EQ(value("exp5nan", 0x1E), 0x1p15);
  EXPECT_EQ(class_of("exp5nan", 0x1F), kNan);
  for (std::uint64_t code = 0; code < 0x7F; ++code) {
    EXPECT_EQ(value("ue4m3", code), value("e4m3fn", code));
  }
}

TEST(Section4, ConversionsToUe5m3) {
  ElementPolicy policy = with(Rounding::kTiesToEven, Overflow::kNoneInfOrNan);
  policy.unsigned_negative = UnsignedNegative::kMagnitude;
  EXPECT_EQ(convert(formats::fp32, "ue5m3", policy, fp32(118784)), 0xFEU);  // the tie stays
  EXPECT_EQ(convert(formats::fp32, "ue5m3", policy, fp32(118784) + 1), 0xFFU);
  EXPECT_EQ(convert(formats::fp32, "ue5m3", policy, fp32(-118784)), 0xFEU);  // the sign is dropped
  EXPECT_EQ(convert(formats::fp32, "ue5m3", policy, 0x7F800000), 0xFFU);
  EXPECT_EQ(convert(formats::fp32, "ue5m3", policy, 0x7FC00000), 0xFFU);
  policy.rounding = Rounding::kTowardZero;
  EXPECT_EQ(convert(formats::fp32, "ue5m3", policy, fp32(131072)), 0xFEU);
  EXPECT_EQ(convert(formats::fp32, "ue5m3", {}, 0x7F800000), 0xFEU);
}

TEST(Section5, SwizzledScalesOfOneTile) {
  const Swizzle128x4 layout{300, 10};
  for (std::size_t row = 0; row < 128; ++row) {
    for (std::size_t block = 0; block < 4; ++block) {
      const std::size_t offset = (row % 32) * 16 + (row / 32) * 4 + block;
      EXPECT_EQ(layout.offset(row, block), offset);
      EXPECT_EQ(layout.place(offset).row, ((offset % 16) / 4) * 32 + offset / 16);
      EXPECT_EQ(layout.place(offset).block, offset % 4);
    }
  }
  // Tiles start at (sf_inner + sf_outer * sf_inner_dim) * 128, sf_outer counting rows of tiles.
  EXPECT_EQ(layout.offset(0, 4), 4U * 128);
  EXPECT_EQ(layout.offset(128, 8), (8U + 1 * 12) * 128);
  EXPECT_EQ(layout.bytes(), 3U * 12 * 128);
}

TEST(Section5, BitsOfTheBlockFormats) {
  struct Row {
    const char* name;
    int block_size;
    const char* element;
    const char* scale;
  };
  for (const Row& row :
       {Row{"mxfp8_e4m3", 32, "e4m3fn", "e8m0"}, Row{"mxfp8_e5m2", 32, "e5m2", "e8m0"},
        Row{"mxfp6_e2m3", 32, "e2m3fn", "e8m0"}, Row{"mxfp6_e3m2", 32, "e3m2fn", "e8m0"},
        Row{"mxfp4", 32, "e2m1fn", "e8m0"}, Row{"mxint8", 32, "int8", "e8m0"},
        Row{"nvfp4", 16, "e2m1fn", "ue4m3"}, Row{"e2m1_ue5m3_k16", 16, "e2m1fn", "ue5m3"},
        Row{"hifx4", 64, "sm4", "ue6m2"}, Row{"tt_bfp8", 16, "sm8", "bfp_exp8"},
        Row{"tt_bfp2a", 16, "sm2", "bfp_exp5"}, Row{"fbgemm_mx4", 32, "e2m1fn", "e8m0"}}) {
    const BlockFormat& format = *find_block_format(row.name);
    EXPECT_EQ(format.block_size, row.block_size) << row.name;
    EXPECT_EQ(format.element.name, row.element) << row.name;
    EXPECT_EQ(format.scale.name, row.scale) << row.name;
  }
  EXPECT_EQ(find_block_format("hifx4")->scale_bits(), 8 + 8 + 16);
}

// spec F9.4 and G12: the words of PTX .rs drive stochastic A.
TEST(Section9, RandomWordsOfPtxDriveVariantA) {
  const std::array<std::uint32_t, 4> random = ptx_rs_random(PtxRs::kFp8x4, 0x12345678);
  EXPECT_EQ(random, (std::array<std::uint32_t, 4>{0x2C48, 0x1234, 0x1E6A, 0x5678}));
  ElementPolicy policy = with(Rounding::kStochasticA);
  policy.random_bits = ptx_rs_bits(PtxRs::kFp8x4);
  // Up iff nu * 2^16 + R >= 2^16: with nu = 13/16 from R = 3000 on.
  const std::uint64_t x = fp32(1 + 13.0 / 16 / 8);
  const std::array<std::uint64_t, 4> codes = {0x38, 0x38, 0x38, 0x39};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(convert(formats::fp32, "e4m3fn", policy, x, random[i]), codes[i]) << i;
  }
}

// spec F11.2: midmax's limits.
TEST(Section11, MidmaxLimits) {
  const auto scale = [](const char* format, std::uint64_t amax) {
    QuantizerConfig config{formats::fp32, *find_block_format(format), {}, {}};
    config.block.rule = ScaleRule::kMidmax;
    std::vector<std::uint64_t> codes(1);
    const std::vector<std::uint64_t> block = {amax};
    return made(config).quantize_block(block, {}, codes).scale_code;
  };
  EXPECT_EQ(scale("mxfp8_e4m3", fp32(464)), 0x7FU);  // inclusive
  EXPECT_EQ(scale("mxfp8_e4m3", fp32(464) + 1), 0x80U);
  for (const auto& [format, limit] : {std::pair{"mxfp4", 7.0},
                                      {"mxfp6_e2m3", 7.75},
                                      {"mxfp6_e3m2", 30.0},
                                      {"mxfp8_e5m2", 61440.0}}) {
    EXPECT_EQ(scale(format, fp32(limit) - 1), 0x7FU) << format;
    EXPECT_EQ(scale(format, fp32(limit)), 0x80U) << format;
  }
}

// FBGEMM: a zero maximum counts as 2^-126, exponents end at 125, e3m0 subtracts 3.
TEST(Section11, Fbgemm) {
  const auto scale = [](const char* format, std::uint64_t amax) {
    const BlockFormat& block = *find_block_format(format);
    QuantizerConfig config{formats::fp32, block, {}, {}};
    config.block.rule = block.rule;
    config.block.zero_block_scale = ZeroBlockScale::kMinAmax;
    std::vector<std::uint64_t> codes(1);
    const std::vector<std::uint64_t> source = {amax};
    return made(config).quantize_block(source, {}, codes).scale_code;
  };
  EXPECT_EQ(scale("fbgemm_mx4", fp32(4)), 0x7FU);
  EXPECT_EQ(scale("fbgemm_mx4_e3m0", fp32(8)), 0x7FU);
  EXPECT_EQ(scale("fbgemm_mx4", 0x7F7FFFFF), 125U + 127U);
  EXPECT_EQ(scale("fbgemm_mx4", 0), 0U);
}

// spec F11.7: X = NaN makes every value NaN; an element Inf or NaN stays; else X * P.
TEST(Section11, WhatMxFixes) {
  QuantizerConfig config{formats::fp32, *find_block_format("mxfp8_e5m2"), {}, {}};
  const Quantizer quantizer = made(config);
  const std::vector<std::uint64_t> codes = {0x7C, 0xFC, 0x7D, 0x3C, 0x80};
  std::vector<std::uint64_t> values(5);
  quantizer.dequantize_block(0xFF, codes, formats::fp32, values);
  for (const std::uint64_t word : values) EXPECT_EQ(word, 0x7FC00000U);
  quantizer.dequantize_block(0x80, codes, formats::fp32, values);
  EXPECT_EQ(values,
            (std::vector<std::uint64_t>{0x7F800000, 0xFF800000, 0x7FC00000, fp32(2), 0x80000000}));
}

// spec F2 item 11: every in-range product of an e8m0 scale and an element is a binary32 number.
TEST(Section2, ProductsAreExactInBinary32) {
  int exact = 0, overflowed = 0;
  for (const BlockFormat& format : mx_block_formats()) {
    const Quantizer quantizer = made(QuantizerConfig{formats::fp32, format, {}, {}});
    std::vector<std::uint64_t> narrow(1), wide(1);
    for (std::uint64_t scale = 0; scale < 0xFF; ++scale) {
      for (std::uint64_t code = 0; code <= format.element.code_mask(); ++code) {
        const std::vector<std::uint64_t> codes = {code};
        quantizer.dequantize_block(scale, codes, formats::fp32, narrow);
        quantizer.dequantize_block(scale, codes, formats::fp64, wide);
        const Unpacked product = decode(formats::fp64, wide[0]);
        if (product.cls == kNan) continue;
        const bool is_large = product.cls == ValueClass::kFinite && product.exponent > 127;
        ++(is_large ? overflowed : exact);
        if (is_large) {
          EXPECT_EQ(narrow[0] & 0x7FFFFFFF, 0x7F800000U);
        } else {
          EXPECT_TRUE(decode(formats::fp32, narrow[0]) == product) << format.name << ' ' << code;
        }
      }
    }
  }
  EXPECT_GT(exact, 200000);
  EXPECT_GT(overflowed, 1000);
}

// spec F13: the exact accumulators of 32 products of one format.
TEST(Section13, Accumulators) {
  struct Row {
    const char* name;
    std::uint64_t largest_code;
    int lsb;
    double sum;
    int bits;
  };
  for (const Row& row :
       {Row{"e2m1fn", 7, -2, 1152, 14}, Row{"e2m3fn", 0x1F, -6, 1800, 18},
        Row{"e3m2fn", 0x1F, -8, 25088, 24}, Row{"e4m3fn", 0x7E, -18, 6422528, 42},
        Row{"e5m2", 0x7B, -32, 105226698752.0, 70}, Row{"int8", 0x80, -12, 128, 21}}) {
    const double largest = value(row.name, row.largest_code);
    EXPECT_EQ(32 * largest * largest, row.sum) << row.name;
    EXPECT_EQ(2 * std::ilogb(value(row.name, 1)), row.lsb) << row.name;
    // Magnitude in units of the LSB, and a sign. int8 reaches +2^19 exactly: one bit more.
    const double units = std::ldexp(row.sum, -row.lsb);
    EXPECT_EQ(std::ilogb(units) + 2, row.bits) << row.name;
  }
}

// spec F14.1: the FP6 and FP4 columns, and e8m0.
TEST(Section14, CudaHostTableOfNarrowFormats) {
  const ElementPolicy rn = with(Rounding::kTiesToEven), rz = with(Rounding::kTowardZero);
  struct Row {
    std::uint64_t x, e2m3, e3m2, e2m1;
  };
  for (const Row& row : {Row{0x80000000, 0x20, 0x20, 8}, Row{0x7F800000, 0x1F, 0x1F, 7},
                         Row{0xFF800000, 0x3F, 0x3F, 0xF}, Row{0x7FC00000, 0x1F, 0x1F, 7},
                         Row{0xFF800001, 0x1F, 0x1F, 7}, Row{fp32(464), 0x1F, 0x1F, 7},
                         Row{fp32(61440), 0x1F, 0x1F, 7}}) {
    for (const ElementPolicy& policy : {rn, rz}) {
      EXPECT_EQ(convert(formats::fp32, "e2m3fn", policy, row.x), row.e2m3) << hex(row.x, 8);
      EXPECT_EQ(convert(formats::fp32, "e3m2fn", policy, row.x), row.e3m2) << hex(row.x, 8);
      EXPECT_EQ(convert(formats::fp32, "e2m1fn", policy, row.x), row.e2m1) << hex(row.x, 8);
    }
  }
}

TEST(Section14, CudaHostTableOfE8m0) {
  struct Row {
    std::uint64_t x, rz_sat, rz_nosat, rp_sat, rp_nosat;
  };
  for (const Row& row :
       {Row{fp32(464), 0x87, 0x87, 0x88, 0x88}, Row{fp32(61440) - 1, 0x8E, 0x8E, 0x8F, 0x8F},
        Row{0x00400000, 0, 0, 0, 0}, Row{0x00400001, 0, 0, 1, 1}, Row{0x00800000, 1, 1, 1, 1},
        Row{fp32(-1.5), 0x7F, 0x7F, 0x80, 0x80}, Row{0x7F000001, 0xFE, 0xFE, 0xFE, 0xFF}}) {
    int column = 0;
    for (const std::uint64_t want : {row.rz_sat, row.rz_nosat, row.rp_sat, row.rp_nosat}) {
      ElementPolicy policy = with(column < 2 ? Rounding::kTowardZero : Rounding::kTowardPositive,
                                  column % 2 == 0 ? Overflow::kSatFinite : Overflow::kNoneInfOrNan);
      policy.unsigned_negative = UnsignedNegative::kMagnitude;
      EXPECT_EQ(convert(formats::fp32, "e8m0", policy, row.x), want) << hex(row.x, 8) << column;
      ++column;
    }
  }
  // decode e8m0 00 to bfloat16: 0040.
  const ElementPolicy exact;
  EXPECT_EQ(convert(formats::e8m0, "bf16", exact, 0x00), 0x0040U);
}

TEST(Section14, PackingOfOneAndTwo) {
  const auto code = [](const char* format, double x) {
    return static_cast<std::uint8_t>(convert(formats::fp32, format, {}, fp32(x)));
  };
  EXPECT_EQ(code("e4m3fn", 2) << 8 | code("e4m3fn", 1), 0x4038);
  EXPECT_EQ(code("e3m2fn", 2) << 8 | code("e3m2fn", 1), 0x100C);
  const std::vector<std::uint8_t> pair = {code("e2m1fn", 1), code("e2m1fn", 2)};
  std::vector<std::uint8_t> packed(1);
  pack({Packing::kNibbleLowFirst}, std::as_bytes(std::span(pair)),
       std::as_writable_bytes(std::span(packed)));
  EXPECT_EQ(packed[0], 0x42);
}

// spec F14.3: ml_dtypes' FNUZ ties.
TEST(Section14, FnuzTies) {
  const ElementPolicy sat, nosat = with(Rounding::kTiesToEven, Overflow::kNoneInfOrNan);
  for (const auto& [format, tie] : {std::pair{"e4m3fnuz", 248.0}, {"e4m3b11fnuz", 31.0}}) {
    EXPECT_EQ(convert(formats::fp32, format, sat, fp32(tie)), 0x7FU) << format;
    EXPECT_EQ(convert(formats::fp32, format, nosat, fp32(tie)), 0x80U) << format;
    EXPECT_EQ(convert(formats::fp32, format, nosat, fp32(tie) - 1), 0x7FU) << format;
    EXPECT_EQ(convert(formats::fp32, format, nosat, 0x80000000), 0x00U) << format;
    EXPECT_EQ(convert(formats::fp32, format, nosat, 0xFF800000), 0x80U) << format;
  }
}

// G9: the exact values b * 448 / g are ties, and go to even.
TEST(G9, ExactValuesAreTies) {
  for (const auto& [x, code] : {std::pair{336.0, 0x7AU}, {7.25, 0x4EU}, {76.0, 0x6AU}}) {
    EXPECT_EQ(convert(formats::fp32, "ue4m3", {}, fp32(x)), code) << x;
    const std::uint64_t below =
        convert(formats::fp32, "ue4m3", with(Rounding::kTowardZero), fp32(x));
    EXPECT_EQ(convert(formats::fp32, "ue4m3", with(Rounding::kTiesToAway), fp32(x)), below + 1);
    EXPECT_EQ(convert(formats::fp32, "ue4m3", with(Rounding::kTiesToZero), fp32(x)), below);
  }
  EXPECT_EQ(0.76171875 * 448, 336 * 1.015625);
  EXPECT_EQ(0.0177001953125 * 448, 7.25 * 1.09375);
  EXPECT_EQ(0.2041015625 * 448, 76 * 1.203125);
}

}  // namespace
}  // namespace mx::oracle::tables_conformance_test
