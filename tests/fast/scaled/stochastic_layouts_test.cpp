// Draws under real-valued scales: axes, lengths, block sizes, odd addresses, threads, and the state
// of the machine, none of which may change a bit; what draws hang on; what has no plan.
#include <gtest/gtest.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <array>

#include "fast/cpu/targets.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/stochastic_words.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/scaled/stochastic_judge.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

// Axes, block sizes and threads against the reference's tensors.
TEST(ScaledStochasticLayouts, AgreeWithTensors) {
  MX_NEEDS_CPU_PATH();
  std::uint64_t compared = 0;
  std::size_t turn = 0;
  Part some(4);
  for (const BlockLayout& layout :
       {BlockLayout{3, 70, 1}, BlockLayout{2, 40, 33}, BlockLayout{5, 1, 7},
        BlockLayout{1, 100, 67}, BlockLayout{1, 64, 160}, BlockLayout{1, 200'003, 1}}) {
    for (const int block_size : {1, 5, 16, 32, 48, 1024}) {
      const ElementFormat& source =
          *std::array{&formats::fp32, &formats::bf16, &formats::fp16}[turn % 3];
      ScaledBlockJob job = stochastic_job(source, stochastic_rules()[turn % 4], 0x44000000,
                                          stochastic_roundings()[turn / 4 % 4], 8);
      const bool is_taken = some.takes(layout.length, block_size, turn % 3, turn % 4, turn / 4 % 4);
      ++turn;
      if (!is_taken) continue;
      job.blocks.format.block_size = block_size;
      const std::vector<std::byte> words = random_words(source, turn, layout.elements());
      const Quantizer quantizer = Quantizer::make(config_of(job)).value();
      const std::array<std::uint64_t, 3> dims = {layout.outer, layout.length, layout.inner};
      const BlockedShape shape = BlockedShape::make(dims, 1, block_size).value();
      StochasticAnswer expected{
          std::vector<std::byte>(shape.elements), std::vector<std::byte>(shape.scales), {}};
      static_cast<void>(quantize_tensor(quantizer, shape, Tail::kShort, words,
                                        {kDraws.seed, kDraws.tensor}, expected.codes,
                                        expected.scales)
                            .value());
      compared += expected.codes.size();
      const GivenWords given(job.blocks.element, 0, expected.codes.size());
      for (const std::string_view target : cpu_targets()) {
        const OnlyCpuTarget only(target);
        for (const int threads : {1, 3}) {
          for (const Draws& draws : {kDraws, given.draws()}) {
            EXPECT_TRUE(plan_blocks(job, layout, words, draws, 0, threads, false) == expected)
                << target << ' ' << layout.length << " x " << layout.inner << " by " << block_size;
          }
        }
        // With status words the kernels write the same codes and scales.
        StochasticAnswer told = plan_blocks(job, layout, words, kDraws, 0, 2, true);
        told.status.clear();
        EXPECT_TRUE(told == expected) << target;
      }
    }
  }
  EXPECT_GT(compared, part(1'000'000, 6));
}

// Status words down columns, against the reference block by block.
TEST(ScaledStochasticLayouts, StatusOfColumns) {
  MX_NEEDS_CPU_PATH();
  const BlockLayout layout{2, 40, 37};
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    const ScaledBlockJob job =
        stochastic_job(*source, ScaleRule::kNvfp4Te, 0x44000000, Rounding::kStochasticC, 5);
    const std::vector<std::byte> words = random_words(*source, 8, layout.elements());
    const Quantizer quantizer = Quantizer::make(config_of(job)).value();
    const std::array<std::uint64_t, 3> dims = {layout.outer, layout.length, layout.inner};
    const BlockedShape shape = BlockedShape::make(dims, 1, 16).value();
    std::vector<std::uint16_t> expected(shape.scales);
    std::vector<std::uint64_t> places;
    std::vector<std::uint64_t> in;
    std::vector<std::uint32_t> random;
    for (std::uint64_t b = 0; b < shape.scales; ++b) {
      block_indices(shape, b, places);
      in.clear();
      random.clear();
      for (const std::uint64_t place : places) {
        in.push_back(word_at(words, place, storage_bytes(*source)));
        random.push_back(random_at(job.blocks.element, place));
      }
      std::vector<std::uint64_t> codes(in.size());
      expected[b] = scaled_status_of(quantizer.quantize_block(in, random, codes));
    }
    for (const std::string_view target : cpu_targets()) {
      const OnlyCpuTarget only(target);
      EXPECT_EQ(plan_blocks(job, layout, words, kDraws, 0, 1, true).status, expected) << target;
      const GivenWords given(job.blocks.element, 0, layout.elements());
      EXPECT_EQ(plan_blocks(job, layout, words, given.draws(), 0, 1, true).status, expected)
          << target;
    }
  }
}

// Lines of every length around the vectors' and the blocks'; the words begin at an odd address.
TEST(ScaledStochasticLayouts, AgreeAtEveryLengthAndOddAddress) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    const auto width = static_cast<std::size_t>(source->bits / 8);
    std::vector<std::byte> odd(1);
    const std::vector<std::byte> words = random_words(*source, 6, 2200);
    odd.insert(odd.end(), words.begin(), words.end());
    const ScaledBlockJob job =
        stochastic_job(*source, ScaleRule::kNvfp4Exact, 0x42000000, Rounding::kStochasticB, 12);
    for (std::size_t length = 1; length <= 2200; length += length < 70 ? 1 : 213) {
      compare_stochastic(job, std::span<const std::byte>(odd).subspan(1, length * width), length,
                         tally);
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, 10'000u);
}

#if defined(__x86_64__)
TEST(ScaledStochasticMachine, FloatingPointStateChangesNoBit) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::byte> words = random_words(formats::fp32, 9, std::size_t{32} * 1024);
  const unsigned saved = _mm_getcsr();
  for (const unsigned state : {0x8000u, 0x0040u, 0x8040u, 0xE040u, 0xA000u, 0xC000u}) {
    CpuTally tally;
    for (const ScaleRule rule : stochastic_rules()) {
      const ScaledBlockJob job =
          stochastic_job(formats::fp32, rule, 0x0A000001, Rounding::kStochasticA, 16);
      _mm_setcsr((saved & ~0xE040u) | state);
      compare_stochastic(job, words, 3, tally);
      _mm_setcsr(saved);
    }
    EXPECT_EQ(tally.mismatches, 0u) << tally.first;
    EXPECT_GT(tally[Class::kSubnormalInput], 1000u);
  }
}
#endif

// Negative control: another seed, in either half, another tensor, another place, another number of
// bits or another variant is another answer.
TEST(ScaledDraws, AllOfThemCount) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::uint32_t> codes;
  for (std::uint32_t i = 0; i < 4096; ++i) codes.push_back(0x3F800000 + i * 0x1234567 % 0x800000);
  const std::vector<std::byte> words = to_bytes(formats::fp32, codes);
  const BlockLayout layout{1, 4096, 1};
  for (const ScaleRule rule : stochastic_rules()) {
    const auto under = [&](const Draws& draws, std::uint64_t first, Rounding rounding, int bits) {
      const ScaledBlockJob job = stochastic_job(formats::fp32, rule, 0x3FFFFFFF, rounding, bits);
      return plan_blocks(job, layout, words, draws, first, 1, false).codes;
    };
    constexpr Rounding kA = Rounding::kStochasticA;
    const std::vector<std::byte> expected = under(kDraws, 0, kA, 3);
    ASSERT_EQ(expected.size(), 4096u);
    EXPECT_TRUE(under(kDraws, 0, kA, 3) == expected);
    EXPECT_TRUE(under({kDraws.seed ^ 1, kDraws.tensor}, 0, kA, 3) != expected);
    EXPECT_TRUE(under({kDraws.seed ^ std::uint64_t{1} << 63, kDraws.tensor}, 0, kA, 3) != expected);
    EXPECT_TRUE(under({kDraws.seed, kDraws.tensor ^ 1}, 0, kA, 3) != expected);
    EXPECT_TRUE(under(kDraws, 1, kA, 3) != expected);
    EXPECT_TRUE(under(kDraws, std::uint64_t{1} << 34, kA, 3) != expected);
    EXPECT_TRUE(under(kDraws, 0, kA, 2) != expected);
    EXPECT_TRUE(under(kDraws, 0, kA, 4) != expected);
    GivenWords given(stochastic_job(formats::fp32, rule, 0, kA, 3).blocks.element, 0, codes.size());
    EXPECT_TRUE(under(given.draws(), 0, kA, 3) == expected);
    for (std::uint32_t& word : given.words) word ^= 1;
    EXPECT_TRUE(under(given.draws(), 0, kA, 3) != expected);
    EXPECT_TRUE(under(kDraws, 0, Rounding::kStochasticB, 3) != expected);
    EXPECT_TRUE(under(kDraws, 0, Rounding::kStochasticC, 3) != expected);
  }
}

TEST(ScaledStochasticPlans, SayWhatHasNoPath) {
  MX_NEEDS_CPU_PATH();
  const auto problem = [](const ScaledBlockJob& job) {
    return std::string(ScaledStochasticPlan::make(job).problem());
  };
  ScaledBlockJob job = nvfp4_job(formats::fp32, ScaleRule::kNvfp4Exact);
  EXPECT_EQ(problem(job), "no fast path: the rounding draws nothing");
  job.blocks.element.rounding = Rounding::kStochasticB;
  EXPECT_EQ(problem(job), "");
  for (const int bits : {0, 32, 33}) {
    job.blocks.element.random_bits = bits;
    EXPECT_EQ(problem(job), "no fast path: random_bits") << bits;
  }
  job.blocks.element.random_bits = 31;
  const ScaledStochasticPlan plan = ScaledStochasticPlan::make(job).value();
  EXPECT_EQ(plan.block_size(), 16);
  const std::vector<std::byte> words(264);
  std::vector<std::byte> codes(66);
  std::vector<std::byte> scales(5);
  EXPECT_TRUE(plan.quantize({1, 66, 1}, {}, words, codes, scales));
  EXPECT_FALSE(plan.quantize({1, 65, 1}, {}, words, codes, scales));
  EXPECT_FALSE(plan.quantize({1, 66, 1}, {}, words, codes, std::span(scales).first(4)));
  const std::vector<std::uint32_t> given(66);
  EXPECT_TRUE(plan.quantize({1, 66, 1}, {.given = given}, words, codes, scales));
  EXPECT_FALSE(plan.quantize({1, 66, 1}, {.given = given}, words, codes, scales, {}, 1, 1));
  ScaledBlockJob search = job;
  search.blocks.block.rule = ScaleRule::kNvfp4Ggml;
  EXPECT_EQ(problem(search), "no fast path: a search draws nothing");
  for (const ScaleRule rule : {ScaleRule::kNvfp4Modelopt, ScaleRule::kNvfp4Ct}) {
    ScaledBlockJob divides = job;
    divides.blocks.block.rule = rule;
    EXPECT_EQ(problem(divides), "no fast path: draws under a rule that divides");
  }
  ScaledBlockJob wide = job;
  wide.blocks.format.scale.man_bits = 4;
  wide.blocks.format.scale.exp_bits = 3;
  EXPECT_EQ(problem(wide), "no fast path: the scale format under draws");
  ScaledBlockJob axis = job;
  axis.blocks.format.extent = BlockExtent::kAxis;
  EXPECT_EQ(problem(axis), "no fast path: blocks of another shape");
}

}  // namespace
}  // namespace mx::fast::test
