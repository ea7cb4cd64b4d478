// Blocks: every scale rule, every source, every block format, all block and element policies,
// partial blocks; scale, codes and flags of the reference equal the oracle's.
#include "tests/reference/judgement/block_sweep.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "reference/format/table.hpp"
#include "tests/support/made.hpp"
#include "tests/support/sample.hpp"

namespace mx::oracle {
namespace {

struct BlockParam {
  const char* source;
  const char* format;
};

void PrintTo(const BlockParam& param, std::ostream* out) {
  *out << param.source << " to " << param.format;
}

std::vector<BlockParam> block_params() {
  std::vector<BlockParam> all;
  for (const char* source : {"fp32", "bf16", "fp16", "fp64", "tf32"}) {
    for (const char* format :
         {"mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4", "mxint8"}) {
      all.push_back({source, format});
    }
  }
  return all;
}

std::vector<std::uint32_t> random_words(std::size_t count, int random_bits, Stream& stream) {
  std::vector<std::uint32_t> words(count);
  for (std::uint32_t& word : words) word = stream.next() >> (32 - random_bits);
  return words;
}

class Blocks : public ::testing::TestWithParam<BlockParam> {
 protected:
  const ElementFormat source_ = *find_format(GetParam().source);
  const BlockFormat format_ = *find_block_format(GetParam().format);

  /// Directed maxima for every rule: all of them for short blocks, policies at random.
  template <class Field>
  void sweep(std::uint64_t stride, Report& report) {
    const ElementOracle<Field> judge(format_.element);
    const std::vector<std::uint64_t> maxima = amax_patterns(source_, format_.element);
    Stream stream(300);
    for (const Token<ScaleRule>& rule : tokens<ScaleRule>().first(5)) {
      for (std::size_t i = stream.below(stride); i < maxima.size(); i += stride) {
        BlockCase block = random_block_case(source_, format_, rule.value, stream);
        block.format.block_size = i % 16 == 0 ? 1 + static_cast<int>(stream.below(64)) : 32;
        const auto size = static_cast<std::size_t>(block.format.block_size);
        const std::size_t lanes =
            i % 3 == 0 ? size : 1 + stream.below(std::min<std::size_t>(size, 9));
        std::vector<std::uint64_t> codes =
            block_around(maxima[i], source_, format_.element, lanes, stream);
        if (i % 6 == 5) strew_specials(codes, source_, stream);
        if (i % 97 == 0) std::fill(codes.begin(), codes.end(), std::uint64_t{0});
        const std::vector<std::uint32_t> words =
            random_words(codes.size(), block.element.random_bits, stream);
        check_block(judge, block, codes, words, reference_blocks(), report);
      }
    }
  }
};

TEST_P(Blocks, EveryRuleOnDirectedMaxima) {
  Report report;
  if (source_.exp_bits > 8) {
    sweep<WideTickField>(16, report);
  } else {
    sweep<TickField>(test::runs_whole() ? 1 : 5, report);
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.cases(), test::part(2000, 5));
  for (const char* name : {"zero", "nan_scale", "inf", "nan", "to_zero", "partial"}) {
    EXPECT_GT(report.count(name), test::part(5, 5)) << name;
  }
  // FP16 maxima never leave the range of e8m0; int8 under ceil and its kin does at the top.
  if (source_.exp_bits >= 8) {
    EXPECT_GT(report.count("clamped"), test::part(10, 5));
  }
  std::cout << report.cases() << " blocks\n";
}

std::string block_name(const ::testing::TestParamInfo<BlockParam>& info) {
  return std::string(info.param.source) + "_" + info.param.format;
}

INSTANTIATE_TEST_SUITE_P(All, Blocks, ::testing::ValuesIn(block_params()), block_name);

// The scale byte alone, for every positive finite maximum of the 16-bit sources.
class ScaleThresholds : public ::testing::TestWithParam<BlockParam> {};

TEST_P(ScaleThresholds, EveryMaximumUnderEveryRule) {
  const ElementFormat source = *find_format(GetParam().source);
  const BlockFormat format = *find_block_format(GetParam().format);
  Report report;
  for (const Token<ScaleRule>& rule : tokens<ScaleRule>().first(5)) {
    BlockPolicy policy;
    policy.rule = rule.value;
    const BlockCase block{source, format, {}, policy};
    const Quantizer quantizer = made(config_of(block));
    std::uint64_t previous = 0;
    for (std::uint64_t amax = 1; amax <= source.max_code; ++amax) {
      const Real x = value_of(source, amax);
      const ScaleOutcome want = choose_scale(block, {&x, 1});
      std::uint64_t code = 0;
      const BlockResult got = quantizer.quantize_block({&amax, 1}, {}, {&code, 1});
      report.check(
          got.scale_code == want.code && ((got.flags & kBlockScaleClamped) != 0) == want.clamped,
          [&] {
            return std::string(token_of(rule.value)) + " amax " + hex(amax, 4) + ": got " +
                   hex(got.scale_code) + ", oracle " + hex(want.code);
          });
      // A step function: spec F12.3 and V5.7.
      report.check(got.scale_code >= previous, [&] {
        return std::string(token_of(rule.value)) + " falls at amax " + hex(amax, 4);
      });
      previous = got.scale_code;
    }
  }
  EXPECT_GE(report.cases(), source.max_code * 5 * 2);
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

std::vector<BlockParam> sixteen_bit_params() {
  std::vector<BlockParam> all;
  for (const BlockParam& param : block_params()) {
    const std::string_view source = param.source;
    if (source == "bf16" || source == "fp16") all.push_back(param);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, ScaleThresholds, ::testing::ValuesIn(sixteen_bit_params()),
                         block_name);

// Block sizes of the framework's range, with the maximum in the first, last and a middle lane.
TEST(BlockSizes, FromOneTo1024) {
  Stream stream(301);
  Report report;
  for (const BlockFormat& format : mx_block_formats()) {
    const ElementOracle<TickField> judge(format.element);
    for (const int size : {1, 2, 3, 16, 31, 32, 33, 64, 127, 1023, 1024}) {
      for (const Token<ScaleRule>& rule : tokens<ScaleRule>().first(5)) {
        BlockCase block{formats::fp32, format, {}, {}};
        block.format.block_size = size;
        block.block.rule = rule.value;
        const auto lanes = static_cast<std::size_t>(size);
        for (const std::size_t place : {std::size_t{0}, lanes / 2, lanes - 1}) {
          std::vector<std::uint64_t> codes =
              block_around(0x40000000, formats::fp32, format.element, lanes, stream);
          codes[place] = 0x42F00001;
          check_block(judge, block, codes, {}, reference_blocks(), report);
        }
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

// A partial block is the same block with +0 appended: scale, flags and leading codes.
TEST(PartialBlocks, EqualZeroPaddedOnes) {
  Stream stream(302);
  std::uint64_t cases = 0;
  for (const BlockFormat& format : mx_block_formats()) {
    for (int i = 0; i < 400; ++i) {
      const auto rule = static_cast<ScaleRule>(i % 5);
      BlockCase block = random_block_case(formats::fp32, format, rule, stream);
      const std::size_t lanes = 1 + stream.below(31);
      std::vector<std::uint64_t> codes = block_around(1 + stream.below(formats::fp32.max_code),
                                                      formats::fp32, format.element, lanes, stream);
      if (i % 4 == 0) strew_specials(codes, formats::fp32, stream);
      const std::vector<std::uint32_t> words = random_words(32, block.element.random_bits, stream);
      const BlockOutcome part = reference_blocks()(block, codes, {words.data(), lanes});
      codes.resize(32, 0);
      BlockOutcome whole = reference_blocks()(block, codes, words);
      whole.codes.resize(lanes);
      EXPECT_TRUE(same_block(part, whole)) << describe_blocks(block, codes, words, part, whole);
      ++cases;
    }
  }
  EXPECT_EQ(cases, mx_block_formats().size() * 400);
}

// What the quantizer refuses to be configured with.
/// Scale, then codes.
std::vector<std::uint64_t> staged_block(const char* format, Staging staging,
                                        std::vector<std::uint64_t> source) {
  QuantizerConfig config{formats::fp32, *find_block_format(format), {}, {}};
  config.element.staging = staging;
  std::vector<std::uint64_t> found(source.size());
  const BlockResult result = made(config).quantize_block(source, {}, found);
  found.insert(found.begin(), result.scale_code);
  return found;
}

// spec F9.5: in a block the element that was brought to its scale is staged. 1000000 is beyond
// binary16, 2^-30 below it, and the largest number below 2 rounds to 2 in bf16: as they are, they
// make the scale.
TEST(StagedBlocks, StageTheScaledElement) {
  using Words = std::vector<std::uint64_t>;
  EXPECT_EQ(staged_block("mxfp8_e4m3", Staging::kViaFp16, {0x49742400, 0x3F800000}),
            (Words{0x8A, 0x7E, 0x00}));
  EXPECT_EQ(staged_block("mxfp8_e4m3", Staging::kViaFp16, {0x30800000, 0x30000000}),
            (Words{0x59, 0x78, 0x70}));
  EXPECT_EQ(staged_block("mxfp4", Staging::kViaBf16, {0x3FFFFFFF}), (Words{0x7D, 0x7}));
  // 1.0625 + 2^-13 beside 256 is 1.0625 in binary16, and a tie: rounded twice.
  EXPECT_EQ(staged_block("mxfp8_e4m3", Staging::kViaFp16, {0x43800000, 0x3F880400}),
            (Words{0x7F, 0x78, 0x38}));
  EXPECT_EQ(staged_block("mxfp8_e4m3", Staging::kNone, {0x43800000, 0x3F880400}),
            (Words{0x7F, 0x78, 0x39}));
}

TEST(StagedBlocks, ASearchTakesNoStaging) {
  QuantizerConfig config{formats::fp32, *find_block_format("mxfp4"), {}, {}};
  config.block.elem_scaling = ElemScaling::kSearchFp32;
  EXPECT_EQ(Quantizer::problem(config), "");
  config.element.staging = Staging::kViaFp16;
  EXPECT_NE(Quantizer::problem(config), "");
}

// Staging acts on elements, so it makes no binary32 source of a binary64 one.
TEST(StagedBlocks, StagingIsNoSourceForBinary32Arithmetic) {
  QuantizerConfig config{formats::fp64, *find_block_format("mxfp4"), {}, {}};
  config.block.elem_scaling = ElemScaling::kFp32Mul;
  config.element.staging = Staging::kViaFp32;
  EXPECT_NE(Quantizer::problem(config), "");
}

TEST(QuantizerProblem, NamesWhatIsWrong) {
  const QuantizerConfig good{formats::fp32, *find_block_format("mxfp4"), {}, {}};
  EXPECT_EQ(Quantizer::problem(good), "");
  const auto broken = [&](auto change) {
    QuantizerConfig config = good;
    change(config);
    return Quantizer::problem(config);
  };
  EXPECT_NE(broken([](auto& c) { c.format.block_size = 0; }), "");
  EXPECT_NE(broken([](auto& c) { c.format.block_size = 1025; }), "");
  EXPECT_EQ(broken([](auto& c) { c.format.block_size = 1024; }), "");
  EXPECT_NE(broken([](auto& c) { c.element.random_bits = 0; }), "");
  EXPECT_NE(broken([](auto& c) { c.element.random_bits = 33; }), "");
  EXPECT_NE(broken([](auto& c) { c.format.scale = formats::fp32; }), "");
  EXPECT_NE(broken([](auto& c) { c.format.element.bits = 0; }), "");
  EXPECT_NE(broken([](auto& c) { c.source.max_code = 0x7F800000; }), "");
}

}  // namespace
}  // namespace mx::oracle
