// The rows KD1 to KD36 of spec S9.2: expected values from the specification, the compat ones as the
// package gave them.
#include "tests/emulators/dmx/support.hpp"

namespace mx::emulators::dmx {
namespace {

TEST(Dmx, KD1_ExponentOnlyFormatCarriesNanAndTiesByStoredExponent) {
  expect_cast("FP[1|8|0,127](_N)",
              {0x7FC00000, 0xFFC00000, bits(1.5F), bits(3.F), bits(0.75F), bits(6.F)},
              {kMinusZero, 0, bits(2.F), bits(2.F), bits(0.5F), bits(8.F)},
              {kNanBits, kNanBits, bits(2.F), bits(2.F), bits(0.5F), bits(8.F)});
}

TEST(Dmx, KD2_DoubleRoundingBelowTheSmallestNormal) {
  const Patterns x = bits({0x1.000002p-17F, 0x1.7ffffep-16F, 0x1.00001p-17F});
  expect_cast("FP[1|5|2,15](_N)", x, bits({0.F, 0x1p-15F, 0x1p-16F}),
              bits({0x1p-16F, 0x1p-16F, 0x1p-16F}));
}

TEST(Dmx, KD3_SaturationIgnoresTheBias) {
  expect_cast("FP[0|4|4,15](FN)", bits({100.F, 1.9375F, 3.F}), bits({100.F, 1.9375F, 3.F}),
              bits({1.9375F, 1.9375F, 1.9375F}));
}

TEST(Dmx, KD4_FlushIsDecidedBeforeRounding) {
  const float below = 0x1p-6F * (1 - 0x1p-20F);
  expect_cast("FP[1|4|3,7](FN)", bits({below, 0x1p-6F, -0x1p-7F}), bits({0.F, 0x1p-6F, 0.F}),
              bits({0x1p-6F, 0x1p-6F, -0.F}));
}

TEST(Dmx, KD5_UnsignedIsTheAbsoluteValue) {
  expect_cast("FP[0|4|3,7](_N)", bits({-3.3F, -1000.F, -1e-9F, 3.3F}),
              bits({3.25F, 480.F, 0.F, 3.25F}), bits({0.F, 0.F, 0.F, 3.25F}));
}

TEST(Dmx, KD6_TheTopBinadeIsFinite) {
  expect_cast("FP[1|4|3,7](_N)", {bits(464.F), bits(465.F), bits(472.F), bits(500.F), kInfBits},
              bits({448.F, 480.F, 480.F, 480.F, 480.F}), bits({448.F, 448.F, 448.F, 448.F, 448.F}));
}

TEST(Dmx, KD7_TheFlushFlagBreaksTheIdentity) {
  const Patterns x = {bits(1.5F), bits(-0.75F), 0x3DCCCCCD};
  expect_cast("FP[1|8|23,127](FN)", x, {bits(-1.5F), bits(0.75F), 0xBDCCCCCD}, x);
  expect_cast("FP[1|8|23,127](_N)", x, x, x);
}

TEST(Dmx, KD8_BfpTiesToEven) {
  const Patterns out = bits({1.F, 0.F, 0.F, 0.5F, -0.5F, 0.5F, -0.5F});
  expect_cast("BFP[4|8]{7}(SN)", bits({1.F, 0.125F, -0.125F, 0.375F, -0.375F, 0.625F, -0.625F}),
              out, out);
}

TEST(Dmx, KD9_DoubleRoundingThroughTheBase) {
  const float half = 0x1p-7F;
  expect_cast("BFP[8|8]{4}(SN)",
              bits({1.F, half + 0x1p-30F, 3 * half - 0x1p-29F, -half - 0x1p-30F}),
              bits({1.F, 0.F, 0x1p-5F, 0.F}), bits({1.F, 0x1p-6F, 0x1p-6F, -0x1p-6F}));
}

TEST(Dmx, KD10_UpOnAZeroBlock) {
  const Patterns step(3, bits(0x1p-130F));
  expect_cast("BFP[4|8]{3}(SU)", bits({0.F, 0.F, -0.F}), step, bits({0.F, 0.F, 0.F}));
}

TEST(Dmx, KD11_DownIsTowardMinusInfinity) {
  const Patterns out = bits({1.F, 0.25F, -0.5F, -0.25F});
  expect_cast("BFP[4|8]{4}(SD)", bits({1.F, 0.3F, -0.3F, -0.25F}), out, out);
}

TEST(Dmx, KD12_BlockSizeOneIsAFloat) {
  expect_cast("BFP[8|8]{1}(SN)", bits({1.999F, 3.4028234663852886e38F, -0.F, 1.0078125F}),
              {bits(2.F), kInfBits, 0, bits(1.F)}, bits({2.F, 0x1.fcp127F, 0.F, 1.F}));
}

TEST(Dmx, KD13_AsymmetricFourBits) {
  const Patterns out = bits({-2.F, -1.75F, 1.75F, 0.F});
  expect_cast("BFP[4|8]{4}(_N)", bits({-1.9F, -1.87F, 1.9F, 0.1F}), out, out);
}

TEST(Dmx, KD14_TheOldAsymmetricRuleLooksAtSevenBits) {
  const std::string text = "block_quantize(wl=4, dim=0, symmetric=False, rounding=nearest)";
  const Given row = {.shape = {1, 4}};
  const Patterns exact = bits({-2.F, 1.F, 0.5F, 0.F});
  expect_cast(text, bits({-1.9F, 1.F, 0.5F, 0.F}), bits({-1.75F, 1.F, 0.5F, 0.F}), exact, row);
  expect_cast(text, bits({-1.9999F, 1.F, 0.5F, 0.F}), exact, exact, row);
}

constexpr const char* kSbfp = "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}";

TEST(Dmx, KD15_CodesFromTheExactScale) {
  expect_cast(kSbfp, bits({1.F, 0.5F, -0.25F}), bits({0.984375F, 0.421875F, -0.28125F}),
              bits({0.984375F, 0.5625F, -0.28125F}));
}

TEST(Dmx, KD16_ANanBlockPassesThrough) {
  const Patterns x = {kNanBits, bits(1.F), bits(0.3F)};
  expect_cast(kSbfp, x, x, Patterns(3, kNanBits));
}

TEST(Dmx, KD17_AFlushedScaleMakesTheBlockZero) {
  expect_cast(kSbfp, bits({7 * 0x1p-6F * (1 - 0x1p-10F), 0x1p-7F, 0.F}), bits({0.F, 0.F, 0.F}),
              bits({7 * 0x1p-6F, 0x1p-6F, 0.F}));
}

TEST(Dmx, KD18_E4m3KeepsTheCode480) {
  expect_cast("MXFP8[E4M3]{3}", bits({1.9F, 1.F, -0.95F}), bits({1.875F, 1.F, -0.9375F}),
              bits({1.75F, 1.F, -0.9375F}));
}

TEST(Dmx, KD19_TheLogarithmSlipsBelowAPowerOfTwo) {
  expect_cast("MXFP4[E2M1]{4}", {0x40FFFFFF, bits(0.25F), bits(1.F), bits(0.75F)},
              bits({8.F, 0.F, 1.F, 1.F}), bits({6.F, 0.F, 1.F, 1.F}));
}

TEST(Dmx, KD20_AZeroBlockIsMinusZero) {
  expect_cast("MXFP4[E2M1]{2}", bits({0.F, -0.F}), bits({-0.F, -0.F}), bits({0.F, -0.F}));
}

TEST(Dmx, KD21_InfInTheBlock) {
  const Patterns x = {kInfBits, bits(1.F), 0xFF800000};
  Patterns out = cast("MXFP8[E4M3]{3}", compat(), x);
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(out[0], 0xFF800000U);
  EXPECT_GT(out[1] & 0x7FFFFFFF, kInfBits);  // NaN: its bits are torch's
  EXPECT_EQ(out[2], 0xFF800000U);
  EXPECT_EQ(cast("MXFP8[E4M3]{3}", strict(), x), Patterns(3, kNanBits));
}

TEST(Dmx, KD22_AMaximumWithin44UlpOf2To128) {
  const Patterns x = {0x7F7FFFFF, bits(1.F)};
  for (const std::uint32_t y : cast("MXFP8[E4M3]{2}", compat(), x)) {
    EXPECT_GT(y & 0x7FFFFFFF, kInfBits);
  }
  EXPECT_EQ(cast("MXFP8[E4M3]{2}", strict(), x), bits({0x1.cp127F, 0.F}));
}

TEST(Dmx, KD23_TheScaleUnderflowsToZero) {
  expect_cast("MXFP4[E2M1]{2}", bits({0x1p-148F, -0x1p-149F}), bits({0.F, -0.F}),
              bits({0.F, -0.F}));
}

TEST(Dmx, KD24_E3m2IsTheStandards) {
  const Patterns out = bits({28.F, 28.F, 0.375F, -28.F});
  expect_cast("MXFP6[E3M2]{4}", bits({28.F, 31.F, 0.4F, -30.F}), out, out);
}

TEST(Dmx, KD25_ElementExponentsOfSevenBits) {
  const std::string text = "MXFP11[E7M3]{2}";
  EXPECT_EQ(problem(text, compat(), bits({1.F, 2.F})).substr(0, 14), "OverflowError:");
  EXPECT_EQ(cast(text, strict(), bits({1.F, 2.F})), bits({1.F, 2.F}));
}

TEST(Dmx, KD26_FixedPointDirected) {
  const Patterns x = bits({-0.6F, 0.6F, 0.5F});
  const Patterns up = bits({-0.5F, 1.F, 0.5F}), down = bits({-1.F, 0.5F, 0.5F});
  expect_cast("XP[4,+1](CSU)", x, up, up);
  expect_cast("XP[4,+1](CSD)", x, down, down);
}

TEST(Dmx, KD27_Mxint8TiesToEven) {
  const Patterns out = bits({1.F, 0.F, 0x1p-5F, 0.F});
  expect_cast("MXINT8{4}", bits({1.F, 0x1p-7F, 3 * 0x1p-7F, -0x1p-7F}), out, out);
}

TEST(Dmx, KD28_AShorthandThatDoesNotMatch) {
  // Documented, and no longer accepted by the package.
  expect_problem("BFP[8|8]{64,-1}(SN)", "TypeError: ", "");
  EXPECT_EQ(problem("BFP[8|8]{64,-1}(SN)", strict()), "");
  expect_problem("BFP[8|8]{64;-1}(SN)", "TypeError: ", "ValueError: position 11: ");
  expect_problem("XP[8,4](CSn)", "KeyError: n", "ValueError: position 10: ");
  expect_problem("BFP[8|7]{64}(SN)", "TypeError: ", "ValueError: position 5: ");
}

TEST(Dmx, KD29_MxfpSizes) {
  expect_fact("MXFP8[E4M3]{32}", "bit_precision",
              "AttributeError: 'FloatingPoint' object has no attribute 'precision'", "8.25");
  expect_fact("MXFP8[E4M3]{32}", "bytes_per_elem", "1.03515625", "1.03125");
}

TEST(Dmx, KD30_TheSignBitIsAlwaysCountedInBytes) {
  expect_fact("FP[0|4|4,7](FN)", "bit_precision", "8.0", "8.0");
  expect_fact("FP[0|4|4,7](FN)", "bytes_per_elem", "1.125", "1.0");
}

TEST(Dmx, KD31_TheAliasBfp16a16IsMistyped) {
  expect_fact("format.BFP16A_16", "repr", "BFP[6|8]{16}(_N)", "BFP[8|8]{16}(_N)");
}

TEST(Dmx, KD32_ANanRowBesideARowWithAnEdgeCode) {
  const Patterns x = {kNanBits, bits(1.F), bits(-1.9999F), bits(1.F)};
  expect_cast("BFP[8|8]{2}(_N)", x, bits({-0x1p24F, -0x1p24F, -2.F, 1.F}),
              {kNanBits, kNanBits, bits(-2.F), bits(1.F)}, {.shape = {2, 2}, .axis = -1});
  const Patterns alone = cast("BFP[8|8]{2}(_N)", compat(), {kNanBits, bits(1.F)});
  for (const std::uint32_t y : alone) EXPECT_GT(y & 0x7FFFFFFF, kInfBits);
}

TEST(Dmx, KD33_AsymmetricInTheTopBinade) {
  expect_cast("BFP[8|8]{2}(_N)", bits({-1.9999F * 0x1p127F, -0x1p126F}),
              {0xFF800000, bits(-0x1.fcp127F)}, bits({-0x1.fcp127F, -0x1p126F}));
}

TEST(Dmx, KD34_BlockDimZeroWithAShortLastChunk) {
  const Patterns x = bits({1.F, 2.F, 3.F, 4.F, 5.F, 6.F, 7.F});
  EXPECT_EQ(problem("MXFP8[E4M3]{2}", compat(), x, {.axis = 0}).substr(0, 13), "RuntimeError:");
  EXPECT_EQ(cast("MXFP8[E4M3]{2}", strict(), x, {.axis = 0}), x);
}

TEST(Dmx, KD35_ADoubleSignParses) {
  expect_fact("XP[8,+4](CSN)", "repr", "XP[8,+4](CSN)", "XP[8,+4](CSN)");
  EXPECT_EQ(fact("XP[8,+-4](CSN)", compat(), "repr"), "XP[8,+4](CSN)");
  EXPECT_EQ(problem("XP[8,+-4](CSN)", strict()).substr(0, 23), "ValueError: position 6:");
}

TEST(Dmx, KD36_NoClippingBelowTheSmallestNormal) {
  expect_cast("FP[1|4|3,-50](_N)", bits({0x1p50F, 0x1p51F, 0x1p40F}), bits({0x1p50F, 480.F, 0.F}),
              bits({0x1p50F, 0x1p51F, 0.F}));
}

}  // namespace
}  // namespace mx::emulators::dmx
