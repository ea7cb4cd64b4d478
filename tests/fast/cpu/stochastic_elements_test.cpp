// Single values under stochastic roundings by the CPU path, on every set of vector instructions,
// against the reference with the words of the counter-based generator.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "fast/cpu/targets.hpp"
#include "fast/stochastic/stochastic_plan.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "tests/fast/cpu/guarded.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/cpu/stochastic_words.hpp"
#include "tests/fast/judge.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

/// Codes by the plan and by the reference.
bool elements_agree(const ElementJob& job, std::span<const std::byte> words, std::uint64_t first) {
  const Conversion conversion = Conversion::make({job.source, job.destination, job.policy}).value();
  const StochasticElementPlan plan = StochasticElementPlan::make(job).value();
  const std::size_t width = storage_bytes(job.source);
  std::vector<std::byte> expected(words.size() / width);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::uint32_t random = random_at(job.policy, first + i);
    expected[i] = static_cast<std::byte>(conversion(word_at(words, i, width), random).code);
  }
  const GivenWords given(job.policy, first, expected.size());
  const auto agrees = [&](const Draws& draws, std::uint64_t place) {
    Guarded codes(expected.size());
    return plan.convert(draws, words, codes.span(), 1, place) && codes.guards_hold() &&
           std::ranges::equal(codes.span(), expected);
  };
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    if (!agrees(kDraws, first) || !agrees(given.draws(), given.first)) return false;
  }
  return true;
}

// Every word of the 16-bit sources, under policies that take turns.
TEST(CpuDrawnElements, AgreeOnEverySixteenBitSource) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::uint32_t> codes(std::size_t{1} << 16);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint32_t>(i);
  std::size_t turn = 0;
  std::uint64_t jobs = 0;
  for (const ElementFormat* source : {&formats::bf16, &formats::fp16}) {
    const std::vector<std::byte> words = to_bytes(*source, codes);
    for (const ElementFormat& destination : all_formats()) {
      if (!ElementPlan::make({*source, destination, {}})) continue;
      for (const Rounding rounding : stochastic_roundings()) {
        ElementPolicy policy;
        policy.rounding = rounding;
        policy.random_bits = std::array{1, 5, 16, 31}[turn % 4];
        const auto next = [&]<class Policy>(Policy& one) {
          one = tokens<Policy>()[turn++ % tokens<Policy>().size()].value;
        };
        next(policy.overflow);
        next(policy.nan);
        next(policy.zero_sign);
        next(policy.int_min);
        ++turn;  // five steps, prime to the lengths of most lists
        ++jobs;
        EXPECT_TRUE(elements_agree({*source, destination, policy}, words, turn))
            << source->name << " to " << destination.name << ", " << token_of(rounding);
      }
    }
  }
  EXPECT_GE(jobs, 96u);
}

// Words of binary32 whose cut bits just reach the carry with what is drawn for them, just do not,
// and go one beyond.
TEST(CpuDrawnElements, AgreeBesideEveryCarry) {
  MX_NEEDS_CPU_PATH();
  std::uint64_t jobs = 0;
  for (const ElementFormat* destination : {&formats::e4m3fn, &formats::e5m2, &formats::e2m1fn}) {
    const int cut = 23 - destination->man_bits;
    for (const Rounding rounding : stochastic_roundings()) {
      for (const int bits : {1, 2, 7, 16, 19}) {
        ElementPolicy policy;
        policy.rounding = rounding;
        policy.random_bits = bits;
        std::vector<std::uint32_t> codes;
        for (std::uint64_t i = 0; i < 30'000; ++i) {
          const std::uint32_t random = random_at(policy, i);
          const std::uint32_t carries = ((1U << bits) - random) << (cut - bits);
          const std::uint32_t half = cut > bits ? 1U << (cut - bits - 1) : 0;
          const std::array<std::uint32_t, 6> aims = {
              carries,        carries - 1,        carries + 1,
              carries - half, carries - half - 1, carries - half + 1};
          const std::uint32_t kept = static_cast<std::uint32_t>(i * 2654435761U) & 0x80FFFFFF;
          codes.push_back(((kept & ~((1U << cut) - 1)) | (aims[i % 6] & ((1U << cut) - 1))) +
                          0x3F000000);
        }
        ++jobs;
        EXPECT_TRUE(elements_agree({formats::fp32, *destination, policy},
                                   to_bytes(formats::fp32, codes), 0))
            << destination->name << ", " << token_of(rounding) << ", N = " << bits;
      }
    }
  }
  EXPECT_EQ(jobs, 60u);
}

// The generator's words beside those of the reference, the counter's upper half in use.
TEST(CpuDraws, AreThoseOfTheReference) {
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    const std::uint64_t q = i * 0x9E3779B97F4A7C15;
    const PhiloxBlock expected = philox4x32(
        {static_cast<std::uint32_t>(q), static_cast<std::uint32_t>(q >> 32), kDraws.tensor, 0},
        kDraws.seed + i);
    EXPECT_EQ(cpu::random_words({kDraws.seed + i, kDraws.tensor}, q), expected);
  }
}

}  // namespace
}  // namespace mx::fast::test
