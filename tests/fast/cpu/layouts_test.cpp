// Axes, lines with short blocks, block sizes and threads.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

#if defined(__linux__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/judge.hpp"

namespace mx::fast::test {
namespace {

std::vector<std::byte> words_of(const ElementFormat& source, std::size_t elements) {
  return random_words(source, 3, elements);
}

// Rules and roundings take turns over layouts and block sizes: every pair of them for every element
// format.
TEST(CpuLayouts, AgreeAlongEveryAxisAndBlockSize) {
  MX_NEEDS_CPU_PATH();
  const std::vector<ScaleRule> rules = path_rules();
  const std::vector<Rounding> roundings = deterministic_roundings();
  ASSERT_EQ(std::gcd(rules.size(), roundings.size()), 1u);
  CpuTally tally;
  std::size_t turn = 0;
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const BlockLayout& layout :
         {BlockLayout{3, 70, 1}, BlockLayout{1, 64, 96}, BlockLayout{2, 40, 33},
          BlockLayout{5, 1, 7}, BlockLayout{1, 1100, 17}, BlockLayout{4, 96, 1}}) {
      const std::vector<std::byte> words = words_of(*source, layout.elements());
      for (const int block_size : {1, 5, 16, 32, 64, 1024}) {
        for (const ElementFormat* element : ocp_elements()) {
          BlockJob job = default_job(*source, *element);
          job.format.block_size = block_size;
          job.block.rule = rules[turn % rules.size()];
          job.element.rounding = roundings[turn % roundings.size()];
          compare_tensor(job, layout, words, tally);
        }
        ++turn;
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GE(turn, rules.size() * roundings.size());
  EXPECT_GT(tally.elements, 1'500'000u);
}

TEST(CpuLayouts, BitsDoNotDependOnThreads) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  const std::size_t elements = (std::size_t{1} << 19) + 77;
  const std::vector<std::byte> words = words_of(formats::bf16, elements);
  const BlockJob job = default_job(formats::bf16, formats::e4m3fn);
  for (const int threads : {2, 3, 8}) {
    compare_tensor(job, {1, elements, 1}, words, tally, threads);
    compare_tensor(job, {128, 4096, 1}, std::span(words).first(std::size_t{2} << 19), tally,
                   threads);
    compare_tensor(job, {2, 512, 512}, std::span(words).first(std::size_t{2} << 19), tally,
                   threads);
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, 4'000'000u);
}

/// Codes of a tensor that several threads share.
std::vector<std::byte> codes_by(const BlockPlan& plan, std::span<const std::byte> words,
                                int threads) {
  std::vector<std::byte> codes(words.size() / 4);
  std::vector<std::byte> scales(codes.size() / 32);
  if (!plan.quantize({1, codes.size(), 1}, words, codes, scales, {}, threads)) codes.clear();
  return codes;
}

// The calls of many threads share the threads that wait for work.
TEST(CpuLayouts, CallsSideBySideAgree) {
  MX_NEEDS_CPU_PATH();
  const BlockPlan plan = BlockPlan::make(default_job(formats::fp32, formats::e4m3fn)).value();
  const std::vector<std::byte> words = words_of(formats::fp32, std::size_t{1} << 18);
  const std::vector<std::byte> expected = codes_by(plan, words, 1);
  ASSERT_FALSE(expected.empty());
  std::atomic<int> agreed = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&, caller] {
      for (int call = 0; call < 20; ++call) {
        agreed += codes_by(plan, words, 2 + (caller + call) % 3) == expected ? 1 : 0;
      }
    });
  }
  for (std::thread& each : callers) each.join();
  EXPECT_EQ(agreed, 120);
}

#if defined(__linux__)
// A child has none of its parent's threads, one of which may have held a lock when it was forked.
TEST(CpuLayouts, ForkedChildrenAgree) {
  MX_NEEDS_CPU_PATH();
  const BlockPlan plan = BlockPlan::make(default_job(formats::fp32, formats::e4m3fn)).value();
  const std::vector<std::byte> words = words_of(formats::fp32, std::size_t{1} << 18);
  const std::vector<std::byte> expected = codes_by(plan, words, 1);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(codes_by(plan, words, 3), expected);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);  // ends a child that waits for a thread it has not
      _exit(codes_by(plan, words, 3) == expected ? 7 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
  }
}
#endif

// Negative control: the judge sees one wrong word of the source in a whole tensor.
TEST(CpuLayouts, JudgeSeesOneWrongCode) {
  MX_NEEDS_CPU_PATH();
  const BlockPlan plan = BlockPlan::make(default_job(formats::fp32, formats::e4m3fn)).value();
  std::vector<std::byte> words = words_of(formats::fp32, 4096);
  std::vector<std::byte> before(4096);
  std::vector<std::byte> after(4096);
  std::vector<std::byte> scales(128);
  ASSERT_TRUE(plan.quantize({1, 4096, 1}, words, before, scales));
  words[4 * 33 + 3] ^= std::byte{0x80};  // the sign of a lane
  ASSERT_TRUE(plan.quantize({1, 4096, 1}, words, after, scales));
  std::size_t differ = 0;
  for (std::size_t i = 0; i < before.size(); ++i) differ += before[i] != after[i] ? 1u : 0u;
  EXPECT_EQ(differ, 1u);
}

}  // namespace
}  // namespace mx::fast::test
