// The faster ways through blocks and tensors give the answers of the plain kernel: every block
// format, every rule it takes, policies at random; blocks of whole tensors in pieces, on threads.
#include <gtest/gtest.h>

#include <cstring>

#include "reference/bulk/bulk.hpp"
#include "reference/number/philox.hpp"
#include "reference/tensor/tensor.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/report.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle::bulk_test {
namespace {

BlockPolicy random_block_policy(ScaleRule rule, Stream& stream) {
  BlockPolicy p;
  p.rule = rule;
  p.ratio_op = static_cast<RatioOp>(stream.below(3));
  p.scale_sat = pick<ScaleSat>(stream);
  p.even_carry = pick<EvenCarry>(stream);
  p.amax_over = pick<AmaxOver>(stream);
  p.inf_block = pick<InfBlock>(stream);
  p.zero_block_scale = pick<ZeroBlockScale>(stream);
  p.scale_floor = pick<ScaleFloor>(stream);
  p.nan_scale_codes = pick<NanScaleCodes>(stream);
  p.elem_scaling = stream.coin() ? ElemScaling::kExact : pick<ElemScaling>(stream);
  p.four_over_six = pick<FourOverSix>(stream);
  p.src_daz_block = pick<BlockFlush>(stream);
  return p;
}

struct Input {
  std::vector<std::uint64_t> source;
  std::vector<std::uint32_t> random;
};

Input draw(const QuantizerConfig& c, std::size_t count, Stream& stream) {
  Input input{random_patterns(c.source, c.format.element, count, stream), {}};
  input.source.resize(count);
  const bool stochastic = is_stochastic(c.element.rounding);
  for (std::size_t i = 0; i < count; ++i) {
    if (stream.below(64) == 0) input.source[i] = stream.next64() & c.source.code_mask();
    input.random.push_back(stochastic ? stream.next() >> (32 - c.element.random_bits)
                                      : stream.next());
  }
  return input;
}

void compare(const QuantizerConfig& kernel, const QuantizerConfig& bulk, const Input& input,
             Report& report) {
  std::vector<std::uint64_t> want(input.source.size());
  std::vector<std::uint64_t> got(input.source.size());
  const BlockResult expected = made(kernel).quantize_block(input.source, input.random, want);
  const BlockResult result = bulk::quantize_block(made(bulk), input.source, input.random, got);
  report.check(result == expected && got == want, [&] {
    return std::string(kernel.format.name) + ' ' + std::string(token_of(kernel.block.rule)) + ' ' +
           std::string(token_of(kernel.element.rounding)) + ": " + hex(result.scale_code) +
           " for " + hex(expected.scale_code);
  });
  report.classify((expected.flags & kBlockNanScale) != 0 ? "nan scale" : "scale");
}

class BulkBlocks : public ::testing::TestWithParam<BlockFormat> {};

TEST_P(BulkBlocks, AreThoseOfTheKernel) {
  Stream stream(770);
  Report report;
  for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
    for (const Token<ScaleRule>& rule : tokens<ScaleRule>()) {
      for (int i = 0; i < 40; ++i) {
        QuantizerConfig c{source, GetParam(), {}, {}};
        c.element = random_policy(pick<Rounding>(stream), stream);
        if (undefined(c.format.element, c.element)) c.element = {};
        if (stream.below(4) == 0) c.element.staging = pick<Staging>(stream);
        c.block = random_block_policy(rule.value, stream);
        if (!Quantizer::problem(c).empty()) continue;
        const bool sized = c.format.extent == BlockExtent::kElements;
        const auto whole = static_cast<std::uint64_t>(sized ? c.format.elements() : 500);
        const std::size_t count = std::min<std::uint64_t>(1 + stream.below(whole), 3000);
        compare(c, c, draw(c, count, stream), report);
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.count("scale"), 100U);
}

std::string block_name(const ::testing::TestParamInfo<BlockFormat>& info) {
  return std::string(info.param.name);
}
INSTANTIATE_TEST_SUITE_P(All, BulkBlocks,
                         ::testing::ValuesIn(all_block_formats().begin(),
                                             all_block_formats().end()),
                         block_name);

// Long enough for the tables of rank_table.hpp.
TEST(BulkLongBlocks, AreThoseOfTheKernel) {
  Stream stream(771);
  Report report;
  for (const char* name : {"fp8_e4m3_fp32_tensor", "mxfp8_e5m2", "mxfp4", "mxint8"}) {
    for (const Token<Rounding>& rounding : tokens<Rounding>()) {
      QuantizerConfig c{formats::fp32, *find_block_format(name), {}, {}};
      c.block.rule = c.format.rule;
      c.format.extent = BlockExtent::kTensor;
      c.element = random_policy(rounding.value, stream);
      compare(c, c, draw(c, 5000, stream), report);
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

TEST(BulkBlocksControl, WrongBlocksAreCaught) {
  Stream stream(772);
  const QuantizerConfig c{formats::fp32, *find_block_format("mxfp8_e4m3"), {}, {}};
  using Damage = void (*)(QuantizerConfig&);
  constexpr Damage kDamages[] = {
      [](QuantizerConfig& x) { x.element.rounding = Rounding::kTowardZero; },
      [](QuantizerConfig& x) { x.block.rule = ScaleRule::kCeil; },
      [](QuantizerConfig& x) { x.format.rule_emax = 7; }};
  for (const Damage damage : kDamages) {
    QuantizerConfig wrong = c;
    damage(wrong);
    Report report;
    for (int i = 0; i < 20; ++i) compare(c, wrong, draw(c, 32, stream), report);
    EXPECT_EQ(report.exit_code(), 6);
  }
}

/// A tensor quantized as one block by the kernel, and in pieces.
struct Whole {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  TensorSummary summary;
};

Whole in_pieces(const Quantizer& quantizer, const BlockedShape& shape,
                std::span<const std::uint32_t> source, int threads) {
  Whole whole{std::vector<std::byte>(shape.elements), std::vector<std::byte>(shape.scales * 4), {}};
  whole.summary = quantize_tensor(quantizer, shape, Tail::kShort, std::as_bytes(source), {9, 2},
                                  whole.codes, whole.scales, 0, shape.scales, threads)
                      .value();
  return whole;
}

// spec F12.1 for blocks longer than the pieces they are worked on in.
TEST(WholeTensors, InPiecesAreThoseOfTheKernel) {
  Stream stream(773);
  constexpr std::size_t kElements = 100'000;
  std::vector<std::uint32_t> source(kElements);
  for (const int special : {0, 1, 2, 3}) {
    for (std::uint32_t& x : source) x = 0x30000000 + stream.next() % 0x20000000;
    if (special == 1) source[70'001] = 0x7FC00000;
    if (special == 2) source[70'001] = 0xFF800000;
    if (special == 3) std::ranges::fill(source, 0x80000000);
    for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kStochasticA}) {
      QuantizerConfig c{formats::fp32, *find_block_format("fp8_e4m3_fp32_tensor"), {}, {}};
      c.block.rule = c.format.rule;
      c.block.amax_over = special == 2 ? AmaxOver::kFiniteOnly : AmaxOver::kAll;
      c.element.rounding = rounding;
      const Quantizer quantizer = made(c);
      const std::uint64_t dimensions[] = {100, 1000};
      const BlockedShape shape = *BlockedShape::make(dimensions, 1, c.format);
      const std::vector<std::uint64_t> words(source.begin(), source.end());
      std::vector<std::uint32_t> random(kElements);
      for (std::size_t i = 0; i < kElements; ++i) random[i] = counter_random(9, 2, i, 16);
      std::vector<std::uint64_t> codes(kElements);
      const BlockResult want = quantizer.quantize_block(words, random, codes);
      for (const int threads : {1, 3}) {
        const Whole got = in_pieces(quantizer, shape, source, threads);
        std::uint32_t scale = 0;
        std::memcpy(&scale, got.scales.data(), sizeof scale);
        EXPECT_EQ(scale, want.scale_code);
        EXPECT_EQ(got.summary.flags, want.flags);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < kElements; ++i) {
          wrong += static_cast<std::uint64_t>(got.codes[i]) != codes[i] ? 1U : 0U;
        }
        EXPECT_EQ(wrong, 0U) << special << ' ' << token_of(rounding) << ' ' << threads;
        std::vector<std::uint64_t> values(kElements);
        quantizer.dequantize_block(want.scale_code, codes, formats::fp32, values);
        std::vector<std::uint32_t> back(kElements);
        const auto decoded =
            dequantize_tensor(quantizer, shape, Tail::kShort, got.codes, got.scales, formats::fp32,
                              std::as_writable_bytes(std::span(back)), 0, shape.scales, threads);
        EXPECT_EQ(decoded->nan_scales, got.summary.nan_scales);
        EXPECT_TRUE(std::ranges::equal(back, values));
      }
    }
  }
}

// Many short blocks, and tiles, give the same on any number of threads.
TEST(ThreadedTensors, AreThoseOfOneThread) {
  Stream stream(774);
  for (const char* name : {"mxfp8_e4m3", "nvfp4_16x16", "fp8_e4m3_fp32_row", "hifx4"}) {
    QuantizerConfig c{formats::fp32, *find_block_format(name), {}, {}};
    c.block.rule = c.format.rule;
    const Quantizer quantizer = made(c);
    const std::uint64_t dimensions[] = {700, 1003};
    const BlockedShape shape = *BlockedShape::make(dimensions, 1, c.format);
    std::vector<std::uint32_t> source(shape.elements);
    for (std::uint32_t& x : source) x = 0x30000000 + stream.next() % 0x20000000;
    const Whole one = in_pieces(quantizer, shape, source, 1);
    const Whole many = in_pieces(quantizer, shape, source, 5);
    EXPECT_EQ(one.codes, many.codes) << name;
    EXPECT_EQ(one.scales, many.scales) << name;
    EXPECT_EQ(one.summary.blocks, many.summary.blocks);
    EXPECT_EQ(one.summary.flags, many.summary.flags);
  }
}

TEST(StrayWords, TensorsRefuseThemAndWriteNothing) {
  const BlockFormat& mxfp6 = *find_block_format("mxfp6_e2m3");
  QuantizerConfig c{formats::e3m2fn, mxfp6, {}, {}};
  const Quantizer quantizer = made(c);
  const std::uint64_t dimensions[] = {3, 40};
  const BlockedShape shape = *BlockedShape::make(dimensions, 1, 32);
  std::vector<std::byte> source(shape.elements, std::byte{0x11});
  std::vector<std::byte> codes(shape.elements, std::byte{0xEE});
  std::vector<std::byte> scales(shape.scales, std::byte{0xEE});
  source[77] = std::byte{0x51};
  const auto refused = quantize_tensor(quantizer, shape, Tail::kShort, source, {}, codes, scales);
  EXPECT_EQ(refused.problem(), "element 77: 51 has bits above the 6 of e3m2fn");
  EXPECT_TRUE(std::ranges::all_of(codes, [](std::byte x) { return x == std::byte{0xEE}; }));
  EXPECT_TRUE(std::ranges::all_of(scales, [](std::byte x) { return x == std::byte{0xEE}; }));
  EXPECT_EQ(stray_word(formats::e3m2fn, source, 2), refused.problem());
  // Element 77 lies in block 3 of six.
  EXPECT_FALSE(quantize_tensor(quantizer, shape, Tail::kShort, source, {}, codes, scales, 1, 4));
  EXPECT_TRUE(quantize_tensor(quantizer, shape, Tail::kShort, source, {}, codes, scales, 4, 6));
  source[77] = std::byte{0x11};
  ASSERT_TRUE(quantize_tensor(quantizer, shape, Tail::kShort, source, {}, codes, scales));
  std::vector<std::uint32_t> values(shape.elements, 0xEEEEEEEE);
  const auto decode = [&](const Quantizer& q) {
    return dequantize_tensor(q, shape, Tail::kShort, codes, scales, formats::fp32,
                             std::as_writable_bytes(std::span(values)));
  };
  codes[5] |= std::byte{0x80};
  EXPECT_EQ(decode(quantizer).problem().substr(0, 11), "element 5: ");
  EXPECT_TRUE(std::ranges::all_of(values, [](std::uint32_t x) { return x == 0xEEEEEEEE; }));
  codes[5] &= std::byte{0x3F};
  EXPECT_TRUE(decode(quantizer));
  // Scales of five bits.
  c = {formats::fp32, *find_block_format("tt_bfp8a"), {}, {}};
  c.format.block_size = 32;
  std::ranges::fill(scales, std::byte{3});
  scales[4] = std::byte{0x23};
  EXPECT_EQ(decode(made(c)).problem(), "scale 4: 23 has bits above the 5 of tt_bfp8a");
}

}  // namespace
}  // namespace mx::oracle::bulk_test
