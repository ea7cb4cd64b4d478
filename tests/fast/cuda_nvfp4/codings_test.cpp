// NVFP4 of the CUDA path where elements are not coded by thresholds: roundings that carry,
// searches, two candidate scales; one body for the host program and the device program.
#include <gtest/gtest.h>

#include <array>

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

class CudaNvfp4Rounded : public ::testing::TestWithParam<ScaleRule> {};

// Every rounding but that by thresholds, and numbers of random bits; elements where their own words
// carry them, blocks of every class, and words whose scales saturate.
TEST_P(CudaNvfp4Rounded, AgreesUnderEveryRounding) {
  StreamTally tally;
  std::uint64_t at_places = 0;
  std::uint64_t seed = static_cast<std::uint64_t>(GetParam()) * 1000;
  std::size_t cases = 0;
  for (const auto& each : tokens<Rounding>()) {
    if (each.value == Rounding::kTiesToEven) continue;
    for (const int bits : {16, 1, 2, 3, 8, 24, 31, 32}) {
      if (!is_stochastic(each.value) && bits != 16) continue;
      const std::uint32_t amax = kAmaxes[++cases % std::size(kAmaxes)];
      const ElementFormat& source = *ocp_sources()[cases % 3];
      const Nvfp4Case one = rounded(nvfp4_case(source, GetParam(), amax), each.value, bits);
      for (const StreamLayout& layout :
           {StreamLayout{{10, 400, 1}, false, true, false},
            StreamLayout{{2, 37, 30}, cases % 2 == 0, false, cases % 4 == 0}}) {
        compare_nvfp4(one, layout, nvfp4_words(source, ++seed, layout.shape.elements(), amax),
                      nvfp4_backend(), cases % 3 == 0, tally);
        compare_nvfp4(one, layout, random_words(source, ++seed, layout.shape.elements()),
                      nvfp4_backend(), false, tally);
      }
      const Nvfp4Case near =
          rounded(nvfp4_case(formats::fp32, GetParam(),
                             0x3F800000 + static_cast<std::uint32_t>(cases) * 0x2CCCCD),
                  each.value, bits);
      compare_nvfp4(near, {{1, 8000, 1}, false, true, false},
                    nvfp4_places(near, ++seed, 500, at_places), nvfp4_backend(), false, tally);
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_EQ(cases, 8u + 4 * 8);
  EXPECT_GT(tally.elements, 800'000u);
  EXPECT_GT(at_places, 200'000u);
  EXPECT_EQ(missing_status(tally, GetParam(), 100), "");
}

TEST_P(CudaNvfp4Rounded, AgreesUnderHadamardTransforms) {
  StreamTally tally;
  std::uint64_t seed = static_cast<std::uint64_t>(GetParam()) * 1000 + 500;
  for (const Rounding rounding :
       {Rounding::kStochasticA, Rounding::kStochasticB, Rounding::kStochasticC, Rounding::kToOdd}) {
    for (const StreamLayout& layout : {StreamLayout{{20, 400, 1}, false, true, true},
                                       StreamLayout{{1, 96, 80}, true, true, false},
                                       StreamLayout{{2, 48, 5}, false, false, false}}) {
      const ElementFormat& source = *ocp_sources()[seed % 3];
      const Nvfp4Case one =
          transformed(rounded(nvfp4_case(source, GetParam(), 0x40490FDB), rounding, 12),
                      static_cast<std::uint16_t>(seed * 0x9E37), seed % 2 == 0);
      compare_nvfp4(one, layout, nvfp4_words(source, ++seed, layout.shape.elements(), 0x40490FDB),
                    nvfp4_backend(), false, tally);
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_EQ(tally.elements, 4u * (20 * 400 + 96 * 80 + 2 * 48 * 5));
}

INSTANTIATE_TEST_SUITE_P(All, CudaNvfp4Rounded, ::testing::ValuesIn(nvfp4_rounded_rules()),
                         [](const auto& each) { return std::string(token_of(each.param)); });

// Both scales are taken, and ties between them are met: the scale of amax / 6 then.
TEST(CudaNvfp4Candidates, AgreeUnderEveryError) {
  StreamTally tally;
  std::array<std::uint64_t, 2> taken{};
  std::uint64_t seed = 7000;
  for (const auto& each : tokens<FourOverSix>()) {
    for (const ElementFormat* source : ocp_sources()) {
      for (const std::uint32_t amax : kAmaxes) {
        const Nvfp4Case one = four_over_six(*source, each.value, amax);
        const StreamLayout layout{{16, 400, 1}, false, true, seed % 2 == 0};
        const auto words = nvfp4_words(*source, ++seed, layout.shape.elements(), amax);
        compare_nvfp4(one, layout, words, nvfp4_backend(), seed % 3 == 0, tally);
        compare_nvfp4(one, {{2, 37, 90}},
                      nvfp4_words(*source, ++seed, std::size_t{2} * 37 * 90, amax), nvfp4_backend(),
                      false, tally);
        if (*source != formats::fp32) continue;
        compare_nvfp4(one, {{1, 1600, 1}}, nvfp4_few_values(seed, 100), nvfp4_backend(), false,
                      tally);
        compare_nvfp4(one, {{1, 3200, 1}}, nvfp4_ties(one, seed, 200), nvfp4_backend(), false,
                      tally);
        Nvfp4Case six = nvfp4_case(*source, ScaleRule::kNvfp4Te, amax);
        if (each.value != FourOverSix::kMae448) continue;
        const StreamLayout plain{{16, 400, 1}};
        const auto of_two = reference_answer(one.config, plain, words, {}).scales;
        const auto of_six = reference_answer(six.config, plain, words, {}).scales;
        for (std::size_t i = 0; i < of_two.size(); ++i) ++taken[of_two[i] == of_six[i] ? 0 : 1];
      }
    }
  }
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_GT(tally.elements, 1'000'000u);
  EXPECT_GT(taken[0], 300u);
  EXPECT_GT(taken[1], 300u);
}

// From 2^32 on the errors of a search in binary32 are equal.
TEST(CudaNvfp4Search, AgreesWhereErrorsAreLost) {
  StreamTally tally;
  std::vector<std::uint32_t> codes;
  for (std::uint32_t exponent = 140; exponent < 176; ++exponent) {
    for (std::uint32_t i = 0; i < 16 * 16; ++i) {
      const std::uint32_t own = i % 16 == 0 ? exponent : exponent - i % 5;
      codes.push_back(own << 23 | (i * 0x9E3779B9U >> 9) | i << 31);
    }
  }
  const Nvfp4Case one = nvfp4_case(formats::fp32, ScaleRule::kNvfp4Ggml, 0x3F800000);
  compare_nvfp4(one, {{1, codes.size(), 1}}, to_bytes(formats::fp32, codes), nvfp4_backend(), false,
                tally);
  // A search takes no part in any rounding.
  compare_nvfp4(rounded(one, Rounding::kStochasticA), {{1, codes.size(), 1}},
                to_bytes(formats::fp32, codes), nvfp4_backend(), false, tally);
  EXPECT_EQ(tally.mismatches, 0u) << tally.first;
  EXPECT_EQ(tally.elements, 2u * 36 * 256);
}

}  // namespace
}  // namespace mx::fast::test
