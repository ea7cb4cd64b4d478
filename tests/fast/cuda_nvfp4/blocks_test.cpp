// NVFP4 of the CUDA path: rules, sources, tensor numbers, layouts, there and back; one body for the
// host program and the device program.
#include <gtest/gtest.h>

#include "reference/format/rows.hpp"
#include "tests/fast/backend.hpp"
#include "tests/fast/cuda_nvfp4/judge.hpp"
#include "tests/fast/cuda_nvfp4/status.hpp"
#include "tests/fast/judge.hpp"
#include "tests/support/print.hpp"

namespace mx::fast::test {
namespace {

/// Largest magnitudes of tensors: near 1, of which the scale is a power of two, of any fraction, at
/// both ends of binary32.
constexpr std::uint32_t kAmaxes[] = {0x3F800000, 0x45280000, 0x40490FDB, 0x4479C000, 0x3DCCCCCD,
                                     0x7F7FFFFF, 0x7E000001, 0x00800000, 0x00000007, 0x00000000};

StreamTally quantized(ScaleRule rule) {
  StreamTally tally;
  std::uint64_t seed = static_cast<std::uint64_t>(rule) * 100;
  for (const ElementFormat* source : ocp_sources()) {
    for (const std::uint32_t amax : kAmaxes) {
      const Nvfp4Case one = nvfp4_case(*source, rule, amax);
      const StreamLayout layout{{40, 400, 1}, false, true, seed % 2 == 0};
      const bool by_pointer = seed % 3 == 0;
      compare_nvfp4(one, layout, nvfp4_words(*source, ++seed, layout.shape.elements(), amax),
                    nvfp4_backend(), by_pointer, tally);
      // Words that the tensor's number was not made for: scales and elements saturate.
      compare_nvfp4(one, layout, random_words(*source, ++seed, layout.shape.elements()),
                    nvfp4_backend(), by_pointer, tally);
    }
  }
  for (std::uint32_t i = 0; i < 40; ++i) {
    const Nvfp4Case one = nvfp4_case(formats::fp32, rule, 0x3F800000 + i * 0x004CCCCD);
    compare_nvfp4(one, {{1, 8000, 1}, false, true, false}, nvfp4_ties(one, i, 500), nvfp4_backend(),
                  i % 2 == 0, tally);
  }
  return tally;
}

TEST(CudaNvfp4Scales, AreRoundedOnceFromTheWholeQuotient) {
  StreamTally tally;
  compare_nvfp4_sticky(nvfp4_backend(), tally);
  EXPECT_EQ(tally.elements, 16u);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
}

class CudaNvfp4 : public ::testing::TestWithParam<ScaleRule> {};

TEST_P(CudaNvfp4, AgreesWithTheReference) {
  const StreamTally tally = quantized(GetParam());
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GE(tally.elements, 1'200'000u);
  EXPECT_EQ(missing_status(tally, GetParam(), 100), "");
}

TEST_P(CudaNvfp4, AgreesInEveryLayout) {
  StreamTally tally;
  DequantizeTally back;
  std::uint64_t seed = 1;
  for (const ElementFormat* source : ocp_sources()) {
    for (const BlockLayout& shape :
         {BlockLayout{3, 70, 1}, BlockLayout{2, 40, 33}, BlockLayout{130, 160, 1},
          BlockLayout{1, 64, 96}, BlockLayout{5, 1, 7}}) {
      for (const int block_size : {16, 32, 5}) {
        const Nvfp4Case one = nvfp4_case(*source, GetParam(), 0x40490FDB, block_size);
        for (const int flags : {0, 1, 2, 3, 4, 5, 6, 7}) {
          const StreamLayout layout{shape, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0};
          if (!Nvfp4Plan::make(one.job).value().layout_problem(layout).empty()) continue;
          compare_nvfp4(one, layout, nvfp4_words(*source, ++seed, shape.elements(), 0x40490FDB),
                        nvfp4_backend(), false, tally);
          if (GetParam() == ScaleRule::kNvfp4Exact) {
            compare_nvfp4_back(one, layout, nvfp4_backend(), back);
          }
        }
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_EQ(back.mismatches, 0u) << back.first;
  EXPECT_GT(tally.elements, 500'000u);
}

// Transformed blocks: tensor numbers at both ends of binary32, where sums overflow and vanish.
TEST_P(CudaNvfp4, AgreesUnderHadamardTransforms) {
  StreamTally tally;
  std::uint64_t seed = static_cast<std::uint64_t>(GetParam()) * 100 + 50;
  for (const ElementFormat* source : ocp_sources()) {
    for (const std::uint32_t amax : kAmaxes) {
      for (const StreamLayout& layout : {StreamLayout{{40, 400, 1}, false, true, seed % 2 == 0},
                                         StreamLayout{{1, 96, 80}, true, true, seed % 2 == 1},
                                         StreamLayout{{2, 48, 5}, seed % 2 == 0, false, false}}) {
        const Nvfp4Case one = transformed(nvfp4_case(*source, GetParam(), amax),
                                          static_cast<std::uint16_t>(seed * 0x9E37), seed % 2 == 0);
        const bool by_pointer = seed % 3 == 0;
        compare_nvfp4(one, layout, nvfp4_words(*source, ++seed, layout.shape.elements(), amax),
                      nvfp4_backend(), by_pointer, tally);
        compare_nvfp4(one, layout, random_words(*source, ++seed, layout.shape.elements()),
                      nvfp4_backend(), by_pointer, tally);
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, 1'000'000u);
  EXPECT_EQ(missing_status(tally, GetParam(), 100), "");
}

INSTANTIATE_TEST_SUITE_P(All, CudaNvfp4, ::testing::ValuesIn(nvfp4_rules()),
                         [](const auto& each) { return std::string(token_of(each.param)); });

// Every code under every scale, with tensor scales at both ends of binary32.
TEST(CudaNvfp4Back, AgreesOnEveryCodeUnderEveryScale) {
  DequantizeTally tally;
  for (const ElementFormat* words : ocp_sources()) {
    for (const std::uint32_t amax : kAmaxes) {
      const Nvfp4Case one = nvfp4_case(*words, ScaleRule::kNvfp4Exact, amax);
      compare_nvfp4_back(one, {{128, 16, 1}, false, true, false}, nvfp4_backend(), tally);
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_EQ(tally.elements, 3u * 10 * 128 * 16);
  for (const WordClass one : {WordClass::kZero, WordClass::kNegativeZero, WordClass::kSubnormal,
                              WordClass::kInfinity, WordClass::kNan}) {
    EXPECT_GT(tally.classes[static_cast<std::size_t>(one)], 50u) << name_of(one);
  }
}

// Negative control: one wrong bit of a word, and a tensor number one ulp off, are seen.
TEST(CudaNvfp4Judge, SeesOneWrongWordAndAWrongTensorScale) {
  const Nvfp4Case one = nvfp4_case(formats::fp32, ScaleRule::kNvfp4Exact, 0x40490FDB);
  const StreamLayout layout{{40, 400, 1}, false, true, false};
  const auto words = nvfp4_words(formats::fp32, 7, layout.shape.elements(), 0x40490FDB);
  for (const bool is_word : {true, false}) {
    Nvfp4Runner wrong = nvfp4_backend();
    wrong.quantize = [&](const Nvfp4Plan& plan, const StreamLayout& where,
                         std::span<const std::byte> source, StreamAnswer& results,
                         const std::uint32_t*, const StreamRandom& random) {
      std::vector<std::byte> other(source.begin(), source.end());
      if (is_word) other[4 * 33 + 3] ^= std::byte{0x80};
      const std::uint32_t tensor = one.job.tensor + (is_word ? 0 : 4096);
      return nvfp4_backend().quantize(plan, where, other, results, &tensor, random);
    };
    StreamTally tally;
    compare_nvfp4(one, layout, words, wrong, false, tally);
    EXPECT_GE(tally.mismatches, 2u);
  }
}

TEST(CudaNvfp4Plan, SaysWhatItDoesNotTake) {
  const Nvfp4Job job = nvfp4_case(formats::bf16, ScaleRule::kNvfp4Te, 0x3F800000).job;
  const Nvfp4Plan plan = Nvfp4Plan::make(job).value();
  EXPECT_EQ(plan.kernel({{7, 96, 1}, false, true}), "rows");
  EXPECT_EQ(plan.kernel({{1, 96, 32}, true, true}), "columns");
  EXPECT_EQ(plan.kernel({{1, 96, 33}, true, true}), "general");
  const std::vector<std::function<void(Nvfp4Job&)>> changes = {
      [](Nvfp4Job& j) { j.source = formats::fp64; },
      [](Nvfp4Job& j) { j.format.element = formats::e4m3fn; },
      [](Nvfp4Job& j) { j.format.scale = formats::e8m0; },
      [](Nvfp4Job& j) { j.block.rule = ScaleRule::kFloor; },
      [](Nvfp4Job& j) {
        j.block.rule = ScaleRule::kNvfp44over6;
        j.element.rounding = Rounding::kStochasticA;
      },
      [](Nvfp4Job& j) { j.block.scale_floor = ScaleFloor::kMinNormal; },
      [](Nvfp4Job& j) {
        j.element.rounding = Rounding::kStochasticA;
        j.element.random_bits = 33;
      },
      [](Nvfp4Job& j) { j.element.overflow = Overflow::kPropagateInf; },
      [](Nvfp4Job& j) { j.tensor = 0x7F800000; }};
  for (const auto& change : changes) {
    Nvfp4Job other = job;
    change(other);
    const Checked<Nvfp4Plan> none = Nvfp4Plan::make(other);
    ASSERT_FALSE(none);
    EXPECT_TRUE(none.problem().starts_with("no fast path: ")) << none.problem();
  }
  EXPECT_FALSE(plan.draws());
  Nvfp4Job drawn = job;
  drawn.element.rounding = Rounding::kStochasticB;
  EXPECT_TRUE(Nvfp4Plan::make(drawn).value().draws());
  Nvfp4Job wide = job;
  wide.format.block_size = 32;
  wide.hadamard = {0xD7E8, false};
  EXPECT_FALSE(Nvfp4Plan::make(wide));
  const Nvfp4Plan turned = plan.with_hadamard({0xD7E8, false}).value();
  EXPECT_NE(turned.layout_problem({{3, 40, 1}}), "");
  EXPECT_EQ(turned.layout_problem({{3, 48, 1}}), "");
  std::array<std::byte, 64> bytes{};
  EXPECT_EQ(plan.quantize_on_host({{1, 16, 1}}, nullptr, {bytes.data(), bytes.data()}).error,
            Error::kBadPointer);
  EXPECT_EQ(plan.quantize_on_host({{3, 7, 5}, false, false, true}, bytes.data(),
                                  {bytes.data(), bytes.data()})
                .error,
            Error::kBadLayout);
  const Nvfp4Job torchao = nvfp4_case(formats::bf16, ScaleRule::kNvfp4Torchao, 0x3F800000).job;
  EXPECT_EQ(Nvfp4Plan::make(torchao)
                .value()
                .dequantize_on_host({{1, 16, 1}}, {bytes.data(), bytes.data()}, bytes.data())
                .error,
            Error::kUnsupportedFormat);
}

}  // namespace
}  // namespace mx::fast::test
