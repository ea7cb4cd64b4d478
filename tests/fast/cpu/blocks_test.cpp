// Blocks by the CPU path, on every set of vector instructions, against the reference: every source,
// element format, rule and deterministic rounding; codes, scales and status bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/stimulus.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

using Formats = std::tuple<ElementFormat, ElementFormat>;

class CpuBlocks : public ::testing::TestWithParam<Formats> {
 protected:
  [[nodiscard]] const ElementFormat& source() const { return std::get<0>(GetParam()); }
  [[nodiscard]] const ElementFormat& element() const { return std::get<1>(GetParam()); }
};

std::string name_of_formats(const ::testing::TestParamInfo<Formats>& info) {
  return fmt::format("{}To{}", std::get<0>(info.param).name, std::get<1>(info.param).name);
}

void expect_agreement(const CpuTally& tally, std::uint64_t floor) {
  EXPECT_GE(tally.elements, floor);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

/// The stimulus dealt out over the configurations: each rule and rounding sees its share of the
/// thresholds of all scales, and of all random classes, in blocks of a size.
CpuTally deal_blocks(const ElementFormat& source, const ElementFormat& element, int block_size) {
  const std::vector<std::byte> words =
      to_bytes(source, deal(hard_blocks(source, element), 32, 12)[0]);
  const std::size_t block = 32 * storage_bytes(source);
  const std::size_t hands = path_rules().size() * deterministic_roundings().size();
  CpuTally tally;
  std::size_t hand = 0;
  for (const ScaleRule rule : path_rules()) {
    for (const Rounding rounding : deterministic_roundings()) {
      BlockJob job = default_job(source, element);
      job.format.block_size = block_size;
      job.block.rule = rule;
      job.element.rounding = rounding;
      std::vector<std::byte> dealt;
      // A stride that is prime to the 32 lanes of the stimulus' periods.
      for (std::size_t b = hand++; b * block < words.size(); b += hands) {
        const auto at = words.begin() + static_cast<std::ptrdiff_t>(b * block);
        dealt.insert(dealt.end(), at, at + static_cast<std::ptrdiff_t>(block));
      }
      compare_line(job, dealt, tally);
    }
  }
  EXPECT_EQ(tally.elements, words.size() / storage_bytes(source));
  return tally;
}

TEST_P(CpuBlocks, AgreeUnderEveryRuleAndRounding) {
  MX_NEEDS_CPU_PATH();
  const CpuTally tally = deal_blocks(source(), element(), 32);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  for (std::size_t i = 0; i < tally.classes.size(); ++i) {
    const auto each = static_cast<Class>(i);
    // binary16 has no value small enough for a clamped scale.
    if (each == Class::kScaleClamped && source() == formats::fp16) continue;
    EXPECT_GT(tally[each], part(50, 12)) << name_of(each);
  }
  RecordProperty("elements", fmt::format("{}", tally.elements));
}

// Blocks that fill half a vector share it in pairs: of 16 elements or of 8, as the vectors are.
TEST_P(CpuBlocks, AgreeWhereTwoShareAVector) {
  MX_NEEDS_CPU_PATH();
  for (const int block_size : {16, 8}) {
    const CpuTally tally = deal_blocks(source(), element(), block_size);
    EXPECT_EQ(tally.mismatches, 0u) << block_size << ": " << tally.first;
    for (std::size_t i = 0; i < tally.classes.size(); ++i) {
      const auto each = static_cast<Class>(i);
      if (each == Class::kScaleClamped && source() == formats::fp16) continue;
      EXPECT_GT(tally[each], part(50, 12)) << name_of(each);
    }
  }
}

// The default configuration, which the short kernel answers, sees all of it.
TEST_P(CpuBlocks, AgreeOnThresholdsAtEveryScale) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  const BlockJob job = default_job(source(), element());
  thresholds_at_every_scale(source(), element(), [&](std::span<const std::uint32_t> codes) {
    compare_line(job, to_bytes(source(), codes), tally);
  });
  expect_agreement(tally, 5'000);
}

// Ends of lines in every place of a vector, at odd addresses.
TEST_P(CpuBlocks, AgreeOnEveryLength) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::uint32_t> codes;
  random_blocks(source(), 11, 8, [&](std::span<const std::uint32_t> piece) {
    codes.insert(codes.end(), piece.begin(), piece.end());
  });
  std::vector<std::byte> words = to_bytes(source(), codes);
  words.insert(words.begin(), std::byte{0xFF});
  CpuTally tally;
  for (const int block_size : {32, 1, 7, 8, 16, 33, 64, 200}) {
    BlockJob job = default_job(source(), element());
    job.format.block_size = block_size;
    for (std::size_t length = 1; length <= codes.size(); length += block_size == 32 ? 1 : 13) {
      const std::size_t bytes = length * storage_bytes(source());
      compare_line(job, std::span(words).last(bytes), tally);
    }
  }
  expect_agreement(tally, 256 * 257 / 2);
}

INSTANTIATE_TEST_SUITE_P(
    All, CpuBlocks,
    ::testing::Combine(::testing::Values(formats::fp32, formats::bf16, formats::fp16),
                       ::testing::Values(formats::e4m3fn, formats::e5m2, formats::e3m2fn,
                                         formats::e2m3fn, formats::e2m1fn, formats::int8)),
    name_of_formats);

// More words than a cache holds take smaller tiles than fewer do.
TEST(CpuTiles, OfEitherSizeAgree) {
  MX_NEEDS_CPU_PATH();
  constexpr std::size_t kCached = std::size_t{2} << 20;
  for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
    std::vector<std::uint32_t> codes;
    random_blocks(source, 12, (kCached / storage_bytes(source) + 4096) / 32,
                  [&](std::span<const std::uint32_t> piece) {
                    codes.insert(codes.end(), piece.begin(), piece.end());
                  });
    const std::vector<std::byte> words = to_bytes(source, codes);
    ASSERT_GT(words.size(), kCached);
    CpuTally tally;
    for (const int block_size : {32, 16}) {
      // A part: both sizes of blocks, each of a width of words.
      if (!runs_whole() && (source.bits == 32) != (block_size == 16)) continue;
      BlockJob job = default_job(source, formats::e4m3fn);
      job.format.block_size = block_size;
      compare_line(job, words, tally);
      compare_line(job, std::span(words).first(kCached - 100), tally);
    }
    expect_agreement(tally, part(4, 2) * kCached / storage_bytes(source) - 200);
  }
}

// Other element and scale formats, and the policies of blocks.
TEST(CpuBlockPolicies, Agree) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  std::uint64_t jobs = 0;
  std::vector<std::byte> words;
  random_blocks(formats::fp32, 5, part(2048, 16), [&](std::span<const std::uint32_t> piece) {
    const std::vector<std::byte> more = to_bytes(formats::fp32, piece);
    words.insert(words.end(), more.begin(), more.end());
  });
  for (const BlockFormat& format : all_block_formats()) {
    std::size_t turn = 0;
    for (const ScaleRule rule : path_rules()) {
      for (const Rounding rounding : deterministic_roundings()) {
        turn += 3;  // with the picks 11 in all, prime to the lengths of all lists
        BlockJob job{.source = formats::fp32, .format = format, .element = {}, .block = {}};
        job.block.rule = rule;
        job.element.rounding = rounding;
        const auto pick = [&]<class Policy>(Policy& policy) {
          policy = tokens<Policy>()[turn++ % tokens<Policy>().size()].value;
        };
        pick(job.element.overflow);
        pick(job.element.zero_sign);
        pick(job.element.int_min);
        pick(job.block.nan_scale_codes);
        pick(job.block.scale_sat);
        pick(job.block.even_carry);
        pick(job.block.zero_block_scale);
        pick(job.block.nan_block);
        if (!BlockPlan::make(job) || !Quantizer::problem(config_of(job)).empty()) continue;
        ++jobs;
        const std::uint64_t before = tally.mismatches;
        compare_line(job, words, tally);
        EXPECT_EQ(tally.mismatches, before) << format.name << ": " << tally.first;
        if (tally.mismatches != before) return;
      }
    }
  }
  EXPECT_GT(jobs, 200u);
  expect_agreement(tally, part(10'000'000, 16));
}

}  // namespace
}  // namespace mx::fast::test
