// The rows of spec S9.1, each in compat mode (the bits of qtorch 0.3.0, which the rows give) and in
// strict mode.
#include "tests/emulators/qtorch/support.hpp"

namespace mx::emulators::qtorch {
namespace {

constexpr std::uint32_t kInf = 0x7F800000;
constexpr std::uint32_t kNan = 0x7FC00000;
constexpr std::uint32_t kNegative = 0x80000000;

/// 2^exponent, subnormals included.
std::uint32_t power(int exponent) {
  return exponent >= -126 ? static_cast<std::uint32_t>(exponent + 127) << 23
                          : std::uint32_t{1} << (exponent + 149);
}

TEST(Qtorch, KQ1_ShiftByMinusOneAtMan23) {
  const std::string text = "float_quantize(exp=8,man=23,rounding=nearest)";
  const Patterns x = {f(1.5F), 0x3DCCCCCD, f(-2.0F)};
  EXPECT_EQ(run(text, kCompat, x), (Patterns{f(-1.5F), 0xBDCCCCCD, f(2.0F)}));
  EXPECT_EQ(run(text, kAarch64, x), (Patterns{f(-1.5F), 0xBDCCCCCD, f(2.0F)}));
  EXPECT_EQ(run(text, kCuda, x), x);
  EXPECT_EQ(run(text, kStrict, x), x);
}

TEST(Qtorch, KQ2_NanPatternRoundedAsANumber) {
  const std::string text = "float_quantize(exp=8,man=7,rounding=nearest)";
  const Patterns x = {0x7FFFFFFF, 0x7FC00000, 0x7F800001, 0xFFFFFFFF};
  EXPECT_EQ(run(text, kCompat, x), (Patterns{0x80000000, 0x7FC00000, 0x7F800000, 0x00000000}));
  EXPECT_EQ(run(text, kStrict, x), (Patterns{kNan, kNan, kNan, kNan}));
}

TEST(Qtorch, KQ3_NanAndInfAreClamped) {
  const std::string text = "float_quantize(exp=5,man=2,rounding=nearest)";
  const Patterns x = {0x7FC00000, 0xFFC00000, 0x7FFFFFFF, kInf};
  EXPECT_EQ(run(text, kCompat, x),
            (Patterns{f(114688.0F), f(-114688.0F), kNegative, f(114688.0F)}));
  EXPECT_EQ(run(text, kStrict, x), (Patterns{kNan, kNan, kNan, f(57344.0F)}));
}

TEST(Qtorch, KQ4_TiesGoAwayFromZero) {
  const std::string text = "float_quantize(exp=2,man=1,rounding=nearest)";
  const Patterns x = f({0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5.0F, -2.5F});
  EXPECT_EQ(run(text, kCompat, x), f({0.5F, 1.0F, 1.5F, 2.0F, 3.0F, 4.0F, 6.0F, -3.0F}));
  EXPECT_EQ(run(text, kStrict, x), f({0.0F, 1.0F, 1.0F, 2.0F, 2.0F, 4.0F, 4.0F, -2.0F}));
}

TEST(Qtorch, KQ5_AllOnesExponentIsAnOrdinaryBinade) {
  const std::string text = "float_quantize(exp=4,man=3,rounding=nearest)";
  const Patterns x = f({464.0F, 465.0F, 480.0F, 500.0F, 1e9F});
  EXPECT_EQ(run(text, kCompat, x), f({480.0F, 480.0F, 480.0F, 480.0F, 480.0F}));
  EXPECT_EQ(run(text, kStrict, x), f({448.0F, 448.0F, 448.0F, 448.0F, 448.0F}));
}

TEST(Qtorch, KQ6_HalfPrecisionOverflow) {
  const std::string text = "float_quantize(exp=5,man=10,rounding=nearest)";
  const Patterns x = f({65504.0F, 65520.0F, 70000.0F, 131072.0F});
  EXPECT_EQ(run(text, kCompat, x), f({65504.0F, 65536.0F, 70016.0F, 131008.0F}));
  EXPECT_EQ(run(text, kStrict, x), (Patterns{f(65504.0F), kInf, kInf, kInf}));
}

TEST(Qtorch, KQ7_Binary32SubnormalInput) {
  const std::string text = "float_quantize(exp=8,man=7,rounding=nearest)";
  const Patterns x = {power(-134), 5 * power(-134), kNegative | 3 * power(-134)};
  EXPECT_EQ(run(text, kCompat, x),
            (Patterns{power(-133), 3 * power(-133), kNegative | power(-132)}));
  EXPECT_EQ(run(text, kStrict, x), (Patterns{0, power(-132), kNegative | power(-132)}));
}

TEST(Qtorch, KQ8_StochasticWithASuppliedWord) {
  const std::string text = "float_quantize(exp=4,man=3,rounding=stochastic)";
  const Patterns x = f({1.0625F, 1.0625F, 1.125F});
  const Patterns random = {0x0007FFFF, 0x00080000, 0x000FFFFF};
  EXPECT_EQ(run(text, kCompat, x, random), f({1.0F, 1.125F, 1.125F}));
  EXPECT_EQ(run(text, kStrict, x, random), f({1.0F, 1.125F, 1.125F}));
}

TEST(Qtorch, KQ9_CpuAndCudaDisagreeOnTies) {
  const std::string text = "fixed_point_quantize(wl=8,fl=0,rounding=nearest)";
  const Patterns x = f({0.5F, -0.5F, 1.5F, 2.5F});
  EXPECT_EQ(run(text, kCompat, x), f({0.0F, -0.0F, 2.0F, 2.0F}));
  EXPECT_EQ(run(text, kCuda, x), f({1.0F, -1.0F, 2.0F, 3.0F}));
  EXPECT_EQ(run(text, kStrict, x), f({0.0F, 0.0F, 2.0F, 2.0F}));
}

TEST(Qtorch, KQ10_UnclampedLargeIntegersMove) {
  const std::string text = "fixed_point_quantize(wl=8,fl=0,clamp=False,rounding=nearest)";
  const Patterns x = f({8388609.0F, -8388609.0F, 8388611.0F});
  EXPECT_EQ(run(text, kCompat, x), f({8388610.0F, -8388608.0F, 8388612.0F}));
  EXPECT_EQ(run(text, kStrict, x), x);
}

TEST(Qtorch, KQ11_ClampRangeInfAndNan) {
  const std::string text = "fixed_point_quantize(wl=4,fl=2,rounding=nearest)";
  const Patterns x = {f(100.0F), f(-100.0F), kInf, kNan, f(-1.9F)};
  const Patterns expected = {f(1.75F), f(-2.0F), f(1.75F), kNan, f(-2.0F)};
  EXPECT_EQ(run(text, kCompat, x), expected);
  EXPECT_EQ(run(text, kStrict, x), expected);
}

TEST(Qtorch, KQ12_StochasticMovesAnExactOddInteger) {
  const std::string text = "fixed_point_quantize(wl=8,fl=0,rounding=stochastic)";
  const Patterns x = f({3.0F, 2.0F, 3.0F});
  const Patterns random = {0, 0, 8};  // r = 0, 0, 2^-21
  EXPECT_EQ(run(text, kCompat, x, random), f({2.0F, 2.0F, 3.0F}));
  EXPECT_EQ(run(text, kStrict, x, random), f({3.0F, 2.0F, 3.0F}));
}

TEST(Qtorch, KQ13_DoubleRoundingThroughTheBase) {
  const std::string text = "block_quantize(wl=8,dim=-1,rounding=nearest)";
  // 1, 2^-7 - 2^-30, 2^-7 - 2^-21
  const Patterns x = {f(1.0F), 0x3BFFFFFE, 0x3BFFFC00};
  EXPECT_EQ(run(text, kCompat, x), (Patterns{f(1.0F), power(-6), 0}));
  EXPECT_EQ(run(text, kStrict, x), (Patterns{f(1.0F), 0, 0}));
}

TEST(Qtorch, KQ14_BaseOverflowsForAHugeBlock) {
  const std::string text = "block_quantize(wl=8,dim=-1,rounding=nearest)";
  const Patterns x = {power(126), f(1.0F)};
  const std::uint32_t top = power(126) | 0x007E0000;  // (2 - 2^-6) * 2^126
  EXPECT_EQ(run(text, kCompat, x), (Patterns{kNegative | top, kNegative | top}));
  EXPECT_EQ(run(text, kAarch64, x), (Patterns{top, top}));
  EXPECT_EQ(run(text, kCuda, x), (Patterns{top, top}));
  EXPECT_EQ(run(text, kStrict, x), (Patterns{power(126), 0}));
}

TEST(Qtorch, KQ15_BlockMaximumIsSubnormal) {
  const std::string text = "block_quantize(wl=8,dim=-1,rounding=nearest)";
  const Patterns x = {power(-133), power(-139), power(-134)};
  EXPECT_EQ(run(text, kCompat, x), (Patterns{power(-133), 0, power(-134)}));
  EXPECT_EQ(run(text, kStrict, x), x);
}

TEST(Qtorch, KQ16_SymmetricClipOfTheTopCode) {
  const std::string text = "block_quantize(wl=8,dim=-1,rounding=nearest)";
  const Patterns x = f({127.5F / 64, -127.5F / 64, 1.0F, -1.9999F});
  const Patterns expected = f({127.0F / 64, -127.0F / 64, 1.0F, -127.0F / 64});
  EXPECT_EQ(run(text, kCompat, x), expected);
  EXPECT_EQ(run(text, kStrict, x), expected);
}

TEST(Qtorch, KQ17_WordLength23) {
  const std::string text = "block_quantize(wl=23,dim=-1,rounding=nearest)";
  const Patterns x = f({1.0F, 0.5F, -0.25F});
  const std::uint32_t all = kNegative | 0x3FFFFFFC;  // -(2 - 2^-21)
  EXPECT_EQ(run(text, kCompat, x), (Patterns{all, all, all}));
  EXPECT_EQ(run(text, kStrict, x), x);
}

/// The gradient of the sum of a quantizer's results.
Patterns gradient_of_sum(const std::string& text, const Setting& setting, const Patterns& x) {
  const Tensor input = tensor(x);
  const Tensor ones = tensor(Patterns(x.size(), f(1.0F)), {}, "gradient");
  const auto results = cast(text, setting)->apply({.tensor = input, .operands = {ones}});
  EXPECT_TRUE(results) << results.problem();
  for (const Tensor& each : *results) {
    if (each.name == "gradient") return patterns(each);
  }
  return {};
}

TEST(Qtorch, KQ18_GradientMaskNeedsABackwardNumber) {
  const std::string head =
      "quantizer(forward_number=FixedPoint(wl=4,fl=2),clamping_grad_zero=True,"
      "forward_rounding=nearest,backward_rounding=nearest";
  const std::string with = head + ",backward_number=FixedPoint(wl=8,fl=4))";
  const Patterns x = f({100.0F, 0.5F});
  EXPECT_EQ(gradient_of_sum(head + ")", kCompat, x), f({1.0F, 1.0F}));
  EXPECT_EQ(gradient_of_sum(with, kCompat, x), f({0.0F, 1.0F}));
  EXPECT_EQ(gradient_of_sum(head + ")", kStrict, x), f({0.0F, 1.0F}));
  EXPECT_EQ(gradient_of_sum(with, kStrict, x), f({0.0F, 1.0F}));
}

TEST(Qtorch, KQ19_NanPayloadInABlock) {
  const std::string text = "block_quantize(wl=8,dim=-1,rounding=nearest)";
  const Patterns x = {0x7FFFFFFF, 0xFFFFFFFF, 0x7FC00000, f(1.0F)};
  const Patterns compat = run(text, kCompat, x);
  EXPECT_EQ(compat[0], kNegative | kInf);
  EXPECT_EQ(compat[1], kNegative | kInf);
  EXPECT_TRUE(all_nan({compat[2], compat[3]}));
  EXPECT_TRUE(all_nan(run(text, kStrict, x)));
}

TEST(Qtorch, KQ20_NoShiftFaultInStochasticMode) {
  const std::string text = "float_quantize(exp=8,man=23,rounding=stochastic)";
  const Patterns x = {f(1.5F), 0x3DCCCCCD, f(-2.0F)};
  const Patterns random = {0x7FFFFFFF, 0x12345678, 1};
  EXPECT_EQ(run(text, kCompat, x, random), x);
  EXPECT_EQ(run(text, kStrict, x, random), x);
}

}  // namespace
}  // namespace mx::emulators::qtorch
