// What cannot be built, and what makes two formats equal.
#include <gtest/gtest.h>

#include <type_traits>

#include "reference/block/quantizer.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/dot/dot.hpp"
#include "reference/element/encode.hpp"
#include "reference/element/random_source.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"

namespace mx {
namespace {

static_assert(!std::is_constructible_v<Quantizer, QuantizerConfig>);
static_assert(!std::is_constructible_v<Conversion, ConversionConfig>);
static_assert(!std::is_constructible_v<DotProduct, DotConfig>);
static_assert(!std::is_default_constructible_v<Quantizer>);
static_assert(!std::is_default_constructible_v<Conversion>);
static_assert(!std::is_default_constructible_v<DotProduct>);
static_assert(!std::is_aggregate_v<Conversion>);

/// A factory refuses with the text that problem() has, and the refusal has no value.
template <typename T, typename Config>
void expect_refused(const Config& config, std::string_view reason) {
  const Checked<T> made = T::make(config);
  EXPECT_FALSE(made);
  EXPECT_EQ(made.problem(), reason);
  EXPECT_EQ(T::problem(config), reason);
  try {
    (void)made.value();
    ADD_FAILURE() << "a value came from a refusal";
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(error.what(), reason);
  }
  EXPECT_THROW((void)*made, std::invalid_argument);
  EXPECT_THROW((void)made.operator->(), std::invalid_argument);
}

ElementFormat with_a_lost_bit(ElementFormat format) {
  ++format.man_bits;
  return format;
}

TEST(CheckedFactories, ConversionsOfIllegalConfigurationsAreRefused) {
  const ConversionConfig legal{formats::fp32, formats::e4m3fn, {}};
  EXPECT_TRUE(Conversion::make(legal));
  EXPECT_EQ(Conversion::make(legal).problem(), "");
  const std::string_view widths = "bits is not sign + exponent + significand bits";
  ConversionConfig wrong = legal;
  wrong.source = with_a_lost_bit(wrong.source);
  expect_refused<Conversion>(wrong, widths);
  wrong = legal;
  wrong.destination = with_a_lost_bit(wrong.destination);
  expect_refused<Conversion>(wrong, widths);
  for (const int bits : {-1, 0, 33}) {
    wrong = legal;
    wrong.policy.random_bits = bits;
    expect_refused<Conversion>(wrong, "random_bits lies outside 1..32");
  }
}

TEST(CheckedFactories, QuantizersOfIllegalConfigurationsAreRefused) {
  const QuantizerConfig legal{formats::fp32, *find_block_format("mxfp8_e4m3"), {}, {}};
  EXPECT_TRUE(Quantizer::make(legal));
  QuantizerConfig wrong = legal;
  wrong.format.block_size = 0;
  expect_refused<Quantizer>(wrong, "the block size lies outside 1..1024");
  wrong = legal;
  wrong.element.random_bits = 33;
  expect_refused<Quantizer>(wrong, "random_bits lies outside 1..32");
  wrong = legal;
  wrong.format.element = with_a_lost_bit(wrong.format.element);
  expect_refused<Quantizer>(wrong, "bits is not sign + exponent + significand bits");
  wrong = {formats::fp32, *find_block_format("hifx4"), {}, {.rule = ScaleRule::kHif4}};
  wrong.format.extent = BlockExtent::kAxis;
  expect_refused<Quantizer>(wrong, "sublevels need blocks of a fixed size");
  wrong = {formats::fp32, *find_block_format("nvfp4"), {}, {.rule = ScaleRule::kNvfp44over6}};
  wrong.format.extent = BlockExtent::kAxis;
  expect_refused<Quantizer>(wrong, "nvfp4_4over6 compares errors over blocks of a fixed size");
}

TEST(CheckedFactories, DotProductsOfIllegalConfigurationsAreRefused) {
  const BlockFormat& mxfp4 = *find_block_format("mxfp4");
  const DotConfig legal{.a = mxfp4, .b = mxfp4};
  EXPECT_TRUE(DotProduct::make(legal));
  DotConfig wrong = legal;
  wrong.b.block_size = 16;
  expect_refused<DotProduct>(wrong, "the block sizes differ");
  const std::string_view widths = "bits is not sign + exponent + significand bits";
  wrong = legal;
  wrong.result = with_a_lost_bit(wrong.result);
  expect_refused<DotProduct>(wrong, widths);
  wrong = legal;
  wrong.a.element = with_a_lost_bit(wrong.a.element);
  expect_refused<DotProduct>(wrong, widths);
  wrong = legal;
  wrong.addend = with_a_lost_bit(wrong.addend);
  expect_refused<DotProduct>(wrong, widths);
  wrong = legal;
  wrong.accumulator.format = with_a_lost_bit(wrong.accumulator.format);
  expect_refused<DotProduct>(wrong, widths);
}

// Every field is a fact but the name, which is none.
TEST(FormatFacts, EveryFieldButTheNameTellsFormatsApart) {
  const ElementFormat plain = formats::e4m3fn;
  ElementFormat named = plain;
  named.name = "mine";
  EXPECT_EQ(named, plain);
  using Change = void (*)(ElementFormat&);
  constexpr Change kChanges[] = {[](ElementFormat& f) { ++f.bits; },
                                 [](ElementFormat& f) { f.storage_bits = 16; },
                                 [](ElementFormat& f) { f.kind = FormatKind::kTapered; },
                                 [](ElementFormat& f) { f.is_signed = false; },
                                 [](ElementFormat& f) { ++f.exp_bits; },
                                 [](ElementFormat& f) { ++f.man_bits; },
                                 [](ElementFormat& f) { ++f.bias; },
                                 [](ElementFormat& f) { ++f.frac_bits; },
                                 [](ElementFormat& f) { f.has_subnormal = false; },
                                 [](ElementFormat& f) { f.zero = ZeroKind::kPosOnly; },
                                 [](ElementFormat& f) { f.inf = InfKind::kIeeeTop; },
                                 [](ElementFormat& f) { f.nan = NanKind::kNone; },
                                 [](ElementFormat& f) { --f.max_code; },
                                 [](ElementFormat& f) { ++f.canonical_nan; },
                                 [](ElementFormat& f) { f.parity = Parity::kImplicitOdd; },
                                 [](ElementFormat& f) { f.unused_bits = UnusedBits::kIgnored; }};
  // A field that is added needs a row here: it changes the size, or fills this structure's gaps.
  auto [name, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = plain;
  static_cast<void>(std::tie(name, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p));
  static_assert(std::size(kChanges) == 16);
  for (const Change change : kChanges) {
    ElementFormat other = plain;
    change(other);
    EXPECT_NE(other, plain) << "change " << &change - kChanges;
  }
}

TEST(FormatFacts, BlockFormatsAreEqualByTheirFacts) {
  const BlockFormat plain = *find_block_format("mxfp8_e4m3");
  BlockFormat named = plain;
  named.name = "mine";
  named.defined_by = "me";
  named.element.name = "my_e4m3";
  named.scale.name = "my_e8m0";
  EXPECT_EQ(named, plain);
  using Change = void (*)(BlockFormat&);
  constexpr Change kChanges[] = {
      [](BlockFormat& f) { f.element = formats::e5m2; },
      [](BlockFormat& f) { f.scale = formats::ue5m3; },
      [](BlockFormat& f) { f.block_size = 16; },
      [](BlockFormat& f) { f.tile_lines = 2; },
      [](BlockFormat& f) { f.extent = BlockExtent::kAxis; },
      [](BlockFormat& f) { f.tensor_scale = TensorScale::kFp32; },
      [](BlockFormat& f) { f.sublevels[1] = 4; },
      [](BlockFormat& f) { f.cut_from = 8; },
      [](BlockFormat& f) { f.negative_zero = NegativeZeroDatum::kMinusInfinity; },
      [](BlockFormat& f) { f.rule_emax = 8; },
      [](BlockFormat& f) { f.scale_limit = 252; },
      [](BlockFormat& f) { f.rule = ScaleRule::kCeil; }};
  auto [name, a, b, c, d, e, f, g, h, i, j, k, l, by] = plain;
  static_cast<void>(std::tie(name, a, b, c, d, e, f, g, h, i, j, k, l, by));
  static_assert(std::size(kChanges) == 12);
  for (const Change change : kChanges) {
    BlockFormat other = plain;
    change(other);
    EXPECT_FALSE(other == plain) << "change " << &change - kChanges;
  }
}

// Where other systems' random words go by the format, they go by its facts.
TEST(FormatFacts, RandomSourcesKnowAFormatUnderAnyName) {
  for (const ElementFormat& format : all_formats()) {
    ElementFormat mine = format;
    mine.name = "mine";
    EXPECT_EQ(ptx_rs_shape(mine), ptx_rs_shape(format)) << format.name;
    EXPECT_EQ(fp16_staged_bits(mine), fp16_staged_bits(format)) << format.name;
  }
}

TEST(FormatFacts, StrayBitsAreNoCodes) {
  EXPECT_TRUE(formats::e2m3fn.takes(0x3F));
  EXPECT_FALSE(formats::e2m3fn.takes(0x40));
  EXPECT_TRUE(formats::fp64.takes(~std::uint64_t{0}));
  ElementFormat loose = formats::e2m3fn;
  loose.unused_bits = UnusedBits::kIgnored;
  EXPECT_TRUE(loose.takes(0xC0));
  const BlockFormat& hifx4 = *find_block_format("hifx4");
  EXPECT_TRUE(hifx4.takes_scale(0xFFFFFFFF));
  EXPECT_FALSE(hifx4.takes_scale(0x1FFFFFFFF));
  EXPECT_FALSE(find_block_format("tt_bfp8a")->takes_scale(0x20));
}

}  // namespace
}  // namespace mx
