// Tensors by the fast path beside the reference: codes, scales, counts and flags, in every portion.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "backend/tensor/self_check.hpp"
#include "backend/tensor/tensor_quantizer.hpp"
#include "fast/cpu/targets.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"

namespace mx::backend {
namespace {

#define MX_NEEDS_FAST_PATH()       \
  if (fast::cpu_targets().empty()) \
  GTEST_SKIP() << "this build has no Highway: nothing is faster than the reference"

struct Answer {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  TensorSummary summary;
};

/// Everything in portions of `step`.
Answer answer_of(const TensorQuantizer& quantizer, const BlockedShape& shape,
                 std::span<const std::byte> words, Wanted wanted, std::uint64_t step) {
  Answer answer{std::vector<std::byte>(shape.elements), std::vector<std::byte>(shape.scales), {}};
  const std::uint64_t portions = quantizer.portions(shape).count;
  Flags flags = 0;
  for (std::uint64_t first = 0; first < portions; first += step) {
    answer.summary += quantizer
                          .quantize(shape, words, {7, 3}, answer.codes, answer.scales,
                                    wanted == Wanted::kFlags ? &flags : nullptr, first,
                                    std::min(portions, first + step))
                          .value();
  }
  answer.summary.flags = flags;
  return answer;
}

QuantizerConfig config_of(const ElementFormat& source, const ElementFormat& element, int block) {
  BlockFormat format{"test", element, formats::e8m0, block};
  return {source, format, {}, {}, {}};
}

void expect_same(const QuantizerConfig& config, const BlockedShape& shape,
                 std::span<const std::byte> words, Wanted wanted) {
  const TensorQuantizer fast = TensorQuantizer::make(config, Choice::kCpu).value();
  const TensorQuantizer model = TensorQuantizer::make(config, Choice::kReference).value();
  const Answer expected = answer_of(model, shape, words, wanted, ~std::uint64_t{0} / 2);
  for (const std::uint64_t step : {std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{1} << 40}) {
    const Answer answer = answer_of(fast, shape, words, wanted, step);
    EXPECT_EQ(answer.codes, expected.codes);
    EXPECT_EQ(answer.scales, expected.scales);
    EXPECT_EQ(answer.summary.blocks, expected.summary.blocks);
    EXPECT_EQ(answer.summary.elements, expected.summary.elements);
    EXPECT_EQ(answer.summary.nan_scales, expected.summary.nan_scales);
    if (wanted == Wanted::kFlags) {
      EXPECT_EQ(answer.summary.flags, expected.summary.flags);
    }
  }
}

/// Blocks along each axis of several shapes, of the last words.
void expect_same_in_every_shape(const QuantizerConfig& config, std::span<const std::byte> words) {
  constexpr std::array<std::array<std::uint64_t, 3>, 4> kSizes = {
      {{3, 7, 30}, {2, 33, 5}, {40, 1, 12}, {1, 1, 1}}};
  for (const auto& sizes : kSizes) {
    for (const int axis : {0, 1, 2}) {
      const BlockedShape shape = BlockedShape::make(sizes, axis, config.format).value();
      const auto part = words.last(shape.elements * storage_bytes(config.source));
      expect_same(config, shape, part, Wanted::kCounts);
      expect_same(config, shape, part, Wanted::kFlags);
    }
  }
}

TEST(BackendQuantizer, AgreesInEveryPortionOfEveryShape) {
  MX_NEEDS_FAST_PATH();
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const ElementFormat* element :
         {&formats::e4m3fn, &formats::e5m2, &formats::e2m1fn, &formats::int8}) {
      for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kStochasticA}) {
        QuantizerConfig config = config_of(*source, *element, 16);
        config.element.rounding = rounding;
        const std::vector<std::byte> words = structured_words(*source, 16);
        expect_same_in_every_shape(config, words);
      }
    }
  }
}

/// Words of blocks of four whose codes are the elements themselves.
std::vector<std::byte> exact_words(const QuantizerConfig& config) {
  const Quantizer quantizer = Quantizer::make(config).value();
  const std::vector<std::byte> words = structured_words(config.source, 4);
  const auto shape =
      BlockedShape::make(std::array{words.size() / storage_bytes(config.source)}, 0, config.format)
          .value();
  std::vector<std::byte> codes(shape.elements);
  std::vector<std::byte> scales(shape.scales);
  std::vector<std::byte> result(words.size());
  EXPECT_TRUE(quantize_tensor(quantizer, shape, Tail::kShort, words, {}, codes, scales));
  EXPECT_TRUE(
      dequantize_tensor(quantizer, shape, Tail::kShort, codes, scales, config.source, result));
  return result;
}

/// The specification: the flags of a tensor are those of its blocks together, whichever path
/// computes them, and whatever was seen before. One block at a time, so that no flag hides behind
/// another block's.
std::uint16_t expect_flags_of_each_block(const QuantizerConfig& config,
                                         std::span<const std::byte> words) {
  const auto shape = BlockedShape::make(std::array<std::uint64_t, 1>{4}, 0, config.format).value();
  const auto fast = TensorQuantizer::make(config, Choice::kCpu).value();
  const auto model = TensorQuantizer::make(config, Choice::kReference).value();
  const std::size_t bytes = 4 * storage_bytes(config.source);
  std::uint16_t all = 0;
  for (std::size_t at = 0; at < words.size(); at += bytes) {
    const auto block = words.subspan(at, bytes);
    const std::uint16_t expected = answer_of(model, shape, block, Wanted::kFlags, 1).summary.flags;
    for (const unsigned before :
         {0U, 0x01U, 0x21U, 0x09U, 0x29U, 0x07U, 0x27U, 0x2FU, 0x3F01U, 0x3F29U, 0x3F2FU}) {
      Flags flags = static_cast<std::uint16_t>(before);
      std::array<std::byte, 4> codes;
      std::array<std::byte, 1> scale;
      EXPECT_TRUE(fast.quantize(shape, block, {7, 3}, codes, scale, &flags, 0, 1));
      EXPECT_EQ(flags, before | expected) << "block at " << at << " of " << config.source.name
                                          << " to " << config.format.element.name;
    }
    all |= expected;
  }
  return all;
}

TEST(BackendQuantizer, HasTheFlagsOfEveryBlockAlone) {
  MX_NEEDS_FAST_PATH();
  std::uint16_t seen = 0;
  for (const ElementFormat* source : {&formats::fp32, &formats::fp16}) {
    for (const Overflow overflow : {Overflow::kSatFinite, Overflow::kNoneInfOrNan}) {
      for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kRceil, ScaleRule::kEvenUp}) {
        for (const ElementFormat* element : {&formats::e4m3fn, &formats::e5m2, &formats::int8}) {
          QuantizerConfig config = config_of(*source, *element, 4);
          config.element.overflow = overflow;
          config.block.rule = rule;
          seen |= expect_flags_of_each_block(config, structured_words(*source, 4));
          config.element.rounding = Rounding::kStochasticA;
          static_cast<void>(expect_flags_of_each_block(config, structured_words(*source, 4)));
          config.element.rounding = Rounding::kTiesToEven;
          static_cast<void>(expect_flags_of_each_block(config, exact_words(config)));
        }
      }
    }
  }
  // A NaN makes the scale NaN, so no element is invalid.
  EXPECT_EQ(seen & 0x3F, 0x2F) << "not every flag of an element came up";
  EXPECT_EQ(seen & 0x3F00, 0x3F00) << "not every flag of a block came up";
}

/// What configurations do with NaN and infinities that no vectors do: the reference answers there.
std::vector<BlockPolicy> own_specials() {
  std::vector<BlockPolicy> found;
  for (const AmaxOver over : {AmaxOver::kAll, AmaxOver::kIgnoreNan, AmaxOver::kFiniteOnly}) {
    for (const InfBlock infinite :
         {InfBlock::kScaleNan, InfBlock::kScaleMax, InfBlock::kAsE255, InfBlock::kAsTwoTo128}) {
      found.push_back({.amax_over = over, .inf_block = infinite});
    }
  }
  found.push_back({.nan_scale_codes = NanScaleCodes::kAsComputed});
  return found;
}

/// Elements brought to their scale in binary32, whose results below its normal numbers are rounded.
std::vector<BlockPolicy> binary32_scaling() {
  std::vector<BlockPolicy> found;
  for (const ElemScaling scaling : {ElemScaling::kFp32Mul, ElemScaling::kFp32Div,
                                    ElemScaling::kFp32DivNormal, ElemScaling::kFp32MulOneAt00}) {
    found.push_back({.rule = ScaleRule::kRceil, .elem_scaling = scaling});
    found.push_back({.amax_over = AmaxOver::kIgnoreNan,
                     .inf_block = InfBlock::kScaleMax,
                     .elem_scaling = scaling});
  }
  return found;
}

/// Blocks of four: one number large enough for every scale, one beside the least that the
/// scale brings to a normal number of binary32, a subnormal one, and a zero.
std::vector<std::byte> words_beside_normal(int least, int most) {
  std::vector<std::byte> words;
  const auto put = [&](std::uint32_t word) {
    const auto bytes = std::as_bytes(std::span(&word, 1));
    words.insert(words.end(), bytes.begin(), bytes.end());
  };
  for (int field = least; field <= most; ++field) {
    // Exponent field f of the largest: scale code f - 8, under e4m3fn and floor.
    const auto large = static_cast<std::uint32_t>(field) << 23;
    const int scale = std::max(field - 8, 0);
    const int edge = std::max(scale - 126, 0);  // exponent field of 2^(scale - 253)
    for (const int away : {-2, -1, 0, 1}) {
      const auto near = static_cast<std::uint32_t>(std::max(edge + away, 0)) << 23;
      for (const std::uint32_t low : {0U, 1U, 0x00400000U, 0x007FFFFFU}) {
        put(large);
        put(near | low);
        put(0x80000000U | (low ^ 1U));
        put(0);
      }
    }
  }
  return words;
}

TEST(BackendQuantizer, AgreesWhereElementsAreScaledInBinary32) {
  MX_NEEDS_FAST_PATH();
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const Rounding rounding :
         {Rounding::kTiesToEven, Rounding::kAwayFromZero, Rounding::kStochasticA}) {
      for (const BlockPolicy& block : binary32_scaling()) {
        QuantizerConfig config = config_of(*source, formats::e4m3fn, 16);
        config.element.rounding = rounding;
        config.block = block;
        EXPECT_EQ(TensorQuantizer::make(config, Choice::kCpu).value().self_check(), "");
        expect_same_in_every_shape(config, structured_words(*source, 16));
      }
    }
  }
}

TEST(BackendQuantizer, KnowsTheLeastThatBinary32BringsToANormalNumber) {
  MX_NEEDS_FAST_PATH();
  for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kAwayFromZero}) {
    for (const BlockPolicy& block : binary32_scaling()) {
      QuantizerConfig config = config_of(formats::fp32, formats::e4m3fn, 4);
      config.element.rounding = rounding;
      config.block = block;
      for (const auto& [least, most] : {std::pair{0, 20}, {100, 145}, {230, 254}}) {
        const std::vector<std::byte> words = words_beside_normal(least, most);
        static_cast<void>(expect_flags_of_each_block(config, words));
        const BlockedShape shape =
            BlockedShape::make(std::array<std::uint64_t, 1>{words.size() / 4}, 0, config.format)
                .value();
        expect_same(config, shape, words, Wanted::kFlags);
      }
    }
  }
}

TEST(BackendQuantizer, AgreesWhereTheReferenceAnswersForSpecialBlocks) {
  MX_NEEDS_FAST_PATH();
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16}) {
    for (const ElementFormat* element : {&formats::e4m3fn, &formats::int8}) {
      for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kStochasticA}) {
        for (const BlockPolicy& block : own_specials()) {
          QuantizerConfig config = config_of(*source, *element, 16);
          config.element.rounding = rounding;
          config.block = block;
          EXPECT_EQ(TensorQuantizer::make(config, Choice::kCpu).value().self_check(), "");
          expect_same_in_every_shape(config, structured_words(*source, 16));
        }
      }
    }
  }
}

// A scale format of 7 bits, whose NaN is 7F.
TEST(BackendQuantizer, KnowsSpecialBlocksByTheNanOfTheirScaleFormat) {
  MX_NEEDS_FAST_PATH();
  int fast = 0;
  for (const BlockPolicy& block : own_specials()) {
    QuantizerConfig config = config_of(formats::fp32, formats::e4m3fn, 16);
    config.block = block;
    ScaleFormat& scale = config.format.scale;
    scale.name = "e7m0";
    scale.bits = scale.exp_bits = 7;
    scale.bias = 63;
    scale.max_code = 126;
    scale.canonical_nan = 127;
    ASSERT_EQ(Quantizer::problem(config), "");
    const TensorQuantizer made = TensorQuantizer::make(config, Choice::kAuto).value();
    fast += made.is_fast() ? 1 : 0;
    EXPECT_EQ(made.self_check(), "");
  }
  EXPECT_GT(fast, 3);
}

TEST(BackendQuantizer, HasTheFlagsOfSpecialBlocksThatTheReferenceAnswers) {
  MX_NEEDS_FAST_PATH();
  std::uint16_t seen = 0;
  for (const BlockPolicy& block : own_specials()) {
    for (const ScaleRule rule : {ScaleRule::kFloor, ScaleRule::kRceil}) {
      QuantizerConfig config = config_of(formats::fp32, formats::e5m2, 4);
      config.block = block;
      config.block.rule = rule;
      seen |= expect_flags_of_each_block(config, structured_words(formats::fp32, 4));
    }
  }
  // A NaN element under another scale than NaN is invalid or not, but infinities and NaN are told.
  EXPECT_EQ(seen & 0x2F, 0x2F) << "not every flag of an element came up";
  EXPECT_EQ(seen & 0x3F00, 0x3F00) << "not every flag of a block came up";
}

/// NVFP4 under a rule at the level of a tensor whose largest magnitude is `amax`.
QuantizerConfig nvfp4_config(const ElementFormat& source, ScaleRule rule, int block,
                             std::uint32_t amax) {
  QuantizerConfig config{source, *find_block_format("nvfp4"), {}, {.rule = rule}, {}};
  config.format.block_size = block;
  config.tensor = tensor_level(config, decode(formats::fp32, amax));
  return config;
}

constexpr std::array kNvfp4Rules = {ScaleRule::kNvfp4Exact, ScaleRule::kNvfp4Te,
                                    ScaleRule::kNvfp4Torchao, ScaleRule::kNvfp4Cublas,
                                    ScaleRule::kNvfp4Ggml};

/// Those too that have no kernels where they draw; nvfp4_4over6 has none of tiles either.
std::vector<ScaleRule> rules_to_nearest() {
  std::vector<ScaleRule> rules(kNvfp4Rules.begin(), kNvfp4Rules.end());
  rules.insert(rules.end(),
               {ScaleRule::kNvfp44over6, ScaleRule::kNvfp4Modelopt, ScaleRule::kNvfp4Ct});
  return rules;
}

TEST(BackendQuantizer, AgreesUnderRealScales) {
  MX_NEEDS_FAST_PATH();
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const ScaleRule rule : rules_to_nearest()) {
      QuantizerConfig config = nvfp4_config(*source, rule, 16, 0x43000000);
      EXPECT_EQ(TensorQuantizer::make(config, Choice::kCpu).value().self_check(), "");
      const std::vector<std::byte> words = structured_words(*source, 16);
      for (const AmaxOver over : {AmaxOver::kAll, AmaxOver::kIgnoreNan}) {
        config.block.amax_over = over;
        expect_same_in_every_shape(config, words);
      }
    }
  }
}

// Draws hang on the place of an element in its tensor, whatever portion it is computed in.
TEST(BackendQuantizer, AgreesUnderRealScalesWhereItDraws) {
  MX_NEEDS_FAST_PATH();
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const ScaleRule rule : kNvfp4Rules) {
      QuantizerConfig config = nvfp4_config(*source, rule, 16, 0x43000000);
      config.element.rounding = Rounding::kStochasticA;
      config.element.random_bits = 16;
      const TensorQuantizer fast = TensorQuantizer::make(config, Choice::kCpu).value();
      EXPECT_TRUE(fast.path().starts_with("cpu ("));
      EXPECT_EQ(fast.self_check(), "");
      const std::vector<std::byte> words = structured_words(*source, 16);
      expect_same_in_every_shape(config, words);
    }
  }
}

// Tiles of several lines, in every portion of every shape, with flags.
TEST(BackendQuantizer, AgreesInTiles) {
  MX_NEEDS_FAST_PATH();
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const ScaleRule rule : kNvfp4Rules) {
      for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kStochasticA}) {
        QuantizerConfig config = nvfp4_config(*source, rule, 4, 0x43000000);
        config.format.tile_lines = 3;
        config.element.rounding = rounding;
        const TensorQuantizer fast = TensorQuantizer::make(config, Choice::kCpu).value();
        EXPECT_TRUE(fast.path().starts_with("cpu ("));
        EXPECT_EQ(fast.self_check(), "");
        const std::vector<std::byte> words = structured_words(*source, 16);
        expect_same_in_every_shape(config, words);
      }
    }
  }
  QuantizerConfig te = nvfp4_config(formats::bf16, ScaleRule::kNvfp4Te, 16, 0x43000000);
  te.format = *find_block_format("nvfp4_16x16");
  EXPECT_EQ(TensorQuantizer::make(te, Choice::kCpu).value().self_check(), "");
}

// Negative control: words of another seed are another answer.
TEST(BackendQuantizer, AnotherSeedIsAnotherAnswerUnderRealScales) {
  MX_NEEDS_FAST_PATH();
  QuantizerConfig config = nvfp4_config(formats::fp32, ScaleRule::kNvfp4Te, 16, 0x43000000);
  config.element.rounding = Rounding::kStochasticA;
  const TensorQuantizer fast = TensorQuantizer::make(config, Choice::kCpu).value();
  const std::vector<std::byte> words = structured_words(formats::fp32, 16);
  const BlockedShape shape =
      BlockedShape::make(std::array<std::uint64_t, 1>{words.size() / 4}, 0, config.format).value();
  const auto codes_of = [&](CounterRandom random) {
    std::vector<std::byte> codes(shape.elements);
    std::vector<std::byte> scales(shape.scales);
    EXPECT_TRUE(fast.quantize_all(shape, words, random, codes, scales, nullptr, 1));
    return codes;
  };
  EXPECT_TRUE(codes_of({7, 3}) == codes_of({7, 3}));
  EXPECT_FALSE(codes_of({7, 3}) == codes_of({8, 3}));
  EXPECT_FALSE(codes_of({7, 3}) == codes_of({7, 4}));
}

TEST(BackendQuantizer, HasTheFlagsOfEveryBlockUnderRealScales) {
  MX_NEEDS_FAST_PATH();
  std::uint16_t seen = 0;
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const ScaleRule rule : rules_to_nearest()) {
      for (const AmaxOver over : {AmaxOver::kAll, AmaxOver::kIgnoreNan}) {
        for (const InfBlock inf : {InfBlock::kScaleNan, InfBlock::kAsE255}) {
          QuantizerConfig config = nvfp4_config(*source, rule, 4, 0x43000000);
          config.block.amax_over = over;
          config.block.inf_block = inf;
          seen |= expect_flags_of_each_block(config, structured_words(*source, 4));
          static_cast<void>(expect_flags_of_each_block(config, exact_words(config)));
          if (rule == ScaleRule::kNvfp44over6 || fast::divides_in_fp32(rule)) continue;
          for (const Rounding rounding : {Rounding::kTowardNegative, Rounding::kStochasticA}) {
            config.element.rounding = rounding;
            static_cast<void>(expect_flags_of_each_block(config, structured_words(*source, 4)));
          }
        }
      }
    }
  }
  EXPECT_EQ(seen & 0x3F, 0x3F) << "not every flag of an element came up";
  EXPECT_EQ(seen & 0x3F00, 0x3F00) << "not every flag of a block came up";
}

// A scale format without NaN stores its largest code for one: the counts still tell.
TEST(BackendQuantizer, CountsNanScalesThatHaveNoCode) {
  MX_NEEDS_FAST_PATH();
  QuantizerConfig config = config_of(formats::fp32, formats::int8, 8);
  config.format.scale.nan = NanKind::kNone;
  config.format.scale.canonical_nan = 0;
  config.format.scale.max_code = 0xFF;
  const std::vector<std::byte> words = structured_words(formats::fp32, 8);
  const BlockedShape shape =
      BlockedShape::make(std::array<std::uint64_t, 1>{words.size() / 4}, 0, config.format).value();
  expect_same(config, shape, words, Wanted::kCounts);
  const auto model = TensorQuantizer::make(config, Choice::kReference).value();
  EXPECT_GT(answer_of(model, shape, words, Wanted::kCounts, 1).summary.nan_scales, 0u);
}

TEST(BackendQuantizer, ChoosesAndSaysWhy) {
  MX_NEEDS_FAST_PATH();
  QuantizerConfig config = config_of(formats::fp32, formats::e4m3fn, 32);
  EXPECT_TRUE(TensorQuantizer::make(config, Choice::kAuto).value().path().starts_with("cpu ("));
  EXPECT_EQ(TensorQuantizer::make(config, Choice::kReference).value().path(), "reference");
  EXPECT_EQ(TensorQuantizer::make(config, Choice::kReference).value().why_reference(), "");
  config.block.rule = ScaleRule::kNvfp44over6;
  config.format = *find_block_format("nvfp4");
  EXPECT_TRUE(TensorQuantizer::make(config, Choice::kAuto).value().path().starts_with("cpu ("));
  config.format = *find_block_format("nvfp4_16x16");
  EXPECT_EQ(TensorQuantizer::make(config, Choice::kAuto).value().why_reference(),
            "no fast path: tiles under nvfp4_4over6");
  config = config_of(formats::fp64, formats::e4m3fn, 32);
  const TensorQuantizer wide = TensorQuantizer::make(config, Choice::kAuto).value();
  EXPECT_EQ(wide.path(), "reference");
  EXPECT_NE(wide.why_reference().find("sources other than"), std::string_view::npos);
  EXPECT_NE(TensorQuantizer::make(config, Choice::kCpu).problem(), "");
}

}  // namespace
}  // namespace mx::backend
