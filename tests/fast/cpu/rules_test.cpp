// SPDX-License-Identifier: Apache-2.0
// Scale rules whose thresholds lie between two keys, policies that the short kernels know, and what
// a policy does with blocks that have no maximum among the normal numbers: against the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fast/cpu/block_kernels.hpp"
#include "fast/cpu/resolve.hpp"
#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/stimulus.hpp"

namespace mx::fast::test {
namespace {

constexpr std::uint32_t kUnit = 1U << 23;

/// A rule with the arithmetic of its ratio.
struct RuleCase {
  ScaleRule rule;
  RatioOp ratio = RatioOp::kExact;
  E8m0Quirk quirk = E8m0Quirk::kNone;
};

/// Every rule whose exponents are computed from the source's word.
const std::vector<RuleCase>& rule_cases() {
  static const std::vector<RuleCase> kCases = {
      {ScaleRule::kRceil, RatioOp::kFp32Div},
      {ScaleRule::kRceil, RatioOp::kFp32RcpMul},
      {ScaleRule::kRceil, RatioOp::kHalfRcpMul},
      {ScaleRule::kRceil, RatioOp::kFp32RcpMul, E8m0Quirk::kOnnxUp},
      {ScaleRule::kRceil, RatioOp::kFp32Div, E8m0Quirk::kOnnxUp},
      {ScaleRule::kRceilLog2f, RatioOp::kExact},
      {ScaleRule::kRceilLog2f, RatioOp::kFp32Div},
      {ScaleRule::kRceilLog2f, RatioOp::kFp32RcpMul},
      {ScaleRule::kNearestLog},
      {ScaleRule::kFloorLog2f},
      {ScaleRule::kCeilLog2f},
      {ScaleRule::kNearestLog2f}};
  return kCases;
}

BlockJob job_of(const RuleCase& one, const ElementFormat& source, const ElementFormat& element) {
  BlockJob job = default_job(source, element);
  job.block.rule = one.rule;
  job.block.ratio_op = one.ratio;
  job.element.e8m0_quirk = one.quirk;
  return job;
}

/// Fractions where rules step: next to the powers of two, to sqrt(2), to the largest elements, and
/// where 16-bit reciprocals put theirs; a few words to each side, and as many as logarithms
/// misread.
std::vector<std::uint32_t> fractions() {
  std::vector<std::uint32_t> all;
  const auto add = [&](std::uint32_t middle, std::uint32_t reach) {
    for (std::uint32_t i = 0; i <= 2 * reach; ++i)
      all.push_back((middle + kUnit + i - reach) % kUnit);
  };
  add(0, 90);
  add(0x3504F3, 70);
  for (const std::uint32_t largest : {0x600000U, 0x400000U, 0x700000U, 0x7E0000U}) add(largest, 50);
  add(0x600000 - 21500, 20);
  add(0x600000 + 28000, 20);
  return all;
}

/// Blocks of 8 whose largest element is a word of every binade with such a fraction, in turn the
/// subnormal ones; words of a narrower source are those next below. `share` deals them out.
std::vector<std::byte> steps(const ElementFormat& source, std::uint64_t share) {
  const std::vector<std::uint32_t> all = fractions();
  std::vector<std::uint32_t> codes;
  const std::uint32_t top = static_cast<std::uint32_t>(source.magnitude_mask() >> source.man_bits);
  const int less = 23 - source.man_bits;
  std::uint64_t turn = 0;
  for (std::uint32_t field = 0; field < top; ++field) {
    for (const std::uint32_t fraction : all) {
      // Binades next to the ends and to 1 see more fractions than others.
      const bool is_hard = field < 12 || field + 3 > top || field / 4 == top / 8;
      if (turn++ % (is_hard ? share / 12 + 1 : share) != 0) continue;
      const std::uint32_t word = (field << source.man_bits) | (fraction >> less);
      for (std::uint32_t lane = 0; lane < 8; ++lane) {
        const std::uint32_t below = std::min(field, lane) << source.man_bits;
        const std::uint32_t sign = lane % 2 << (source.bits - 1);
        codes.push_back(sign | (lane == turn % 8 ? word : word - below));
      }
    }
  }
  // Subnormal numbers of few bits: products with them have none to spare.
  for (std::uint32_t bit = 0; bit < static_cast<std::uint32_t>(source.man_bits); ++bit) {
    for (std::uint32_t more = 0; more < 8; ++more) {
      codes.insert(codes.end(), 8, (1U << bit) + more);
    }
  }
  return to_bytes(source, codes);
}

TEST(CpuRules, OfRatiosAndLogarithmsAgree) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  std::uint64_t jobs = 0;
  for (const ElementFormat& source : {formats::fp32, formats::bf16, formats::fp16}) {
    const std::vector<std::byte> words = steps(source, runs_whole() ? 6 : 61);
    for (const ElementFormat& element : {formats::e4m3fn, formats::e5m2, formats::e3m2fn,
                                         formats::e2m3fn, formats::e2m1fn, formats::int8}) {
      for (const RuleCase& one : rule_cases()) {
        BlockJob job = job_of(one, source, element);
        job.format.block_size = 8;
        if (!Quantizer::problem(config_of(job)).empty()) continue;
        ASSERT_TRUE(BlockPlan::make(job)) << BlockPlan::make(job).problem();
        ++jobs;
        compare_line(job, words, tally);
        ASSERT_EQ(tally.mismatches, 0u) << token_of(one.ratio) << ": " << tally.first;
      }
    }
  }
  EXPECT_GE(jobs, 190u);
  EXPECT_GT(tally.elements, part(20'000'000, 16));
}

/// How many blocks of the kernels under some constants differ from the reference.
std::uint64_t scale_differences(const BlockJob& job, const cpu::BlockConstants& c,
                                std::span<const std::byte> words) {
  const std::uint64_t elements = words.size() / 4;
  const Quantizer reference = Quantizer::make(config_of(job)).value();
  const BlockedShape shape =
      BlockedShape::make(std::array{elements}, 0, job.format.block_size).value();
  std::vector<std::byte> codes(elements);
  std::vector<std::byte> scales(shape.scales);
  static_cast<void>(
      quantize_tensor(reference, shape, Tail::kShort, words, {}, codes, scales).value());
  std::vector<std::uint8_t> got(elements);
  std::vector<std::uint8_t> got_scales(shape.scales);
  cpu::quantize_blocks(c, cpu::Source::kFp32,
                       {words.data(), elements, got.data(), got_scales.data(), nullptr});
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    count += std::to_integer<std::uint8_t>(scales[i]) != got_scales[i] ? 1U : 0U;
  }
  return count;
}

// A rule computed by a reciprocal of one unit more, with a ratio that is left out, or by keys
// alone.
TEST(CpuRules, AnotherArithmeticIsSeen) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::byte> words = steps(formats::fp32, 96);
  for (const RuleCase& one : rule_cases()) {
    BlockJob job = job_of(one, formats::fp32, formats::e4m3fn);
    job.format.block_size = 8;
    if (!Quantizer::problem(config_of(job)).empty()) continue;
    const cpu::BlockConstants right = cpu::resolve_block(job).value();
    ASSERT_EQ(scale_differences(job, right, words), 0u);
    cpu::BlockConstants wrong = right;
    wrong.uncertain = 1 << cpu::kKeyBits;
    EXPECT_GT(scale_differences(job, wrong, words), 0u)
        << token_of(one.rule) << " by keys survives";
    wrong = right;
    // A rounded logarithm is blind to the last bits of its ratio.
    wrong.rule.operand += right.rule.step == ExponentStep::kCeil ? 1 : 64;
    wrong.rule.less += right.rule.ratio == RatioStep::kNone ? 1 : 0;
    EXPECT_GT(scale_differences(job, wrong, words), 0u) << token_of(one.rule) << " survives";
    wrong = right;
    wrong.rule.lifts = !right.rule.lifts;
    if (one.rule != ScaleRule::kRceil) continue;
    EXPECT_GT(scale_differences(job, wrong, words), 0u) << "lifts survives";
  }
}

// Blocks of zeros, flushed blocks and blocks that hold NaN or infinities under the policies of
// named systems; every rounding and zero sign, every overflow.
TEST(CpuRules, AgreeUnderPoliciesOfBlocksAndZeros) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::byte> words = steps(formats::fp32, runs_whole() ? 61 : 1999);
  random_blocks(formats::fp32, 31, part(512, 8), [&](std::span<const std::uint32_t> piece) {
    const std::vector<std::byte> more = to_bytes(formats::fp32, piece);
    words.insert(words.end(), more.begin(), more.end());
  });
  CpuTally tally;
  std::size_t turn = 0;
  std::uint64_t jobs = 0;
  for (const ElementFormat& element :
       {formats::e4m3fn, formats::e5m2, formats::e3m2fn, formats::e2m1fn, formats::int8}) {
    for (const auto& zero : tokens<ZeroBlockScale>()) {
      for (const auto& flush : tokens<BlockFlush>()) {
        for (const ScaleRule rule : path_rules()) {
          BlockJob job = default_job(formats::fp32, element);
          job.format.block_size = turn % 2 == 0 ? 32 : 16;
          job.block.rule = rule;
          job.block.zero_block_scale = zero.value;
          job.block.src_daz_block = flush.value;
          const auto pick = [&]<class Policy>(Policy& policy) {
            policy = tokens<Policy>()[turn++ % tokens<Policy>().size()].value;
          };
          pick(job.element.zero_sign);
          pick(job.element.overflow);
          pick(job.block.even_carry);
          pick(job.block.scale_sat);
          job.element.rounding = turn % 3 == 0   ? Rounding::kTiesToAway
                                 : turn % 3 == 1 ? Rounding::kTiesToEven
                                                 : deterministic_roundings()[turn % 9];
          if (!Quantizer::problem(config_of(job)).empty()) continue;
          ASSERT_TRUE(BlockPlan::make(job)) << BlockPlan::make(job).problem();
          ++jobs;
          compare_line(job, words, tally);
          ASSERT_EQ(tally.mismatches, 0u)
              << token_of(zero.value) << ", " << token_of(flush.value) << ": " << tally.first;
        }
      }
    }
  }
  EXPECT_GT(jobs, 400u);
  EXPECT_GT(tally[Class::kZeroBlock], 100u);
}

}  // namespace
}  // namespace mx::fast::test
