// Single codes to words by the CPU path, on every set of vector instructions, against the
// reference: every code of every format under every policy that a wide word can show.
#include <gtest/gtest.h>

#include "fast/cpu/targets.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/dequantize_judge.hpp"
#include "tests/fast/cpu/judge.hpp"

namespace mx::fast::test {
namespace {

/// All codes of a format, twice, so that whole vectors and ends meet each kind.
std::vector<std::byte> every_code(const ElementFormat& format) {
  std::vector<std::byte> codes;
  for (unsigned i = 0; i < 2U << format.bits; ++i) {
    codes.push_back(static_cast<std::byte>(i & format.code_mask()));
  }
  return codes;
}

TEST(CpuWiden, AgreesOnEveryCode) {
  MX_NEEDS_CPU_PATH();
  DequantizeTally tally;
  std::uint64_t pairs = 0;
  std::size_t turn = 0;
  for (const ElementFormat* destination : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const ElementFormat& source : all_formats()) {
      if (!WidenPlan::make({source, *destination, {}})) continue;
      ++pairs;
      const std::vector<std::byte> codes = every_code(source);
      for (const auto& overflow : tokens<Overflow>()) {
        for (const auto& nan : tokens<NanPolicy>()) {
          for (const auto& zero_sign : tokens<ZeroSign>()) {
            ElementPolicy policy;
            policy.overflow = overflow.value;
            policy.nan = nan.value;
            policy.zero_sign = zero_sign.value;
            policy.rounding = deterministic_roundings()[turn % 9];
            policy.dst_ftz = tokens<ResultSubnormals>()[turn / 9 % 3].value;
            turn += 4;  // prime to the 27 pairs
            compare_widening({source, *destination, policy}, codes, tally);
          }
        }
      }
    }
  }
  EXPECT_GE(pairs, 36u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  for (std::size_t i = 0; i < tally.classes.size(); ++i) {
    EXPECT_GT(tally.classes[i], 10u) << name_of(static_cast<WordClass>(i));
  }
}

TEST(CpuWiden, AgreesOnEveryLength) {
  MX_NEEDS_CPU_PATH();
  const std::vector<std::byte> codes = every_code(formats::e4m3fn);
  DequantizeTally tally;
  for (const ElementFormat* destination : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (std::size_t length = 0; length <= 300; ++length) {
      compare_widening({formats::e4m3fn, *destination, {}}, std::span(codes).last(length), tally);
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_EQ(tally.elements, 3u * 300 * 301 / 2);
}

TEST(CpuWiden, SaysWhyThereIsNoPlan) {
  MX_NEEDS_CPU_PATH();
  const auto problem = [](const WidenJob& job) {
    return std::string(WidenPlan::make(job).problem());
  };
  const std::string prefix = "no fast path: ";
  ElementPolicy flushes;
  flushes.src_ftz = SourceSubnormals::kFlush;
  ElementPolicy stages;
  stages.staging = Staging::kViaBf16;
  ElementPolicy draws;
  draws.rounding = Rounding::kStochasticA;
  EXPECT_EQ(problem({formats::e5m2, formats::fp32, {}}), "");
  EXPECT_TRUE(problem({formats::e5m2, formats::fp32, flushes}).starts_with(prefix));
  EXPECT_TRUE(problem({formats::e5m2, formats::fp32, stages}).starts_with(prefix));
  EXPECT_TRUE(problem({formats::e5m2, formats::fp32, draws}).starts_with(prefix));
  EXPECT_TRUE(problem({formats::e5m2, formats::fp64, {}}).starts_with(prefix));
  EXPECT_TRUE(problem({formats::bf16, formats::fp32, {}}).starts_with(prefix));
}

TEST(CpuWiden, RefusesWhatDoesNotFit) {
  MX_NEEDS_CPU_PATH();
  const WidenPlan plan = WidenPlan::make({formats::e2m1fn, formats::fp16, {}}).value();
  std::vector<std::byte> codes(40);
  std::vector<std::byte> words(80);
  EXPECT_TRUE(plan.convert(codes, words));
  EXPECT_FALSE(plan.convert(codes, std::span(words).first(79)));
  codes[39] = std::byte{0x10};
  EXPECT_FALSE(plan.convert(codes, words)) << "a stray bit";
}

}  // namespace
}  // namespace mx::fast::test
