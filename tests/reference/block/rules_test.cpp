// Every scale rule of spec F11 and F12 against exact rationals.
#include <gtest/gtest.h>

#include "reference/catalog/catalog.hpp"
#include "reference/format/table.hpp"
#include "tests/reference/judgement/rules_sweep.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/sample.hpp"

namespace mx::oracle {
namespace {

/// Policies at random, those of the block that every rule knows.
void vary(BlockCase& block, Stream& stream) {
  BlockPolicy& p = block.block;
  p.scale_sat = pick<ScaleSat>(stream);
  p.even_carry = pick<EvenCarry>(stream);
  p.amax_over = pick<AmaxOver>(stream);
  p.nan_block = pick<NanBlock>(stream);
  p.inf_block = pick<InfBlock>(stream);
  p.zero_block_scale = pick<ZeroBlockScale>(stream);
  p.scale_floor = pick<ScaleFloor>(stream);
  p.nan_scale_codes = pick<NanScaleCodes>(stream);
  p.src_daz_block = pick<BlockFlush>(stream);
  block.element.e8m0_quirk = pick<E8m0Quirk>(stream);
  p.scale_rounding = pick_deterministic(stream);
  p.scale_overflow = pick<Overflow>(stream);
  block.element.rounding = pick<Rounding>(stream);
  block.element.random_bits = 1 + static_cast<int>(stream.below(32));
  block.element.overflow = pick<Overflow>(stream);
  block.element.nan = pick<NanPolicy>(stream);
  block.element.zero_sign = pick<ZeroSign>(stream);
  block.element.tininess = pick<Tininess>(stream);
  if (stream.below(4) == 0) block.element.staging = pick<Staging>(stream);
}

/// half_rcp_mul is for two types alone: HalfReciprocal.
RatioOp any_ratio(Stream& stream) {
  const RatioOp op = pick<RatioOp>(stream);
  return op == RatioOp::kHalfRcpMul ? RatioOp::kExact : op;
}

/// A search rounds nothing, and takes no staging.
void unstage_searches(BlockCase& block) {
  if (block.block.elem_scaling == ElemScaling::kSearchFp32 ||
      block.block.rule == ScaleRule::kNvfp4Ggml) {
    block.element.staging = Staging::kNone;
  }
}

std::vector<std::uint32_t> draw(const BlockCase& block, std::size_t lanes, Stream& stream) {
  std::vector<std::uint32_t> random(lanes);
  for (std::uint32_t& r : random) {
    r = stream.next();
    if (is_stochastic(block.element.rounding)) r >>= 32 - block.element.random_bits;
  }
  return random;
}

/// Amax patterns of a source that matter to no rule in particular: anything.
std::uint64_t any_amax(const ElementFormat& source, Stream& stream) {
  switch (stream.below(4)) {
    case 0:  // anywhere
      return 1 + stream.next64() % source.max_code;
    case 1:  // next to a power of two
      return std::min(
          source.max_code,
          (stream.below(source.max_code >> source.man_bits) << source.man_bits) + stream.below(5));
    case 2:  // subnormal
      return 1 + stream.next64() % ((std::uint64_t{1} << source.man_bits) - 1);
    default:  // around one
      return (static_cast<std::uint64_t>(source.bias) << source.man_bits) +
             stream.next64() % (std::uint64_t{1} << (source.man_bits + 2));
  }
}

std::vector<ScaleRule> power_rules() {
  std::vector<ScaleRule> rules;
  for (const ScaleRuleFacts& row : kScaleRules) {
    if (row.kind == RuleKind::kPowerOfTwo) rules.push_back(row.rule);
  }
  return rules;
}

class PowerRule : public ::testing::TestWithParam<ScaleRule> {};

// All ratio operations, quirks and scalings at the amax values where rules change their mind.
TEST_P(PowerRule, AgreesWhereItCanChangeItsMind) {
  Report report;
  Stream stream(500 + static_cast<std::uint32_t>(GetParam()));
  for (const BlockFormat& format : mx_block_formats()) {
    for (const ElementFormat* source : {&formats::fp32, &formats::bf16}) {
      std::size_t i = 0;
      for (const std::uint64_t amax : amax_patterns(*source, format.element)) {
        if (++i % 5 != stream.below(5)) continue;
        BlockCase block{*source, format, {}, {}};
        block.block.rule = GetParam();
        block.block.ratio_op = any_ratio(stream);
        block.element.e8m0_quirk = pick<E8m0Quirk>(stream);
        block.format.block_size = 1;
        const std::vector<std::uint32_t> random{stream.next()};
        check_rules(rules_case(block), std::vector{amax}, random, reference_rules(), report);
      }
    }
  }
  // Every quirk and ratio where scales end.
  for (const BlockFormat& format : mx_block_formats()) {
    for (const std::uint64_t amax : lowest_ratios(formats::fp32, format.element)) {
      for (int i = 0; i < 12; ++i) {
        BlockCase block{formats::fp32, format, {}, {}};
        block.block.rule = GetParam();
        block.block.ratio_op = static_cast<RatioOp>(i % 3);
        block.element.e8m0_quirk = static_cast<E8m0Quirk>(i / 3);
        const std::vector<std::uint32_t> random{stream.next()};
        check_rules(rules_case(block), std::vector{amax}, random, reference_rules(), report);
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.cases(), 4000U);
}

// Whole blocks, every policy at random, several scale formats, specials strewn in.
TEST_P(PowerRule, AgreesUnderEveryPolicy) {
  Report report;
  Stream stream(520 + static_cast<std::uint32_t>(GetParam()));
  FormatCatalog catalog;
  const std::array scales = {formats::e8m0, formats::e8m0_cann, formats::bfp_exp8,
                             *catalog.find("binary8p1uf"), formats::bfp_exp5};
  for (std::size_t i = 0; i < test::part(4000, 4); ++i) {
    const ElementFormat source =
        std::array{formats::fp32, formats::bf16, formats::fp16}[stream.below(3)];
    BlockCase block{source, mx_block_formats()[stream.below(6)], {}, {}};
    block.format.block_size = 8;
    if (stream.below(3) == 0) block.format.scale = scales[stream.below(scales.size())];
    if (stream.below(8) == 0) block.format.scale_limit = 20;
    vary(block, stream);
    block.block.rule = GetParam();
    block.block.ratio_op = any_ratio(stream);
    const bool within_fp32 = block.format.scale.name != "bfp_exp8";  // code FF is 2^128
    if (within_fp32 && stream.below(4) == 0) block.block.elem_scaling = pick<ElemScaling>(stream);
    unstage_searches(block);
    std::vector<std::uint64_t> codes =
        random_block(source, any_amax(source, stream), 1 + stream.below(8), stream);
    if (stream.below(4) == 0) strew_specials(codes, source, stream);
    if (stream.below(16) == 0) std::fill(codes.begin(), codes.end(), 0);
    const std::vector<std::uint32_t> random = draw(block, codes.size(), stream);
    check_rules(rules_case(block), codes, random, reference_rules(), report);
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.count("clamped"), 10U);
  EXPECT_GT(report.count("nan_scale"), 10U);
  EXPECT_GT(report.count("zero"), 10U);
}

INSTANTIATE_TEST_SUITE_P(All, PowerRule, ::testing::ValuesIn(power_rules()),
                         [](const auto& test) { return std::string(token_of(test.param)); });

// TransformerEngine's 16-bit reciprocals, for the two sources and two elements they are made for.
TEST(HalfReciprocal, AgreesOnEveryBinade) {
  Report report;
  for (const char* name : {"mxfp8_e4m3", "mxfp8_e5m2"}) {
    for (const ElementFormat* source : {&formats::fp16, &formats::bf16}) {
      for (std::uint64_t amax = 1; amax <= source->max_code; amax += 7) {
        BlockCase block = default_case(*source, name);
        block.format.block_size = 1;
        block.block.rule = ScaleRule::kRceil;
        block.block.ratio_op = RatioOp::kHalfRcpMul;
        check_rules(rules_case(block), std::vector{amax}, {}, reference_rules(), report);
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.cases(), 10000U);
}

// The constants go by what a format is, whatever a user calls it.
TEST(HalfReciprocal, AgreesUnderOtherNames) {
  Report report;
  for (const char* name : {"mxfp8_e4m3", "mxfp8_e5m2"}) {
    for (ElementFormat source : {formats::fp16, formats::bf16}) {
      source.name = "my_source";
      BlockCase block = default_case(source, name);
      block.format.element.name = "my_element";
      block.format.block_size = 1;
      block.block.rule = ScaleRule::kRceil;
      block.block.ratio_op = RatioOp::kHalfRcpMul;
      for (std::uint64_t amax = 1; amax <= source.max_code; amax += 97) {
        check_rules(rules_case(block), std::vector{amax}, {}, reference_rules(), report);
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

struct RealCase {
  const char* format;
  ScaleRule rule;
  int blocks;
};
void PrintTo(const RealCase& real, std::ostream* out) {
  *out << real.format << ", " << token_of(real.rule);
}

class RealRule : public ::testing::TestWithParam<RealCase> {};

TEST_P(RealRule, AgreesUnderEveryPolicy) {
  Report report;
  const RealCase& param = GetParam();
  Stream stream(560 + static_cast<std::uint32_t>(param.rule));
  const auto blocks = test::part(static_cast<std::size_t>(param.blocks), 4);
  for (std::size_t i = 0; i < blocks; ++i) {
    // What nvfp4_ct computes has the type of the tensor.
    const bool is_half = param.rule == ScaleRule::kNvfp4Ct && stream.coin();
    const ElementFormat& source = is_half         ? formats::fp16
                                  : stream.coin() ? formats::bf16
                                                  : formats::fp32;
    BlockCase block = default_case(source, param.format);
    block.block.rule = param.rule;
    if (stream.coin()) vary(block, stream);
    if (facts_of(param.rule).reads_ratio_op) block.block.ratio_op = any_ratio(stream);
    if (param.rule == ScaleRule::kNvfp44over6) {
      block.element.rounding = Rounding::kTiesToEven;
      block.block.four_over_six = pick<FourOverSix>(stream);
    }
    const bool free_scaling =
        !is_power_rule(param.rule) && facts_of(param.rule).elements == RuleElements::kByPolicy;
    if (free_scaling && stream.coin()) block.block.elem_scaling = pick<ElemScaling>(stream);
    unstage_searches(block);
    const std::size_t lanes =
        1 + stream.below(static_cast<std::uint64_t>(std::min(block.format.block_size, 64) == 1
                                                        ? 16
                                                        : std::min(block.format.block_size, 64)));
    const std::uint64_t amax = any_amax(source, stream);
    std::vector<std::uint64_t> codes = random_block(source, amax, lanes, stream);
    if (stream.below(6) == 0) strew_specials(codes, source, stream);
    if (stream.below(16) == 0) std::fill(codes.begin(), codes.end(), 0);
    // The tensor's maximum: the block's own, larger, or unknown.
    std::uint64_t tensor = amax + (stream.below(12) << source.man_bits) + stream.below(100);
    tensor = std::min(tensor, source.max_code);
    Rational tensor_amax = 0;
    if (stream.below(4) != 0) {
      const Real x = value_of(source, tensor);
      tensor_amax = dyadic(x.significand, x.exponent);
    }
    const std::vector<std::uint32_t> random = draw(block, codes.size(), stream);
    check_rules(rules_case(block, tensor_amax), codes, random, reference_rules(), report);
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_EQ(report.cases(), blocks);
}

/// The cases that somebody chose, and the first format that takes it for every other real rule.
std::vector<RealCase> real_cases() {
  std::vector<RealCase> cases{RealCase{"nvfp4", ScaleRule::kNvfp4Exact, 6000},
                              RealCase{"e2m1_ue5m3_k16", ScaleRule::kNvfp4Exact, 2000},
                              RealCase{"nvfp4", ScaleRule::kNvfp4Te, 2000},
                              RealCase{"nvfp4", ScaleRule::kNvfp4Torchao, 2000},
                              RealCase{"nvfp4", ScaleRule::kNvfp4Cublas, 2000},
                              RealCase{"nvfp4", ScaleRule::kNvfp4Ggml, 400},
                              RealCase{"nvfp4", ScaleRule::kNvfp44over6, 800},
                              RealCase{"nvfp4", ScaleRule::kNvfp4Modelopt, 2000},
                              RealCase{"nvfp4", ScaleRule::kNvfp4ModeloptStatic, 2000},
                              RealCase{"nvfp4", ScaleRule::kNvfp4Ct, 2000},
                              RealCase{"hifx4", ScaleRule::kHif4, 2000},
                              RealCase{"fp8_e4m3_fp32_1x128", ScaleRule::kFp32Block, 200},
                              RealCase{"fp8_e5m2_fp32_tensor", ScaleRule::kFp32Tensor, 100},
                              RealCase{"sbfp12_16_7", ScaleRule::kSbfp, 2000},
                              RealCase{"sbfp12_16_18", ScaleRule::kSbfp, 2000},
                              RealCase{"tt_bfp8", ScaleRule::kFloor, 2000},
                              RealCase{"tt_bfp4", ScaleRule::kFloor, 2000},
                              RealCase{"tt_bfp2a", ScaleRule::kFloor, 2000},
                              RealCase{"bfp16_16", ScaleRule::kFloor, 2000},
                              RealCase{"fbgemm_mx4_e3m0", ScaleRule::kCeilLog2f, 2000}};
  for (const ScaleRuleFacts& row : kScaleRules) {
    const bool known =
        row.takes_every_block || std::ranges::count(cases, row.rule, &RealCase::rule);
    if (row.kind == RuleKind::kPowerOfTwo || known) continue;
    const auto takes_it = [&](const BlockFormat& format) {
      BlockCase block{formats::fp32, format, {}, {}};
      block.block.rule = row.rule;
      return Quantizer::problem(config_of(rules_case(block))).empty();
    };
    const auto format = std::ranges::find_if(all_block_formats(), takes_it);
    if (format == all_block_formats().end()) {
      throw std::logic_error("no block format takes " + std::string(token_of(row.rule)));
    }
    cases.push_back({format->name.data(), row.rule, 500});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(All, RealRule, ::testing::ValuesIn(real_cases()), [](const auto& test) {
  return std::string(test.param.format) + "_" + std::string(token_of(test.param.rule));
});

// nvfp4_exact under scale formats with infinities: amax / 6 in FP16, BF16, FP32 and E5M2.
TEST(ExactRatio, AgreesUnderFloatScales) {
  Report report;
  Stream stream(585);
  for (const ElementFormat& scale : {formats::fp16, formats::bf16, formats::fp32, formats::e5m2}) {
    for (int i = 0; i < 500; ++i) {
      BlockCase block = default_case(stream.coin() ? formats::fp32 : formats::fp16, "mxfp4");
      block.format.scale = scale;
      block.format.block_size = 8;
      if (stream.coin()) vary(block, stream);
      block.block.rule = ScaleRule::kNvfp4Exact;
      std::vector<std::uint64_t> codes =
          random_block(block.source, any_amax(block.source, stream), 1 + stream.below(8), stream);
      if (stream.below(6) == 0) strew_specials(codes, block.source, stream);
      const std::vector<std::uint32_t> random = draw(block, codes.size(), stream);
      check_rules(rules_case(block), codes, random, reference_rules(), report);
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.count("clamped"), 100U);
}

// P3109's block operation: any scale format, infinite and zero scales included.
TEST(MaxabsFinite, AgreesUnderEveryScaleFormat) {
  Report report;
  Stream stream(590);
  FormatCatalog catalog;
  for (int i = 0; i < 4000; ++i) {
    const ElementFormat& source = stream.coin() ? formats::bf16 : formats::fp16;
    BlockCase block = default_case(source, "mxfp8_e5m2");
    block.format.block_size = 4;
    const char* scales[] = {"binary8p1uf", "binary8p1ue", "binary8p4uf", "binary8p3se",
                            "fp32",        "e8m0",        "ue5m3"};
    block.format.scale = *catalog.find(scales[stream.below(std::size(scales))]);
    block.format.element = *catalog.find(stream.coin() ? "binary8p3se" : "binary4p2sf");
    vary(block, stream);
    block.block.rule = ScaleRule::kMaxabsFinite;
    std::vector<std::uint64_t> codes =
        random_block(source, any_amax(source, stream), 1 + stream.below(4), stream);
    if (stream.coin()) strew_specials(codes, source, stream);
    if (stream.below(8) == 0) std::fill(codes.begin(), codes.end(), source.inf_code());
    if (stream.below(8) == 0) std::fill(codes.begin(), codes.end(), source.canonical_nan);
    const std::vector<std::uint32_t> random = draw(block, codes.size(), stream);
    check_rules(rules_case(block), codes, random, reference_rules(), report);
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_EQ(report.cases(), 4000U);
  EXPECT_GT(report.count("nan_scale"), 100U);
  EXPECT_GT(report.count("zero"), 100U);
}

// Scales and codes back to numbers, every block format, every scale code of up to 8 bits.
TEST(DequantizeByRules, EveryFormat) {
  Report report;
  Stream stream(595);
  for (const BlockFormat& format : all_block_formats()) {
    for (int i = 0; i < 400; ++i) {
      BlockCase block = default_case(formats::fp32, format.name);
      block.block.dequant_overflow = pick<DequantOverflow>(stream);
      if (format.name == "nvfp4" && stream.coin()) {
        block.block.rule =
            std::array{ScaleRule::kNvfp4Torchao, ScaleRule::kNvfp4Modelopt,
                       ScaleRule::kNvfp4ModeloptStatic, ScaleRule::kNvfp4Ct}[stream.below(4)];
      }
      const ElementFormat output =
          std::array{formats::fp32, formats::bf16, formats::fp16}[stream.below(3)];
      const std::uint64_t scale =
          stream.next64() & (format.scale.bits == 32 ? 0xFFFFFFFF : format.scale.code_mask());
      const std::uint64_t levels = format.sublevels[0] == 0 ? 0 : stream.next() & 0xFFFFFF00;
      const Rational tensor =
          dyadic(1 + stream.below(1 << 23), static_cast<int>(stream.below(60)) - 40);
      const RulesCase what = rules_case(block, tensor);
      const QuantizerConfig config = config_of(what);
      std::vector<std::uint64_t> codes(16), values(16);
      for (std::uint64_t& code : codes) code = stream.next64() & format.element.code_mask();
      made(config).dequantize_block(scale | levels, codes, output, values);
      for (std::size_t lane = 0; lane < codes.size(); ++lane) {
        const std::uint64_t want =
            dequantize_by_rules(what, output, scale | levels, codes[lane], lane);
        report.check(values[lane] == want, [&] {
          return std::string(format.name) + " to " + std::string(output.name) + " scale " +
                 hex(scale | levels) + " code " + hex(codes[lane]) + ": got " + hex(values[lane]) +
                 ", oracle " + hex(want);
        });
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

}  // namespace
}  // namespace mx::oracle
