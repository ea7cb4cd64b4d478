// Blocks under real-valued scales, every rule: random and structured blocks, every rounding and
// policy, every threshold of the elements under every scale, every threshold of the scale.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "fast/cpu/targets.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/scaled/judge.hpp"
#include "tests/fast/stimulus.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

class ScaledBlocks : public ::testing::TestWithParam<ScaledCase> {
 protected:
  [[nodiscard]] static const ElementFormat& source() { return std::get<0>(GetParam()); }
  [[nodiscard]] static ScaleRule rule() { return std::get<1>(GetParam()); }
  [[nodiscard]] static ScaledBlockJob job() { return nvfp4_job(source(), rule()); }
};

/// Largest magnitudes of tensors: none, 1, the level of scale 1, ordinary ones, the ends.
constexpr std::uint32_t kTensorMaxima[] = {0x00000000, 0x3F800000, 0x45280000, 0x45280001,
                                           0x40490FDB, 0x3A83126F, 0x0DA24260, 0x00800000,
                                           0x00000A80, 0x00000001, 0x7149F2CA, 0x7F7FFFFF};

TEST_P(ScaledBlocks, RandomBlocksAtEveryTensorLevel) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  std::uint64_t seed = 1;
  std::size_t plans = 0;
  for (const std::uint32_t amax : kTensorMaxima) {
    const ScaledBlockJob at = at_amax(job(), amax);
    if (!make_call(at)) continue;
    ++plans;
    random_blocks(source(), ++seed, part(2048, 8),
                  [&](std::span<const std::uint32_t> piece) { compare_line(at, piece, tally); });
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  // A tensor scale of zero, scales whose reciprocal is infinite, and maxima beyond fp16, of which
  // nvfp4_ct takes the reciprocal there.
  const bool is_scale = rule() == ScaleRule::kNvfp4Torchao || rule() == ScaleRule::kNvfp4Modelopt;
  const bool is_half = rule() == ScaleRule::kNvfp4Ct && source() == formats::fp16;
  EXPECT_GE(plans, is_scale ? 8u : is_half ? 10u : std::size(kTensorMaxima));
  EXPECT_THAT(empty_classes(tally, rule()), ::testing::IsEmpty());
}

/// A binary32 number as the nearest source word at or below it.
std::uint32_t word_below(const ElementFormat& source, const Unpacked& x) {
  ElementPolicy down;
  down.rounding = Rounding::kTowardZero;
  return static_cast<std::uint32_t>(encode(x, source, down, 0).code);
}

/// Words around a number: those next to it on both sides, and one of theirs.
void add_around(const ElementFormat& source, const Unpacked& x, std::vector<std::uint32_t>& words) {
  const auto inf = static_cast<std::int64_t>(source.inf_code());
  const std::int64_t middle = word_below(source, x);
  for (std::int64_t at = middle - 2; at <= middle + 3; ++at) {
    if (at >= 0 && at < inf) words.push_back(static_cast<std::uint32_t>(at));
  }
}

/// Blocks of 16 that hold these magnitudes under a maximum, signs in turn.
std::vector<std::uint32_t> under_maximum(const ElementFormat& source, std::uint32_t maximum,
                                         std::span<const std::uint32_t> magnitudes) {
  const auto sign = static_cast<std::uint32_t>(source.sign_bit());
  std::vector<std::uint32_t> words;
  for (const std::uint32_t magnitude : magnitudes) {
    for (const std::uint32_t each : {magnitude, magnitude | sign}) {
      // The maximum stands in each lane in turn.
      if (words.size() % 16 == words.size() / 16 % 16) words.push_back(maximum);
      words.push_back(magnitude <= maximum ? each : maximum);
    }
  }
  return words;
}

/// Two maxima for each scale code that the rule gives, the first and the last, found by bisection:
/// codes grow with the maximum, but for the one that stands in place of 0, which the clamp tells.
std::vector<std::uint32_t> maxima_of_codes(const ScaledBlockJob& job) {
  const Quantizer quantizer = Quantizer::make(config_of(job)).value();
  const bool replaces = divides_in_fp32(job.blocks.block.rule);
  const auto place_of = [&](std::uint32_t maximum) -> std::uint64_t {
    const std::array<std::uint64_t, 1> block = {maximum};
    std::array<std::uint64_t, 1> code{};
    const BlockResult answer = quantizer.quantize_block(block, {}, code);
    const bool is_clamped = (answer.flags & kBlockScaleClamped) != 0;
    const bool is_end = answer.scale_code == 1 || answer.scale_code == formats::ue4m3.max_code;
    return replaces && is_clamped && !is_end ? 0 : answer.scale_code;
  };
  const auto inf = static_cast<std::uint32_t>(job.blocks.source.inf_code());
  std::vector<std::uint32_t> maxima;
  std::uint32_t low = 1;
  while (low < inf) {
    maxima.push_back(low);
    const std::uint64_t place = place_of(low);
    std::uint32_t high = inf;
    while (high - low > 1) {
      const std::uint32_t middle = low + (high - low) / 2;
      (place_of(middle) == place ? low : high) = middle;
    }
    maxima.push_back(low);  // the last one
    low = high;
  }
  return maxima;
}

/// Every midpoint and code of the elements under a scale: around each, as the reference's exact
/// arithmetic places it.
std::vector<std::uint32_t> around_thresholds(const ScaledBlockJob& job, std::uint64_t scale) {
  const Unpacked factor =
      multiply(decode(job.blocks.format.scale, scale), decode(formats::fp32, job.tensor.scale));
  std::vector<std::uint32_t> words = {0, 1};
  for (std::uint64_t quarters = 1; quarters <= 36; ++quarters) {
    if (factor.cls != ValueClass::kFinite) break;
    add_around(job.blocks.source, multiply(unpack_integer(false, quarters, -2), factor), words);
  }
  return words;
}

// All ties and codes of e2m1fn, and their neighbours, under every scale code that the rule gives,
// at ordinary and extreme tensor levels, under every rounding.
TEST_P(ScaledBlocks, EveryTieUnderEveryScale) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  std::size_t scales = 0;
  std::size_t turn = 0;
  for (const std::uint32_t amax : {0x40490FDBU, 0x45280000U, 0x00000A80U, 0x3A83126FU}) {
    ScaledBlockJob at = at_amax(job(), amax);
    if (!make_call(at)) continue;
    const Quantizer quantizer = Quantizer::make(config_of(at)).value();
    const std::vector<std::uint32_t> maxima = maxima_of_codes(at);
    scales = std::max(scales, maxima.size() / 2);
    std::vector<std::uint32_t> words;
    for (const std::uint32_t maximum : maxima) {
      const std::array<std::uint64_t, 1> block = {maximum};
      std::array<std::uint64_t, 1> code{};
      const std::uint64_t scale = quantizer.quantize_block(block, {}, code).scale_code;
      const std::vector<std::uint32_t> more =
          under_maximum(source(), maximum, around_thresholds(at, scale));
      words.insert(words.end(), more.begin(), more.end());
      words.resize((words.size() + 15) / 16 * 16);
    }
    const std::vector<std::vector<std::uint32_t>> hands = deal(words, 16, 8);
    for (const Rounding rounding : roundings_of(rule())) {
      at.blocks.element.rounding = rounding;
      compare_line(at, hands[turn++ % hands.size()], tally);
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  // Of fp16 a tensor level leaves fewer; torchao begins at 08, ggml has nothing between 77 and 7E.
  EXPECT_GE(scales, source() == formats::fp16 ? 50u : 118u);
  EXPECT_GT(tally.elements, 10'000u);
}

// Every exponent of the maximum with the mantissas at which scales change: the last maximum of each
// code and the first of the next, their neighbours, and the ends of each binade.
TEST_P(ScaledBlocks, EveryEdgeOfTheScale) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  const auto inf = static_cast<std::uint32_t>(source().inf_code());
  std::size_t turn = 0;
  for (const std::uint32_t amax : kTensorMaxima) {
    const ScaledBlockJob at = at_amax(job(), amax);
    if (!make_call(at)) continue;
    std::vector<std::uint32_t> maxima = maxima_of_codes(at);
    for (std::uint32_t field = 0; field << source().man_bits < inf; ++field) {
      for (std::uint32_t eighth = 0; eighth < 8; ++eighth) {
        maxima.push_back((field << source().man_bits) + (eighth << (source().man_bits - 3)));
      }
    }
    std::vector<std::uint32_t> words;
    for (const std::uint32_t maximum : maxima) {
      for (const std::uint32_t step : {0U, 1U, 2U, 3U}) {
        const std::uint32_t near = maximum + step < 2 ? 0 : maximum + step - 2;
        if (near >= inf) continue;
        words.push_back(near);
        for (std::uint32_t i = 1; i < 16; ++i) words.push_back(near / (i + 1));
      }
    }
    const std::vector<std::vector<std::uint32_t>> hands = deal(words, 16, 8);
    compare_line(at, hands[turn++ % hands.size()], tally);
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, part(100'000, 9));
}

// The policies that a plan takes, each value of each, with blocks of specials.
TEST_P(ScaledBlocks, EveryPolicy) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  std::size_t plans = 0;
  const auto judge = [&](const auto& values, const auto& set) {
    for (const auto& each : values) {
      for (const std::uint32_t amax : {0x3F800000U, 0x45280000U}) {
        ScaledBlockJob at = at_amax(job(), amax);
        set(at.blocks, each.value);
        const Checked<QuantizeCall> plan = make_call(at);
        // A search takes a rounding that draws, and draws nothing: fast_scaled_drawn asks for it.
        if (plan && is_stochastic(at.blocks.element.rounding)) {
          EXPECT_EQ(rule(), ScaleRule::kNvfp4Ggml);
          continue;
        }
        if (!plan) {
          EXPECT_EQ(plan.problem().substr(0, 14), "no fast path: ");
          continue;
        }
        ++plans;
        random_blocks(source(), plans, part(512, 16), [&](std::span<const std::uint32_t> piece) {
          compare_line(at, piece, tally);
        });
      }
    }
  };
  judge(tokens<Rounding>(), [](BlockJob& j, Rounding v) { j.element.rounding = v; });
  judge(tokens<Overflow>(), [](BlockJob& j, Overflow v) { j.element.overflow = v; });
  judge(tokens<NanPolicy>(), [](BlockJob& j, NanPolicy v) { j.element.nan = v; });
  judge(tokens<NanPolicy>(), [](BlockJob& j, NanPolicy v) {
    j.element.nan = v;
    j.block.amax_over = AmaxOver::kFiniteOnly;
  });
  judge(tokens<ZeroSign>(), [](BlockJob& j, ZeroSign v) { j.element.zero_sign = v; });
  judge(tokens<ZeroSign>(), [](BlockJob& j, ZeroSign v) {
    j.element.zero_sign = v;
    j.element.rounding = Rounding::kTowardNegative;
  });
  judge(tokens<AmaxOver>(), [](BlockJob& j, AmaxOver v) { j.block.amax_over = v; });
  for (const AmaxOver over : {AmaxOver::kAll, AmaxOver::kIgnoreNan}) {
    judge(tokens<InfBlock>(), [&](BlockJob& j, InfBlock v) {
      j.block.inf_block = v;
      j.block.amax_over = over;
    });
  }
  judge(tokens<ZeroBlockScale>(),
        [](BlockJob& j, ZeroBlockScale v) { j.block.zero_block_scale = v; });
  judge(tokens<ScaleFloor>(), [](BlockJob& j, ScaleFloor v) { j.block.scale_floor = v; });
  judge(tokens<NanScaleCodes>(), [](BlockJob& j, NanScaleCodes v) { j.block.nan_scale_codes = v; });
  judge(tokens<ElemScaling>(), [](BlockJob& j, ElemScaling v) { j.block.elem_scaling = v; });
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GE(plans, 80u);
}

// Levels that a caller gives: any two patterns, the odd significands of a scale too.
TEST_P(ScaledBlocks, TensorLevelsOfTheCaller) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  std::uint64_t seed = 100;
  for (const std::uint32_t scale : {0x3F7FFFFFU, 0x3FFFFFFFU, 0x3F800001U, 0x34000003U, 0x4B7FFFFFU,
                                    0x1E3C5A69U, 0x00000003U, 0x007FFFFFU, 0x7F7FFFFFU}) {
    ScaledBlockJob at = job();
    at.tensor = {scale, scale};
    if (!make_call(at)) continue;
    random_blocks(source(), ++seed, part(1024, 8),
                  [&](std::span<const std::uint32_t> piece) { compare_line(at, piece, tally); });
    std::vector<std::uint32_t> words;
    for (const std::uint32_t maximum : maxima_of_codes(at)) {
      for (std::uint32_t i = 0; i < 16; ++i) words.push_back(maximum - maximum / 16 * i);
    }
    const std::vector<std::vector<std::uint32_t>> hands = deal(words, 16, 8);
    compare_line(at, hands[seed % hands.size()], tally);
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, part(200'000, 9));
}

INSTANTIATE_TEST_SUITE_P(All, ScaledBlocks,
                         ::testing::Combine(::testing::Values(formats::fp32, formats::bf16,
                                                              formats::fp16),
                                            ::testing::ValuesIn(scaled_rules())),
                         name_of_case);

// The other scale formats that nvfp4_exact rounds into, made ones too.
TEST(ScaledFormats, AgreeUnderEveryScaleFormat) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  std::vector<ElementFormat> scales = {formats::ue5m3};
  for (const auto& [exp_bits, man_bits, bias] :
       {std::array{3, 4, 3}, {4, 2, 7}, {5, 1, 15}, {2, 5, 0}, {6, 1, 31}}) {
    ElementFormat made = formats::ue5m3;
    made.bits = exp_bits + man_bits;
    made.exp_bits = exp_bits;
    made.man_bits = man_bits;
    made.bias = bias;
    made.canonical_nan = made.code_mask();
    made.max_code = made.code_mask() - 1;
    scales.push_back(made);
  }
  for (const ElementFormat& scale : scales) {
    for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
      ScaledBlockJob job = nvfp4_job(*source, ScaleRule::kNvfp4Exact);
      job.blocks.format.scale = scale;
      for (const int block : {16, 32}) {
        job.blocks.format.block_size = block;
        for (const std::uint32_t tensor_scale : {0x3F800000U, 0x39C30C31U}) {
          job.tensor.scale = tensor_scale;
          random_blocks(
              *source, tensor_scale % 97, part(1024, 8),
              [&](std::span<const std::uint32_t> piece) { compare_line(job, piece, tally); });
        }
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, part(2'000'000, 8));
}

}  // namespace
}  // namespace mx::fast::test
