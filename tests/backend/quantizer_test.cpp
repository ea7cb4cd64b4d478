// Tensors by the fast path beside the reference: codes, scales, counts and flags, in every portion.
#include <gtest/gtest.h>

#include <array>

#include "backend/tensor/quantizer.hpp"
#include "backend/tensor/self_check.hpp"
#include "fast/cpu/targets.hpp"
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
  for (std::uint64_t first = 0; first < portions; first += step) {
    const TensorSummary part = quantizer
                                   .quantize(shape, words, {}, answer.codes, answer.scales, wanted,
                                             first, std::min(portions, first + step))
                                   .value();
    answer.summary.blocks += part.blocks;
    answer.summary.elements += part.elements;
    answer.summary.nan_scales += part.nan_scales;
    answer.summary.flags |= part.flags;
  }
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

TEST(BackendQuantizer, AgreesInEveryPortionOfEveryShape) {
  MX_NEEDS_FAST_PATH();
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const ElementFormat* element :
         {&formats::e4m3fn, &formats::e5m2, &formats::e2m1fn, &formats::int8}) {
      const QuantizerConfig config = config_of(*source, *element, 16);
      const std::vector<std::byte> words = structured_words(*source, 16);
      for (const std::array<std::uint64_t, 3>& sizes :
           {std::array<std::uint64_t, 3>{3, 7, 30}, {2, 33, 5}, {40, 1, 12}, {1, 1, 1}}) {
        for (const int axis : {0, 1, 2}) {
          const BlockedShape shape = BlockedShape::make(sizes, axis, config.format).value();
          const auto part = std::span(words).last(shape.elements * storage_bytes(*source));
          expect_same(config, shape, part, Wanted::kCounts);
          expect_same(config, shape, part, Wanted::kFlags);
        }
      }
    }
  }
}

// The law: the flags of a tensor are those of its blocks together, whichever path computes them.
// One block at a time, so that no flag hides behind another block's.
TEST(BackendQuantizer, HasTheFlagsOfEveryBlockAlone) {
  MX_NEEDS_FAST_PATH();
  std::uint16_t seen = 0;
  for (const ElementFormat* source : {&formats::fp32, &formats::fp16}) {
    for (const Overflow overflow : {Overflow::kSatFinite, Overflow::kNoneInfOrNan}) {
      for (const ElementFormat* element : {&formats::e4m3fn, &formats::e5m2, &formats::int8}) {
        QuantizerConfig config = config_of(*source, *element, 4);
        config.element.overflow = overflow;
        const BlockedShape shape =
            BlockedShape::make(std::array<std::uint64_t, 1>{4}, 0, config.format).value();
        const std::vector<std::byte> words = structured_words(*source, 4);
        const std::size_t bytes = 4 * storage_bytes(*source);
        for (std::size_t at = 0; at < words.size(); at += bytes) {
          const auto block = std::span(words).subspan(at, bytes);
          expect_same(config, shape, block, Wanted::kFlags);
          const auto model = TensorQuantizer::make(config, Choice::kReference).value();
          seen |= answer_of(model, shape, block, Wanted::kFlags, 1).summary.flags;
        }
      }
    }
  }
  // A NaN makes the scale NaN, so no element is invalid.
  EXPECT_EQ(seen & 0x3F, 0x2F) << "not every flag of an element came up";
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
  config.source = formats::fp64;
  const TensorQuantizer wide = TensorQuantizer::make(config, Choice::kAuto).value();
  EXPECT_EQ(wide.path(), "reference");
  EXPECT_NE(wide.why_reference().find("sources other than"), std::string_view::npos);
  EXPECT_NE(TensorQuantizer::make(config, Choice::kCpu).problem(), "");
}

}  // namespace
}  // namespace mx::backend
