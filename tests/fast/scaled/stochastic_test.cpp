// Stochastic roundings under real-valued scales by the CPU path: every rule, rounding and number of
// bits, elements at the thresholds of their own random words, every policy.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "fast/cpu/targets.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/element/encode.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/stochastic_words.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/sample.hpp"
#include "tests/fast/scaled/stochastic_judge.hpp"
#include "tests/fast/stimulus.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

constexpr std::array kBits = {1, 2, 3, 8, 16, 24, 31, 32};
/// Largest magnitudes of tensors: ordinary ones, the level of scale 1, the ends.
constexpr std::array kLevels = {0x40490FDBU, 0x45280000U, 0x3F800000U, 0x00000A80U, 0x7149F2CAU};
constexpr std::uint64_t kFarPlace = (std::uint64_t{1} << 34) - 1000;

class ScaledStochastic : public ::testing::TestWithParam<ScaledCase> {
 protected:
  [[nodiscard]] static const ElementFormat& source() { return std::get<0>(GetParam()); }
  [[nodiscard]] static ScaleRule rule() { return std::get<1>(GetParam()); }

  /// f(job, number) for every rounding and number of bits that has a path, at levels in turn.
  template <class Function>
  static std::size_t for_each_job(const Function& f) {
    std::size_t jobs = 0;
    std::size_t number = 0;
    for (const Rounding rounding : stochastic_roundings()) {
      for (const int bits : kBits) {
        const std::uint32_t amax = kLevels[number++ % kLevels.size()];
        const ScaledBlockJob job = stochastic_job(source(), rule(), amax, rounding, bits);
        if (!ScaledStochasticPlan::make(job)) continue;
        ++jobs;
        f(job, number);
      }
    }
    return jobs;
  }
};

TEST_P(ScaledStochastic, AgreeUnderEveryRoundingAndNumberOfBits) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  const std::size_t jobs = for_each_job([&](const ScaledBlockJob& job, std::size_t number) {
    const std::uint64_t first = number % 3 == 0 ? 0 : kFarPlace + number;
    compare_stochastic(job,
                       random_words(source(), number, std::size_t{32} * part(512, 4) - number % 16),
                       first, tally);
  });
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  // 32 bits have a path under stochastic_a alone; torchao divides by no tensor scale that small.
  EXPECT_GE(jobs, rule() == ScaleRule::kNvfp4Torchao ? 20u : 29u);
  EXPECT_GT(tally.elements, part(300'000, 5));
  EXPECT_THAT(empty_classes(tally, rule()), ::testing::IsEmpty());
}

/// The source word at or below a number.
std::uint64_t code_below(const ElementFormat& source, const Unpacked& x) {
  ElementPolicy down;
  down.rounding = Rounding::kTowardZero;
  return encode(x, source, down, 0).code;
}

/// Blocks under the scale of a maximum whose other elements lie around the place, between two
/// codes, from which on their own random words carry.
class AtThresholds {
 public:
  explicit AtThresholds(const ScaledBlockJob& job)
      : job_(job), quantizer_(Quantizer::make(config_of(job)).value()) {}

  void add_block(std::uint64_t maximum) {
    const std::array<std::uint64_t, 16> block = {maximum};
    std::array<std::uint64_t, 16> codes{};
    std::array<std::uint32_t, 16> random{};
    const std::uint64_t scale = quantizer_.quantize_block(block, random, codes).scale_code;
    const BlockFormat& format = job_.blocks.format;
    const Unpacked factor =
        multiply(decode(format.scale, scale), decode(formats::fp32, job_.tensor.scale));
    words_.push_back(static_cast<std::uint32_t>(maximum));
    while (words_.size() % 16 != 0) words_.push_back(next(factor, maximum));
  }

  [[nodiscard]] std::span<const std::uint32_t> words() const { return words_; }
  [[nodiscard]] std::uint64_t within() const { return within_; }

 private:
  std::uint32_t next(const Unpacked& factor, std::uint64_t maximum) {
    constexpr std::array<std::uint64_t, 9> kHalves = {0, 1, 2, 3, 4, 6, 8, 12, 16};
    const ElementPolicy& p = job_.blocks.element;
    const std::uint64_t turn = turn_++;
    const std::size_t code = turn % 8;
    const std::uint64_t r = random_at(p, words_.size());
    // R + fraction reaches 1; variant B looks half a unit further, C as much less.
    const int b = p.random_bits;
    std::uint64_t parts = 2 * ((std::uint64_t{1} << b) - r);
    if (p.rounding != Rounding::kStochasticA) parts -= 1;
    const std::uint64_t step = kHalves[code + 1] - kHalves[code];
    const std::uint64_t at = (kHalves[code] << (b + 1)) + step * parts;
    const auto sign = static_cast<std::uint32_t>(turn / 8 % 2 * job_.blocks.source.sign_bit());
    if (factor.cls != ValueClass::kFinite) return sign;
    const std::uint64_t middle =
        code_below(job_.blocks.source, multiply(unpack_integer(false, at, -b - 2), factor));
    const std::uint64_t near = middle + turn / 16 % 4;
    const std::uint64_t word = near == 0 ? 0 : near - 1;
    if (word > maximum) return sign;
    ++within_;
    return static_cast<std::uint32_t>(word) | sign;
  }

  const ScaledBlockJob& job_;
  Quantizer quantizer_;
  std::vector<std::uint32_t> words_;
  std::uint64_t turn_ = 0;
  std::uint64_t within_ = 0;
};

// Every rounding and number of bits, maxima of every eighth of the binades whose scales lie inside
// the range, elements two words below to two above what their own words decide.
TEST_P(ScaledStochastic, AgreeAtTheThresholdsOfTheirWords) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  std::uint64_t within = 0;
  static_cast<void>(for_each_job([&](const ScaledBlockJob& job, std::size_t number) {
    AtThresholds made(job);
    const int man_bits = source().man_bits;
    for (std::uint64_t field = 0; field << man_bits < source().inf_code(); ++field) {
      for (std::uint64_t eighth = 0; eighth < 8; ++eighth) {
        // A part: one of the eighths, another in each binade and each job.
        if (!runs_whole() && eighth != (3 * field + number) % 8) continue;
        made.add_block((field << man_bits) + (eighth << (man_bits - 3)) + field % 2);
      }
    }
    within += made.within();
    compare_stochastic(job, to_bytes(source(), made.words()), 0, tally);
  }));
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(within, part(source() == formats::fp16 ? 10'000 : 50'000, 9));
}

// What becomes of NaN, infinities, zeros and the ends of the range.
TEST_P(ScaledStochastic, AgreeUnderEveryPolicy) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  std::size_t plans = 0;
  const auto judge = [&](const auto& values, const auto& set) {
    for (const auto& each : values) {
      ScaledBlockJob job = stochastic_job(source(), rule(), 0x45280000, Rounding::kStochasticA, 4);
      set(job.blocks, each.value);
      if (!ScaledStochasticPlan::make(job)) continue;
      ++plans;
      compare_stochastic(job, random_words(source(), plans, std::size_t{32} * 256), plans, tally);
    }
  };
  judge(tokens<Overflow>(), [](BlockJob& j, Overflow v) { j.element.overflow = v; });
  judge(tokens<NanPolicy>(), [](BlockJob& j, NanPolicy v) {
    j.element.nan = v;
    j.block.amax_over = AmaxOver::kFiniteOnly;
  });
  judge(tokens<ZeroSign>(), [](BlockJob& j, ZeroSign v) { j.element.zero_sign = v; });
  judge(tokens<AmaxOver>(), [](BlockJob& j, AmaxOver v) { j.block.amax_over = v; });
  judge(tokens<InfBlock>(), [](BlockJob& j, InfBlock v) {
    j.block.inf_block = v;
    j.block.amax_over = AmaxOver::kIgnoreNan;
  });
  judge(tokens<ZeroBlockScale>(),
        [](BlockJob& j, ZeroBlockScale v) { j.block.zero_block_scale = v; });
  judge(tokens<ScaleFloor>(), [](BlockJob& j, ScaleFloor v) { j.block.scale_floor = v; });
  judge(tokens<NanScaleCodes>(), [](BlockJob& j, NanScaleCodes v) { j.block.nan_scale_codes = v; });
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GE(plans, 20u);
}

INSTANTIATE_TEST_SUITE_P(All, ScaledStochastic,
                         ::testing::Combine(::testing::Values(formats::fp32, formats::bf16,
                                                              formats::fp16),
                                            ::testing::ValuesIn(stochastic_rules())),
                         name_of_case);

// A search draws nothing: the plan that has no words answers.
TEST(ScaledStochasticSearch, AgreesWithoutWords) {
  MX_NEEDS_CPU_PATH();
  ScaledBlockJob job = nvfp4_job(formats::fp32, ScaleRule::kNvfp4Ggml);
  job.blocks.element.rounding = Rounding::kStochasticA;
  job.blocks.element.random_bits = 8;
  CpuTally tally;
  const std::vector<std::byte> words = random_words(formats::fp32, 5, 4096);
  const StochasticAnswer expected = reference_line(job, words, 0, tally);
  std::vector<std::byte> codes(4096);
  std::vector<std::byte> scales(256);
  ASSERT_TRUE(ScaledBlockPlan::make(job).value().quantize({1, 4096, 1}, words, codes, scales));
  EXPECT_EQ(codes, expected.codes);
  EXPECT_EQ(scales, expected.scales);
}

// The scale format of five exponent bits, without a tensor scale.
TEST(ScaledStochasticFormats, AgreeUnderUe5m3) {
  MX_NEEDS_CPU_PATH();
  CpuTally tally;
  for (const ElementFormat* source : {&formats::fp32, &formats::bf16, &formats::fp16}) {
    for (const char* const name : {"e2m1_ue5m3_k16", "e2m1_ue5m3_k32"}) {
      for (const Rounding rounding : stochastic_roundings()) {
        ScaledBlockJob job = nvfp4_job(*source, ScaleRule::kNvfp4Exact);
        job.blocks.format = *find_block_format(name);
        job.blocks.element.rounding = rounding;
        job.blocks.element.random_bits = 16;
        compare_stochastic(job, random_words(*source, 12, std::size_t{32} * 1024), 5, tally);
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, 500'000u);
}

}  // namespace
}  // namespace mx::fast::test
