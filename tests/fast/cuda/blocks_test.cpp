// Blocks by the CUDA path against the reference: every source, element format, rule, rounding and
// policy; codes, scales and status words. One body for the host program and the device program.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <tuple>

#include "fast/cuda/arithmetic.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "tests/fast/backend.hpp"
#include "tests/fast/cuda/judge.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/stimulus.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

using Formats = std::tuple<ElementFormat, ElementFormat>;

class CudaBlocks : public ::testing::TestWithParam<Formats> {
 protected:
  [[nodiscard]] const ElementFormat& source() const { return std::get<0>(GetParam()); }
  [[nodiscard]] const ElementFormat& element() const { return std::get<1>(GetParam()); }
};

std::string name_of_formats(const ::testing::TestParamInfo<Formats>& info) {
  return fmt::format("{}To{}", std::get<0>(info.param).name, std::get<1>(info.param).name);
}

void expect_agreement(const StreamTally& tally, std::uint64_t floor) {
  EXPECT_GE(tally.elements, floor);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

void expect_every_class(const ElementFormat& source, const StreamTally& tally) {
  for (std::size_t bit = 8; bit < 14; ++bit) {
    // binary16 has no value small enough for a clamped scale.
    if (1u << bit == cuda::kScaleClamped && source == formats::fp16) continue;
    EXPECT_GT(tally.status_bits[bit], 50u) << "status bit " << bit;
  }
}

StreamLayout line_of(std::size_t elements) { return {{1, elements, 1}}; }

// The stimulus is dealt out over the configurations: each rule and rounding sees its share of the
// thresholds of all scales, and of all random classes. Stochastic ones at several widths.
TEST_P(CudaBlocks, AgreeUnderEveryRuleAndRounding) {
  const std::vector<std::uint32_t> codes = hard_blocks(source(), element());
  const std::vector<std::byte> words = to_bytes(source(), codes);
  const std::size_t block = 32 * storage_bytes(source());
  // 13 roundings with 5 rules: coprime to the 32 lanes of the stimulus' periods.
  const std::size_t hands = stream_rules().size() * tokens<Rounding>().size();
  StreamTally tally;
  std::size_t hand = 0;
  for (const ScaleRule rule : stream_rules()) {
    for (const auto& rounding : tokens<Rounding>()) {
      BlockJob job = stream_job(source(), element());
      job.block.rule = rule;
      job.element.rounding = rounding.value;
      job.element.random_bits = std::array{16, 1, 32, 8, 31}[hand % 5];
      std::vector<std::byte> dealt;
      for (std::size_t b = hand++; b * block < words.size(); b += hands) {
        const auto at = words.begin() + static_cast<std::ptrdiff_t>(b * block);
        dealt.insert(dealt.end(), at, at + static_cast<std::ptrdiff_t>(block));
      }
      compare_stream(job, line_of(dealt.size() / storage_bytes(source())), dealt, stream_backend(),
                     tally, {nullptr, 0x6D78676F6C64 + hand, static_cast<std::uint32_t>(hand)});
    }
  }
  expect_agreement(tally, codes.size());
  expect_every_class(source(), tally);
  RecordProperty("elements", fmt::format("{}", tally.elements));
}

INSTANTIATE_TEST_SUITE_P(
    All, CudaBlocks,
    ::testing::Combine(::testing::Values(formats::fp32, formats::bf16, formats::fp16),
                       ::testing::Values(formats::e4m3fn, formats::e5m2, formats::e3m2fn,
                                         formats::e2m3fn, formats::e2m1fn, formats::int8)),
    name_of_formats);

// Random words where they decide: at the thresholds of a carry and beside them, given one by one.
TEST(CudaStochastic, AgreesAtEveryCarry) {
  StreamTally tally;
  for (const auto& rounding : tokens<Rounding>()) {
    if (!is_stochastic(rounding.value)) continue;
    for (const int bits : {1, 2, 5, 8, 13, 24, 32}) {
      BlockJob job = stream_job(formats::fp32, formats::e2m1fn);
      job.element.rounding = rounding.value;
      job.element.random_bits = bits;
      const std::vector<std::byte> words =
          random_words(formats::fp32, static_cast<std::uint64_t>(bits), 8192);
      std::vector<std::uint32_t> random(8192);
      const std::uint64_t top = (std::uint64_t{1} << bits) - 1;
      for (std::size_t i = 0; i < random.size(); ++i) {
        // The fraction of a two-bit significand, and its complement, which carries or just fails
        // to.
        std::uint32_t word = 0;
        std::memcpy(&word, words.data() + 4 * i, 4);
        const std::uint64_t fraction = (std::uint64_t{word} << 42) >> (64 - bits);
        const std::uint64_t near = top - fraction + i % 3;
        random[i] = static_cast<std::uint32_t>(i % 4 == 3 ? word & top : std::min(near, top));
      }
      compare_stream(job, line_of(8192), words, stream_backend(), tally, {random.data(), 0, 0});
    }
  }
  expect_agreement(tally, std::uint64_t{4} * 7 * 8192);
}

// Other element and scale formats, and the policies of blocks.
TEST(CudaBlockPolicies, Agree) {
  StreamTally tally;
  std::uint64_t jobs = 0;
  const std::vector<std::byte> words = random_words(formats::fp32, 5, std::size_t{1024} * 32);
  for (const BlockFormat& format : all_block_formats()) {
    std::size_t turn = 0;
    for (const ScaleRule rule : stream_rules()) {
      for (const auto& rounding : tokens<Rounding>()) {
        turn += 3;  // with the picks 11 in all, prime to the lengths of all lists
        BlockJob job{.source = formats::fp32, .format = format, .element = {}, .block = {}};
        job.block.rule = rule;
        job.element.rounding = rounding.value;
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
        const QuantizerConfig config{
            .source = job.source, .format = job.format, .element = job.element, .block = job.block};
        if (!StreamPlan::make(job) || !Quantizer::problem(config).empty()) continue;
        ++jobs;
        compare_stream(job, line_of(std::size_t{1024} * 32), words, stream_backend(), tally);
        ASSERT_EQ(tally.mismatches, 0u) << format.name << ": " << tally.first;
      }
    }
  }
  EXPECT_GT(jobs, 300u);
  expect_agreement(tally, 10'000'000);
}

// Negative control: one wrong word of the source is seen.
TEST(CudaJudge, SeesOneWrongWord) {
  const BlockJob job = stream_job(formats::fp32, formats::e4m3fn);
  const std::vector<std::byte> words = random_words(formats::fp32, 3, 4096);
  StreamTally tally;
  compare_stream(
      job, line_of(4096), words,
      [](const StreamPlan& plan, const StreamLayout& layout, std::span<const std::byte> source,
         std::span<std::byte> codes, std::span<std::byte> scales, std::span<std::uint16_t> status,
         const StreamRandom& random) {
        std::vector<std::byte> other(source.begin(), source.end());
        other[4 * 33 + 3] ^= std::byte{0x80};  // the sign of a lane
        return stream_backend()(plan, layout, other, codes, scales, status, random);
      },
      tally);
  EXPECT_EQ(tally.mismatches, 2u);  // with and without status
}

}  // namespace
}  // namespace mx::fast::test
