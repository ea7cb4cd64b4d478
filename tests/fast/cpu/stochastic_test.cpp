// Stochastic roundings by the CPU path, on every set of vector instructions, against the reference
// with the words of the counter-based generator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fast/cpu/targets.hpp"
#include "fast/stochastic/stochastic_plan.hpp"
#include "golden/config_word/config_word.hpp"
#include "reference/format/rows.hpp"
#include "tests/fast/cpu/guarded.hpp"
#include "tests/fast/cpu/judge.hpp"
#include "tests/fast/cpu/stochastic_words.hpp"
#include "tests/fast/judge.hpp"
#include "tests/fast/stimulus.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

struct Blocks {
  std::vector<std::byte> codes;
  std::vector<std::byte> scales;
  std::vector<std::uint16_t> status;
  bool operator==(const Blocks&) const = default;
};

/// One line of blocks by the reference, whose first element has the place `first` in its tensor.
Blocks reference_line(const BlockJob& job, std::span<const std::byte> words, std::uint64_t first) {
  const Quantizer quantizer = Quantizer::make(config_of(job)).value();
  const std::size_t width = storage_bytes(job.source);
  const std::size_t elements = words.size() / width;
  const auto block = static_cast<std::size_t>(job.format.block_size);
  Blocks answer;
  std::vector<std::uint64_t> in;
  std::vector<std::uint32_t> random;
  std::vector<std::uint64_t> out;
  for (std::size_t i = 0; i < elements; i += block) {
    in.clear();
    random.clear();
    for (std::size_t k = i; k < std::min(i + block, elements); ++k) {
      in.push_back(word_at(words, k, width));
      random.push_back(random_at(job.element, first + k));
    }
    out.resize(in.size());
    const BlockResult result = quantizer.quantize_block(in, random, out);
    for (const std::uint64_t code : out) answer.codes.push_back(static_cast<std::byte>(code));
    answer.scales.push_back(static_cast<std::byte>(result.scale_code));
    answer.status.push_back(golden::status_of(result));
  }
  return answer;
}

/// A call of the plan; empty where it refused or wrote beside its spans.
Blocks plan_blocks(const BlockJob& job, const BlockLayout& layout, std::span<const std::byte> words,
                   const Draws& draws, std::uint64_t first, int threads, bool with_status) {
  const StochasticBlockPlan plan = StochasticBlockPlan::make(job).value();
  const std::size_t blocks = layout.blocks(static_cast<std::size_t>(job.format.block_size));
  Guarded codes(layout.elements());
  Guarded scales(blocks);
  Blocks answer;
  answer.status.resize(with_status ? blocks : 0);
  if (!plan.quantize(layout, draws, words, codes.span(), scales.span(), answer.status, threads,
                     first) ||
      !codes.guards_hold() || !scales.guards_hold()) {
    return {};
  }
  answer.codes.assign(codes.span().begin(), codes.span().end());
  answer.scales.assign(scales.span().begin(), scales.span().end());
  return answer;
}

/// Elements compared; a difference is a failure of the test.
std::uint64_t compare_stochastic(const BlockJob& job, std::span<const std::byte> words,
                                 std::uint64_t first) {
  Blocks expected = reference_line(job, words, first);
  const BlockLayout layout{1, expected.codes.size(), 1};
  const GivenWords given(job.element, first, expected.codes.size());
  for (const std::string_view target : cpu_targets()) {
    const OnlyCpuTarget only(target);
    const std::string context =
        fmt::format("{} to {}, {}, N = {}, from {}, {}", job.source.name, job.format.element.name,
                    token_of(job.element.rounding), job.element.random_bits, first, target);
    EXPECT_TRUE(plan_blocks(job, layout, words, kDraws, first, 1, true) == expected) << context;
    const Blocks plain = plan_blocks(job, layout, words, kDraws, first, 1, false);
    EXPECT_TRUE(plain.codes == expected.codes && plain.scales == expected.scales) << context;
    EXPECT_TRUE(plan_blocks(job, layout, words, given.draws(), given.first, 1, true) == expected)
        << context << ", words given";
  }
  return expected.codes.size();
}

using Formats = std::tuple<ElementFormat, ElementFormat>;
class CpuDrawnBlocks : public ::testing::TestWithParam<Formats> {};

// Every rounding and number of bits sees its share of the thresholds of all scales and of all
// random classes, at places in the tensor that are no multiples of four and beyond 2^34.
TEST_P(CpuDrawnBlocks, AgreeUnderEveryRoundingAndNumberOfBits) {
  MX_NEEDS_CPU_PATH();
  const auto& [source, element] = GetParam();
  std::vector<std::uint32_t> codes;
  const Sink keep = [&](std::span<const std::uint32_t> piece) {
    codes.insert(codes.end(), piece.begin(), piece.end());
  };
  thresholds_at_every_scale(source, element, keep);
  random_blocks(source, 17, 4096, keep);
  const std::vector<std::byte> words = to_bytes(source, codes);
  const std::size_t block = 32 * storage_bytes(source);
  const std::size_t blocks = words.size() / block;
  std::uint64_t compared = 0;
  std::size_t hand = 0;
  constexpr std::array kBits = {1, 2, 3, 8, 16, 24, 31, 32};
  const std::size_t hands = stochastic_roundings().size() * kBits.size();
  for (const Rounding rounding : stochastic_roundings()) {
    for (const int bits : kBits) {
      BlockJob job = default_job(source, element);
      job.element.rounding = rounding;
      job.element.random_bits = bits;
      job.block.rule = path_rules()[hand % path_rules().size()];
      const std::size_t offset = hand++;
      if (!StochasticBlockPlan::make(job)) {
        EXPECT_TRUE(bits == 32 && rounding != Rounding::kStochasticA);
        continue;
      }
      std::vector<std::byte> dealt;
      for (std::size_t b = offset; b < blocks; b += hands) {
        const auto at = words.begin() + static_cast<std::ptrdiff_t>(b * block);
        dealt.insert(dealt.end(), at, at + static_cast<std::ptrdiff_t>(block));
      }
      dealt.resize(dealt.size() - (offset % 32) * storage_bytes(source));
      const std::uint64_t first = offset % 3 == 0 ? 0 : (std::uint64_t{1} << 34) - 1000 + offset;
      compared += compare_stochastic(job, dealt, first);
    }
  }
  EXPECT_GT(compared, codes.size() * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(
    All, CpuDrawnBlocks,
    ::testing::Combine(::testing::Values(formats::fp32, formats::bf16, formats::fp16),
                       ::testing::Values(formats::e4m3fn, formats::e5m2, formats::e3m2fn,
                                         formats::e2m3fn, formats::e2m1fn, formats::int8)),
    [](const auto& each) {
      return fmt::format("{}To{}", std::get<0>(each.param).name, std::get<1>(each.param).name);
    });

// Axes, block sizes and threads against the reference's tensors.
TEST(CpuDrawnLayouts, AgreeWithTensors) {
  MX_NEEDS_CPU_PATH();
  std::uint64_t compared = 0;
  for (const BlockLayout& layout :
       {BlockLayout{3, 70, 1}, BlockLayout{2, 40, 33}, BlockLayout{5, 1, 7},
        BlockLayout{1, 100, 67}, BlockLayout{4, 96, 1}, BlockLayout{1, 200'003, 1}}) {
    std::vector<std::uint32_t> codes;
    random_blocks(formats::fp32, 3, layout.elements() / 32 + 1,
                  [&](std::span<const std::uint32_t> piece) {
                    codes.insert(codes.end(), piece.begin(), piece.end());
                  });
    codes.resize(layout.elements());
    const std::vector<std::byte> words = to_bytes(formats::fp32, codes);
    for (const int block_size : {1, 5, 16, 32, 64, 1024}) {
      BlockJob job = default_job(formats::fp32, formats::e4m3fn);
      job.format.block_size = block_size;
      job.element.rounding = Rounding::kStochasticA;
      const Quantizer quantizer = Quantizer::make(config_of(job)).value();
      const std::array<std::uint64_t, 3> dims = {layout.outer, layout.length, layout.inner};
      const BlockedShape shape = BlockedShape::make(dims, 1, block_size).value();
      std::vector<std::byte> expected(shape.elements);
      std::vector<std::byte> scales(shape.scales);
      static_cast<void>(quantize_tensor(quantizer, shape, Tail::kShort, words,
                                        {kDraws.seed, kDraws.tensor}, expected, scales)
                            .value());
      compared += expected.size();
      const GivenWords given(job.element, 0, expected.size());
      for (const std::string_view target : cpu_targets()) {
        const OnlyCpuTarget only(target);
        for (const int threads : {1, 3}) {
          for (const Draws& draws : {kDraws, given.draws()}) {
            const Blocks got = plan_blocks(job, layout, words, draws, 0, threads, false);
            EXPECT_TRUE(got.codes == expected && got.scales == scales)
                << target << ' ' << layout.length << " x " << layout.inner << " by " << block_size;
          }
        }
      }
    }
  }
  EXPECT_GT(compared, 1'000'000u);
}

// Negative control: another seed, in either half, another tensor, another place or another number
// of bits is another answer.
TEST(CpuDraws, AllOfThemCount) {
  MX_NEEDS_CPU_PATH();
  std::vector<std::uint32_t> codes;
  for (std::uint32_t i = 0; i < 4096; ++i) codes.push_back(0x3F800000 + i * 0x1234567 % 0x800000);
  const std::vector<std::byte> words = to_bytes(formats::fp32, codes);
  BlockJob job = default_job(formats::fp32, formats::e4m3fn);
  job.element.rounding = Rounding::kStochasticA;
  job.element.random_bits = 3;
  const BlockLayout layout{1, 4096, 1};
  const auto under = [&](const Draws& draws, std::uint64_t first) {
    return plan_blocks(job, layout, words, draws, first, 1, false).codes;
  };
  const std::vector<std::byte> expected = under(kDraws, 0);
  ASSERT_EQ(expected.size(), 4096u);
  EXPECT_EQ(under(kDraws, 0), expected);
  EXPECT_TRUE(under({kDraws.seed ^ 1, kDraws.tensor}, 0) != expected);
  EXPECT_TRUE(under({kDraws.seed ^ std::uint64_t{1} << 63, kDraws.tensor}, 0) != expected);
  EXPECT_TRUE(under({kDraws.seed, kDraws.tensor ^ 1}, 0) != expected);
  EXPECT_TRUE(under(kDraws, 1) != expected);
  EXPECT_TRUE(under(kDraws, std::uint64_t{1} << 34) != expected);
  for (const int bits : {2, 4}) {
    job.element.random_bits = bits;
    EXPECT_TRUE(under(kDraws, 0) != expected) << bits;
  }
  job.element.random_bits = 3;
  GivenWords given(job.element, 0, codes.size());
  EXPECT_EQ(under(given.draws(), 0), expected);
  for (std::size_t i = 4001; i < given.words.size(); ++i) given.words[i] ^= 7;
  const std::vector<std::byte> other = under(given.draws(), 0);
  EXPECT_TRUE(other != expected);
  EXPECT_TRUE(std::equal(other.begin(), other.begin() + 4001, expected.begin()));
  for (const Rounding rounding : {Rounding::kStochasticB, Rounding::kStochasticC}) {
    job.element.rounding = rounding;
    EXPECT_TRUE(under(kDraws, 0) != expected) << token_of(rounding);
  }
}

TEST(CpuDrawnPlan, SaysWhyThereIsNone) {
  MX_NEEDS_CPU_PATH();
  BlockJob job = default_job(formats::fp32, formats::e4m3fn);
  EXPECT_EQ(StochasticBlockPlan::make(job).problem(), "no fast path: the rounding draws nothing");
  job.element.rounding = Rounding::kStochasticB;
  EXPECT_TRUE(StochasticBlockPlan::make(job));
  EXPECT_EQ(BlockPlan::make(job).problem(), "no fast path: the rounding is stochastic");
  for (const int bits : {0, 32, 33}) {
    job.element.random_bits = bits;
    EXPECT_EQ(StochasticBlockPlan::make(job).problem(), "no fast path: random_bits") << bits;
  }
  job.element.random_bits = 31;
  const StochasticBlockPlan plan = StochasticBlockPlan::make(job).value();
  const std::vector<std::byte> words(264);
  std::vector<std::byte> codes(66);
  std::vector<std::byte> scales(3);
  EXPECT_TRUE(plan.quantize({1, 66, 1}, {}, words, codes, scales));
  EXPECT_FALSE(plan.quantize({1, 65, 1}, {}, words, codes, scales));
  EXPECT_FALSE(plan.quantize({1, 66, 1}, {}, words, codes, std::span(scales).first(2)));
  const std::vector<std::uint32_t> given(70);
  const auto takes = [&](std::size_t count, std::uint64_t first) {
    return plan.quantize({1, 66, 1}, {.given = std::span(given).first(count)}, words, codes, scales,
                         {}, 1, first);
  };
  EXPECT_TRUE(takes(66, 0));
  EXPECT_TRUE(takes(70, 4));
  EXPECT_FALSE(takes(65, 0)) << "a word short";
  EXPECT_FALSE(takes(70, 5));
  EXPECT_FALSE(takes(70, ~std::uint64_t{0})) << "a place beyond every word";
}

}  // namespace
}  // namespace mx::fast::test
