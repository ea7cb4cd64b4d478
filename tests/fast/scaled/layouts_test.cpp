// Axes, lengths, block sizes, odd addresses, threads, and the state of the machine, none of which
// may change a bit; what has no plan.
#include <gtest/gtest.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>

#include "fast/cpu/targets.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/scaled/judge.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

std::vector<std::byte> words_of(const ElementFormat& source, std::size_t elements) {
  return random_words(source, 3, elements);
}

TEST(ScaledLayouts, AgreeAlongEveryAxisAndBlockSize) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  Part some(8);
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const BlockLayout& layout :
         {BlockLayout{3, 70, 1}, BlockLayout{1, 64, 96}, BlockLayout{2, 40, 33},
          BlockLayout{5, 1, 7}, BlockLayout{1, 1100, 17}, BlockLayout{4, 96, 1}}) {
      const std::vector<std::byte> words = words_of(*source, layout.elements());
      for (const int block_size : {1, 5, 16, 32, 48, 1024}) {
        for (const ScaleRule rule : scaled_rules()) {
          if (!some.takes(source->man_bits, layout.elements(), block_size, rule)) continue;
          ScaledBlockJob job = at_amax(nvfp4_job(*source, rule), 0x44000000);
          job.blocks.format.block_size = block_size;
          compare_tensor(job, layout, words, tally);
        }
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, part(1'500'000, 12));
}

// Lines of every length around the vectors' and the blocks', with status; the words begin at an odd
// address, as the outputs do.
TEST(ScaledLayouts, AgreeAtEveryLengthAndOddAddress) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16}) {
    const auto width = static_cast<std::size_t>(source->bits / 8);
    std::vector<std::byte> odd(1);
    const std::vector<std::byte> words = words_of(*source, 1200);
    odd.insert(odd.end(), words.begin(), words.end());
    for (const ScaleRule rule : {ScaleRule::kNvfp4Exact, ScaleRule::kNvfp44over6}) {
      const ScaledBlockJob job = at_amax(nvfp4_job(*source, rule), 0x42000000);
      for (std::size_t length = 1; length <= 1200; length += length < 70 ? 1 : 113) {
        compare_line(job, std::span<const std::byte>(odd).subspan(1, length * width), tally);
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, 10'000u);
}

TEST(ScaledLayouts, BitsDoNotDependOnThreads) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  const std::size_t elements = (std::size_t{1} << 19) + 77;
  const std::vector<std::byte> words = words_of(formats::bf16, elements);
  for (const ScaleRule rule : {ScaleRule::kNvfp4Te, ScaleRule::kNvfp44over6}) {
    const ScaledBlockJob job = at_amax(nvfp4_job(formats::bf16, rule), 0x43000000);
    for (const int threads : {2, 3, 8}) {
      if (rule == ScaleRule::kNvfp44over6 && threads != 3) continue;  // its reference is slow
      if (!runs_whole() && threads != 3) continue;
      if (!runs_whole() && rule == ScaleRule::kNvfp44over6) {
        compare_tensor(job, {16, 64, 64}, std::span(words).first(std::size_t{2} << 16), tally, 3);
        continue;
      }
      compare_tensor(job, {1, elements, 1}, words, tally, threads);
      compare_tensor(job, {128, 64, 64}, std::span(words).first(std::size_t{2} << 19), tally,
                     threads);
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

#if defined(__x86_64__)
// Flush-to-zero, denormals-are-zero and every rounding mode of the machine's floating point, while
// plans are made and while they compute.
TEST(ScaledMachine, FloatingPointStateChangesNoBit) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::byte> words;
  random_blocks(formats::fp32, 9, part(2048, 8), [&](std::span<const std::uint32_t> piece) {
    const std::vector<std::byte> more = to_bytes(formats::fp32, piece);
    words.insert(words.end(), more.begin(), more.end());
  });
  const unsigned saved = _mm_getcsr();
  for (const unsigned state : {0x8000u, 0x0040u, 0x8040u, 0xE040u, 0xA000u, 0xC000u}) {
    CpuTally tally;
    for (const ScaleRule rule : scaled_rules()) {
      for (const std::uint32_t amax : {0x40490FDBU, 0x0A000001U}) {
        const ScaledBlockJob job = at_amax(nvfp4_job(formats::fp32, rule), amax);
        _mm_setcsr((saved & ~0xE040u) | state);
        compare_line(job, words, tally);
        _mm_setcsr(saved);
      }
    }
    EXPECT_EQ(tally.mismatches, 0u) << tally.first;
    EXPECT_GT(tally[Class::kSubnormalInput], part(1000, 9));
  }
}
#endif

std::string problem_of(const ScaledBlockJob& job) {
  return std::string(ScaledBlockPlan::make(job).problem());
}

TEST(ScaledPlans, SayWhatHasNoPath) {
  MX_NEEDS_CPU_PATH();
  const ScaledBlockJob good = nvfp4_job(formats::fp32, ScaleRule::kNvfp4Exact);
  ASSERT_EQ(problem_of(good), "");
  EXPECT_EQ(ScaledBlockPlan::make(good).value().block_size(), 16);
  struct Refusal {
    const char* why;
    void (*change)(ScaledBlockJob& job);
  };
  const Refusal refusals[] = {
      {"the scale rule", [](ScaledBlockJob& j) { j.blocks.block.rule = ScaleRule::kNvfp44over6; }},
      {"the scale rule", [](ScaledBlockJob& j) { j.blocks.block.rule = ScaleRule::kFp32Block; }},
      {"blocks of another shape",
       [](ScaledBlockJob& j) { j.blocks.format.extent = BlockExtent::kAxis; }},
      {"the lines of a tile", [](ScaledBlockJob& j) { j.blocks.format.tile_lines = 129; }},
      {"the block size", [](ScaledBlockJob& j) { j.blocks.format.block_size = 1025; }},
      {"elements other than e2m1fn",
       [](ScaledBlockJob& j) { j.blocks.format.element = formats::e3m0; }},
      {"the scale format", [](ScaledBlockJob& j) { j.blocks.format.scale = formats::e8m0; }},
      {"the scale format", [](ScaledBlockJob& j) { j.blocks.format.scale = formats::ue6m2; }},
      {"the rule under another scale format",
       [](ScaledBlockJob& j) {
         j.blocks.block.rule = ScaleRule::kNvfp4Te;
         j.blocks.format.scale = formats::ue5m3;
       }},
      {"the scale limit", [](ScaledBlockJob& j) { j.blocks.format.scale_limit = 100; }},
      {"elem_codes_when_nan_scale",
       [](ScaledBlockJob& j) { j.blocks.block.nan_scale_codes = NanScaleCodes::kAsComputed; }},
      {"scale_floor under the rule",
       [](ScaledBlockJob& j) {
         j.blocks.block.rule = ScaleRule::kNvfp4Ct;
         j.blocks.block.scale_floor = ScaleFloor::kMinNormal;
       }},
      {"the tensor scale",
       [](ScaledBlockJob& j) {
         j.blocks.block.rule = ScaleRule::kNvfp4Modelopt;
         j.tensor.scale = 0x7F000000;  // six times it is infinite
       }},
      {"an infinite factor of the elements",
       [](ScaledBlockJob& j) {
         j.blocks.block.rule = ScaleRule::kNvfp4Modelopt;
         j.tensor.scale = 1;
       }},
      {"src_daz_block",
       [](ScaledBlockJob& j) { j.blocks.block.src_daz_block = BlockFlush::kFlush; }},
      {"zero_block_scale",
       [](ScaledBlockJob& j) { j.blocks.block.zero_block_scale = ZeroBlockScale::kMinAmax; }},
      {"sources other than fp32, bf16 and fp16",
       [](ScaledBlockJob& j) { j.blocks.source = formats::fp64; }},
      {"the rounding is stochastic",
       [](ScaledBlockJob& j) { j.blocks.element.rounding = Rounding::kStochasticA; }},
      {"dst_ftz",
       [](ScaledBlockJob& j) { j.blocks.element.dst_ftz = ResultSubnormals::kFlushAfterRounding; }},
      {"staging", [](ScaledBlockJob& j) { j.blocks.element.staging = Staging::kViaBf16; }},
      {"the tensor scale", [](ScaledBlockJob& j) { j.tensor.scale = 0; }},
      {"the tensor scale", [](ScaledBlockJob& j) { j.tensor.scale = 0x7F800000; }},
      {"an infinite factor of the elements", [](ScaledBlockJob& j) {
         j.blocks.block.rule = ScaleRule::kNvfp4Torchao;
         j.tensor.scale = 1;
       }}};
  for (const Refusal& refusal : refusals) {
    ScaledBlockJob job = good;
    refusal.change(job);
    EXPECT_EQ(problem_of(job), std::string("no fast path: ") + refusal.why);
  }
}

TEST(ScaledPlans, RefuseSpansThatDoNotFit) {
  MX_NEEDS_CPU_PATH();
  const ScaledBlockPlan plan =
      ScaledBlockPlan::make(nvfp4_job(formats::fp32, ScaleRule::kNvfp4Exact)).value();
  const std::vector<std::byte> words(std::size_t{4} * 40);
  std::vector<std::byte> codes(40);
  std::vector<std::byte> scales(3);
  std::vector<std::uint16_t> status(2);
  EXPECT_TRUE(plan.quantize({1, 40, 1}, words, codes, scales));
  EXPECT_FALSE(plan.quantize({1, 41, 1}, words, codes, scales));
  EXPECT_FALSE(plan.quantize({1, 40, 1}, words, codes, std::span(scales).first(2)));
  EXPECT_FALSE(plan.quantize({1, 40, 1}, words, codes, scales, status));
  EXPECT_TRUE(plan.quantize({0, 40, 1}, {}, {}, {}));
}

}  // namespace
}  // namespace mx::fast::test
