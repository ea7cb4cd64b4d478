// The random-bit contracts of spec F9.4: which R each element gets, and what becomes
// of it.
#include "reference/element/random_source.hpp"

#include <gtest/gtest.h>

#include <bitset>
#include <vector>

#include "reference/format/table.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/made.hpp"
#include "tests/support/stream.hpp"

namespace mx::oracle {
namespace {

using Words = std::array<std::uint32_t, 4>;

// spec F17, G12.
TEST(PtxRs, SharesAndReversesAsTheExampleSays) {
  EXPECT_EQ(ptx_rs_random(PtxRs::kFp8x4, 0x12345678), (Words{0x2C48, 0x1234, 0x1E6A, 0x5678}));
  EXPECT_EQ(ptx_rs_random(PtxRs::kBf16x2, 0x12345678), (Words{0x1234, 0x5678, 0, 0}));
  EXPECT_EQ(ptx_rs_random(PtxRs::kF16x2, 0xF234F678), (Words{0x1234, 0x1678, 0, 0}));
  // Bytes 3 and 1, 2 and 0.
  EXPECT_EQ(ptx_rs_random(PtxRs::kFp4x4, 0x12345678), (Words{0x6A48, 0x1256, 0x1E2C, 0x3478}));
}

TEST(PtxRs, ShapesFollowTheDestination) {
  EXPECT_EQ(ptx_rs_shape(formats::e4m3fn), PtxRs::kFp8x4);
  EXPECT_EQ(ptx_rs_shape(formats::e3m2fn), PtxRs::kFp8x4);
  EXPECT_EQ(ptx_rs_shape(formats::e2m1fn), PtxRs::kFp4x4);
  EXPECT_EQ(ptx_rs_shape(formats::fp16), PtxRs::kF16x2);
  EXPECT_EQ(ptx_rs_shape(formats::bf16), PtxRs::kBf16x2);
  EXPECT_EQ(ptx_rs_shape(formats::int8), std::nullopt);
  EXPECT_EQ(ptx_rs_elements(PtxRs::kBf16x2), 2);
  EXPECT_EQ(ptx_rs_elements(PtxRs::kFp4x4), 4);
  EXPECT_EQ(ptx_rs_bits(PtxRs::kF16x2), 13);
  EXPECT_EQ(ptx_rs_bits(PtxRs::kFp4x4), 16);
}

// Property: sharing a word leaves each element unbiased: every operand sees every R once as the
// half it reads takes every value.
TEST(PtxRs, EveryOperandSeesEveryWordOnce) {
  for (const PtxRs shape : {PtxRs::kFp8x4, PtxRs::kFp4x4, PtxRs::kBf16x2}) {
    for (int operand = 0; operand < ptx_rs_elements(shape); ++operand) {
      const bool high = operand < ptx_rs_elements(shape) / 2;
      std::bitset<65536> seen;
      for (std::uint32_t field = 0; field < 65536; ++field) {
        const std::uint32_t low_byte = field & 0xFF;
        const std::uint32_t high_byte = field >> 8;
        std::uint32_t rbits = high ? field << 16 : field;
        if (shape == PtxRs::kFp4x4) rbits = (high_byte << 16 | low_byte) << (high ? 8 : 0);
        seen.set(ptx_rs_random(shape, rbits)[static_cast<std::size_t>(operand)]);
      }
      EXPECT_TRUE(seen.all()) << operand;
    }
  }
}

TEST(AmdTopBits, TakesTheBitsThatAreDiscarded) {
  const auto expect = [](const ElementFormat& from, const ElementFormat& to, RandomBits want) {
    EXPECT_EQ(amd_random(from, to, 0xABCDEF12), want) << from.name << ' ' << to.name;
  };
  expect(formats::fp32, formats::e4m3fn, {0xABCDE, 20});
  expect(formats::fp32, formats::e5m2, {0xABCDEF12 >> 11, 21});
  expect(formats::fp32, formats::e2m1fn, {0xABCDEF12 >> 10, 22});
  expect(formats::bf16, formats::e4m3fn, {0xA, 4});
  expect(formats::bf16, formats::e2m1fn, {0xABCDEF12 >> 26, 6});
  EXPECT_EQ(amd_random(formats::fp32, formats::fp32, 0), std::nullopt);
  EXPECT_EQ(amd_random(formats::fp32, formats::int8, 0), std::nullopt);
}

Conversion amd_conversion(const ElementFormat& to, int bits) {
  ConversionConfig conversion{formats::fp32, to, {}};
  conversion.policy.rounding = Rounding::kStochasticA;
  conversion.policy.random_bits = bits;
  conversion.policy.overflow = Overflow::kNoneInfOrNan;
  return made(conversion);
}

// spec F9.4: stochastic rounding into overflow; 449 is 43E08000.
TEST(AmdTopBits, MayRoundIntoOverflow) {
  for (const auto& [seed, code] : {std::pair{0xFFFFFFFFU, 0x7FU}, std::pair{0U, 0x7EU}}) {
    const auto bits = amd_random(formats::fp32, formats::e4m3fn, seed);
    ASSERT_TRUE(bits.has_value());
    EXPECT_EQ(amd_conversion(formats::e4m3fn, bits->bits)(0x43E08000, bits->random).code, code);
  }
}

/// The host header's procedure in integers: the significand of a subnormal result is shifted right
/// first, what leaves it is dropped, and R is added below the bits that stay.
std::uint64_t amd_by_shifting(const ElementFormat& to, std::uint32_t pattern, std::uint32_t r) {
  const int exponent = static_cast<int>(pattern >> 23) - 127;
  std::uint64_t significand = (pattern & 0x7FFFFFU) | 0x800000U;
  const int below = to.emin() - exponent;
  if (below > 0) significand = below > 24 ? 0 : significand >> below;
  const std::uint64_t kept = (significand + r) >> (23 - to.man_bits);
  const int field = below > 0 ? 0 : exponent - to.emin();
  return (static_cast<std::uint64_t>(field) << to.man_bits) + kept;
}

TEST(AmdTopBits, SubnormalResultsStillEqualVariantA) {
  Report report;
  Stream stream(0xA3D);
  for (const ElementFormat& to : {formats::e4m3fn, formats::e5m2, formats::e2m1fn}) {
    for (int i = 0; i < 40000; ++i) {
      const int exponent = to.emin() - 26 + static_cast<int>(stream.next() % 32);
      const std::uint32_t pattern =
          static_cast<std::uint32_t>(exponent + 127) << 23 | (stream.next() & 0x7FFFFF);
      const auto bits = amd_random(formats::fp32, to, stream.next());
      const std::uint64_t want = amd_by_shifting(to, pattern, bits->random);
      if (want > to.max_code) continue;
      const Encoded got = amd_conversion(to, bits->bits)(pattern, bits->random);
      report.check(got.code == want, [&] { return std::string(to.name) + " " + hex(pattern); });
      report.classify(exponent < to.emin() ? "subnormal" : "normal");
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.count("subnormal"), 10000U);
  EXPECT_GT(report.count("normal"), 1000U);
}

// The value is staged in binary16 ties_to_even, then rounded by N bits; binary16 subnormals
// ties_to_even.
TEST(Fp16Staged, EqualsTwoExactRoundings) {
  Report report;
  Stream stream(0xF16);
  const ElementOracle<WideTickField> stage(formats::fp16);
  for (const ElementFormat& to : {formats::e4m3fn, formats::e5m2, formats::e3m4fn_intel}) {
    const ElementOracle<WideTickField> last(to);
    const Conversion conversion = made(ConversionConfig{formats::fp32, to, {}});
    for (int i = 0; i < 40000; ++i) {
      const std::uint32_t pattern = stream.next() % 2 != 0
                                        ? stream.next()
                                        : (97 + stream.next() % 48) << 23 | (stream.next() >> 9);
      const Real x = value_of(formats::fp32, pattern);
      if (!x.finite()) continue;
      ElementPolicy to_inf;
      to_inf.overflow = Overflow::kNoneInfOrNan;
      const std::uint64_t half = stage.encode(x, to_inf, 0).code;
      const bool subnormal = (half & 0x7C00) == 0 && (half & 0x3FF) != 0;
      ElementPolicy policy;
      policy.rounding = subnormal ? Rounding::kTiesToEven : Rounding::kStochasticA;
      policy.random_bits = fp16_staged_bits(to);
      const std::uint32_t r = stream.next() & ((1U << policy.random_bits) - 1);
      const std::uint64_t want = last.encode(value_of(formats::fp16, half), policy, r).code;
      const auto got = fp16_staged(conversion, pattern, r);
      report.check(got && got->code == want,
                   [&] { return std::string(to.name) + " " + hex(pattern) + " R=" + hex(r); });
      report.classify(subnormal ? "subnormal" : "normal");
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.count("subnormal"), 1000U);
  EXPECT_EQ(fp16_staged(made(ConversionConfig{formats::fp32, formats::e2m1fn, {}}), 0, 0),
            std::nullopt);
}

TEST(FbgemmAdd, RoundsTheSumOfThePatternAndTheBits) {
  Report report;
  Stream stream(0xFB);
  for (const ElementFormat& to : {formats::e2m1fn, formats::e3m0, formats::e4m3fn}) {
    const ElementOracle<WideTickField> judge(to);
    ElementPolicy away;
    away.rounding = Rounding::kTiesToAway;
    const std::uint32_t mask = (1U << (23 - to.man_bits)) - 1;
    for (int i = 0; i < 40000; ++i) {
      const std::uint32_t pattern =
          (117 + stream.next() % 16) << 23 | (stream.next() >> 9) | (stream.next() & 0x80000000U);
      const std::uint32_t random = stream.next();
      const Real sum = value_of(formats::fp32, pattern + (random & mask));
      const auto got = fbgemm_stochastic(pattern, to, {}, random);
      report.check(got && got->code == judge.encode(sum, away, 0).code,
                   [&] { return std::string(to.name) + " " + hex(pattern) + " " + hex(random); });
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

// What sets it apart from the variants A to C: an exact value moves for half of all words, and a
// value can move by two steps.
TEST(FbgemmAdd, IsBiased) {
  int moved = 0;
  for (std::uint32_t random = 0; random < 1U << 22; ++random) {
    moved += fbgemm_stochastic(0x3F800000, formats::e2m1fn, {}, random)->code == 3 ? 1 : 0;
  }
  EXPECT_EQ(moved, 1 << 21);
  EXPECT_EQ(fbgemm_stochastic(0x3FBFFFFF, formats::e2m1fn, {}, 0x3FFFFF)->code, 4U);  // 1.5- to 2
}

TEST(FbgemmAdd, SpecialsTakeNoBits) {
  ElementPolicy policy;
  policy.overflow = Overflow::kNoneInfOrNan;
  EXPECT_EQ(fbgemm_stochastic(0x7F800000, formats::e5m2, policy, ~0U)->code, 0x7CU);
  EXPECT_EQ(fbgemm_stochastic(0xFF800000, formats::e5m2, policy, ~0U)->code, 0xFCU);
  EXPECT_EQ(fbgemm_stochastic(0x7FC00000, formats::e5m2, policy, ~0U)->code, 0x7FU);
  EXPECT_EQ(fbgemm_stochastic(0x3F800000, formats::int8, {}, 0), std::nullopt);
}

TEST(RandomSources, HaveTheNamesOfTheTaxonomy) {
  std::vector<std::string_view> names;
  for (const Token<RandomSource>& token : tokens<RandomSource>()) names.push_back(token.text);
  EXPECT_EQ(names, (std::vector<std::string_view>{"direct", "counter", "ptx_rs_shared",
                                                  "amd_top_bits", "fp16_staged", "fbgemm_add"}));
}

}  // namespace
}  // namespace mx::oracle
