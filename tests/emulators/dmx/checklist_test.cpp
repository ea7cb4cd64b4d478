// The rows D1 to D31 of spec S11. Expected values: the specification's where it has them, else the
// package's (0.1.11 on the CPU) for compat and exact arithmetic by hand for strict.
#include "emulators/dmx/format/aliases.hpp"
#include "emulators/dmx/format/sizes.hpp"
#include "tests/emulators/dmx/support.hpp"

namespace mx::emulators::dmx {
namespace {

TEST(Dmx, D1_DispatchByPrefix) {
  expect_problem("foo", "ValueError: unrecognized format shorthand: foo",
                 "ValueError: position 0: SAME, XP, FP, BFP, SBFP, MXFP or MXINT is expected");
  expect_problem("bfp[8|8]{64}(SN)", "ValueError: unrecognized", "ValueError: position 0: ");
  expect_problem("", "ValueError: unrecognized format shorthand: ", "ValueError: position 0: ");
  for (const char* const text :
       {"SAME", "XP[8,+4](CSN)", "FP[1|4|3,7](_N)", "BFP[8|8]{64}(SN)",
        "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}", "MXFP8[E4M3]{32}", "MXINT8{32}"}) {
    expect_fact(text, "repr", text, text);
  }
}

TEST(Dmx, D2_SamePassesThrough) {
  const Patterns x = {0x7F800001, kMinusZero, 1, bits(1.1F)};
  expect_cast("SAME", x, x, x);
  EXPECT_EQ(cast("SAMEx", compat(), x), x);
  EXPECT_EQ(problem("SAMEx", strict()), "ValueError: position 4: the shorthand should end here");
  const Tensor words = tensor_of({1, 2}, {2}, TensorType::kInt64);
  const auto same = make("SAME", strict())->apply({.tensor = words});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->front().type, TensorType::kInt64);
  EXPECT_EQ(words_of(same->front()), (Patterns{1, 2}));
}

TEST(Dmx, D3_FixedPointShorthandAndItsRepr) {
  expect_fact("XP[8,4](CSN)", "repr", "XP[8,+4](CSN)", "XP[8,+4](CSN)");
  expect_fact("XP[8,+4](CSN)", "repr", "XP[8,+4](CSN)", "XP[8,+4](CSN)");
  expect_fact("XP[8,-4](__S)", "repr", "XP[8,-4](__S)", "XP[8,-4](__S)");
  expect_fact("XP[8,4](UAD)", "repr", "XP[8,+4](__D)", "XP[8,+4](__D)");
  EXPECT_EQ(fact("XP[0x8,0b11](CSN)", compat(), "repr"), "XP[8,+3](CSN)");
  EXPECT_EQ(fact("XP[8,4](C1N)", compat(), "repr"), "XP[8,+4](C_N)");
  EXPECT_EQ(problem("XP[0x8,0b11](CSN)", strict()).substr(0, 22), "ValueError: position 4");
  EXPECT_EQ(problem("XP[8,4](C1N)", strict()), "ValueError: position 9: one of 'S_A' is expected");
  EXPECT_EQ(problem("XP[08,4](CSN)", strict()).substr(0, 22), "ValueError: position 3");
}

TEST(Dmx, D4_FixedPointPrecisionAndFraction) {
  expect_problem("XP[25,4](CSN)",
                 "AssertionError: highest integer precision simulated by FP32 is 25, got 25",
                 "ValueError: position 0: highest integer precision");
  expect_problem("XP[0,0](CSN)", "AssertionError: ", "ValueError: position 0: ");
  const Patterns x = bits({1000.F, 100.F, -1e9F, 31.F});
  const Patterns out = bits({1024.F, 128.F, -127 * 64.F, 0.F});
  expect_cast("XP[8,-6](CSN)", x, out, out);
  const Patterns wide = bits({0x1.fffffep-1F, -1.F, 0.25F});
  const Patterns kept = bits({0x1.fffffcp-1F, -0x1.fffffcp-1F, 0.25F});
  expect_cast("XP[24,+23](CSN)", wide, kept, kept);
}

TEST(Dmx, D5_FixedPointClampAndSymmetry) {
  const Patterns x = {bits(9.F), bits(-9.F), bits(-8.F), kInfBits, 0xFF800000};
  Patterns out = bits({7.9375F, -7.9375F, -7.9375F, 7.9375F, -7.9375F});
  expect_cast("XP[8,+4](CSN)", x, out, out);
  out = bits({7.9375F, -8.F, -8.F, 7.9375F, -8.F});
  expect_cast("XP[8,+4](C_N)", x, out, out);
  out = {bits(9.F), bits(-9.F), bits(-8.F), kInfBits, 0xFF800000};
  expect_cast("XP[8,+4](_SN)", x, out, out);
  expect_cast("XP[8,0](CSN)", {kNanBits, bits(-0.25F), bits(-0x1p-30F)}, {kNanBits, kMinusZero, 0},
              {kNanBits, 0, 0});
}

TEST(Dmx, D6_FixedPointRounding) {
  const Patterns x = bits({0.5F, 1.5F, 2.5F, -0.5F, -1.5F, 0x1.000002p-1F});
  // The sum with one half is rounded first: the first value above one half goes to 0.
  expect_cast("XP[8,0](CSN)", x, bits({0.F, 2.F, 2.F, -0.F, -2.F, 0.F}),
              bits({0.F, 2.F, 2.F, 0.F, -2.F, 1.F}));
  expect_cast("XP[8,0](CSU)", x, bits({1.F, 2.F, 3.F, -0.F, -1.F, 1.F}),
              bits({1.F, 2.F, 3.F, 0.F, -1.F, 1.F}));
  expect_cast("XP[8,0](CSD)", x, bits({0.F, 1.F, 2.F, -1.F, -2.F, 0.F}),
              bits({0.F, 1.F, 2.F, -1.F, -2.F, 0.F}));
  const Patterns quarter = bits({0.25F, 0.25F, -0.25F, -0.25F});
  const Given words = {.random = {0xBFFFFF, 0xC00000, 0x3FFFFF, 0x400000}};
  // A sum that is an integer goes to the even neighbour: 1 to 0.
  expect_cast("XP[8,0](CSS)", quarter, bits({0.F, 0.F, -1.F, -0.F}), bits({0.F, 1.F, -1.F, 0.F}),
              words);
  EXPECT_EQ(problem("XP[8,0](CSS)", compat(), quarter, {.random = {1, 2, 3}}),
            "ValueError: 4 random words are drawn, 3 were given");
}

TEST(Dmx, D7_FloatingPointShorthand) {
  expect_fact("FP[1|5|10,15](FN)", "repr", "FP[1|5|10,15](FN)", "FP[1|5|10,15](FN)");
  EXPECT_EQ(fact("FP[2|4|3,7](FN)", compat(), "repr"), "FP[1|4|3,7](FN)");
  EXPECT_EQ(problem("FP[2|4|3,7](FN)", strict()),
            "ValueError: position 3: one of '01' is expected");
  for (const char* const text : {"FP[1|9|3,7](_N)", "FP[1|0|3,7](_N)", "FP[1|8|7,126](FN)",
                                 "FP[1|4|3,-113](FN)", "FP[1|4|3,128](FN)", "FP[1|4|24,7](FN)"}) {
    expect_problem(text, "AssertionError: ", "ValueError: position 0: ");
  }
  for (const char* const text : {"FP[1|4|3,-112](FN)", "FP[1|4|3,127](FN)", "FP[0|1|0,0](_S)"}) {
    expect_fact(text, "repr", text, text);
  }
}

TEST(Dmx, D8_FloatingPointSubnormals) {
  const Patterns x = bits({0x1p-9F, 0x1.8p-9F, 0x1p-10F, -0x1p-10F, -0x1.8p-10F});
  expect_cast("FP[1|4|3,7](_N)", x, bits({0x1p-9F, 0x1p-8F, 0.F, 0.F, -0x1p-9F}),
              bits({0x1p-9F, 0x1p-8F, 0.F, -0.F, -0x1p-9F}));
  expect_cast("FP[1|4|3,7](FN)", x, Patterns(5, 0), bits({0.F, 0.F, 0.F, -0.F, -0.F}));
  // Strict decides with unbounded exponent: 15.75/16 rounds to the smallest normal, 15.5/16 to
  // itself, which is flushed.
  expect_cast("FP[1|4|3,7](FN)", bits({0x1.f8p-7F, 0x1.fp-7F, 0x1.e8p-7F}), Patterns(3, 0),
              bits({0x1p-6F, 0x1p-6F, 0.F}));
}

TEST(Dmx, D9_UnsignedFloatingPoint) {
  expect_cast("FP[0|5|2,15](_N)", bits({-1.F, -0.F, 1.F}), bits({1.F, 0.F, 1.F}),
              bits({0.F, 0.F, 1.F}));
}

TEST(Dmx, D10_FloatingPointRounding) {
  const Patterns x = bits({1.0625F, 1.1875F, -1.0625F, 1.07F});
  const Patterns out = bits({1.F, 1.25F, -1.F, 1.125F});
  expect_cast("FP[1|4|3,7](_N)", x, out, out);
  // 20 bits are discarded; a half needs 0x80000 more.
  const Given words = {.random = {0x7FFFF, 0x80000, 0xFFF80000, 0}};
  const Patterns drawn = bits({1.F, 1.25F, -1.125F, 1.F});
  expect_cast("FP[1|4|3,7](_S)", x, drawn, drawn, words);
  EXPECT_EQ(problem("FP[1|4|3,7](_U)", compat(), x), "AssertionError: invalid rounding mode, up");
  EXPECT_EQ(problem("FP[1|4|3,7](_D)", compat(), x), "AssertionError: invalid rounding mode, down");
  EXPECT_EQ(cast("FP[1|4|3,7](_U)", strict(), x), bits({1.125F, 1.25F, -1.F, 1.125F}));
  EXPECT_EQ(cast("FP[1|4|3,7](_D)", strict(), x), bits({1.F, 1.125F, -1.125F, 1.F}));
}

TEST(Dmx, D10_FlushedElementsDrawNoWordInCompat) {
  const Patterns x = bits({0x1p-20F, 1.0625F});
  const CastPointer drawn = make("FP[1|4|3,7](FS)", compat());
  const Tensor tensor = tensor_of(x, {2});
  EXPECT_EQ(*drawn->random_words({.tensor = tensor}), 1U);
  EXPECT_EQ(*make("FP[1|4|3,7](FS)", strict())->random_words({.tensor = tensor}), 2U);
  EXPECT_EQ(*make("FP[1|4|3,7](FN)", compat())->random_words({.tensor = tensor}), 0U);
}

TEST(Dmx, D11_EveryExponentCodeIsFinite) {
  const Patterns x = {kInfBits, 0xFF800000, bits(1e30F)};
  const auto all = [](float most) { return bits({most, -most, most}); };
  expect_cast("FP[1|4|3,7](_N)", x, all(480.F), all(448.F));
  expect_cast("FP[1|5|2,15](_N)", x, all(114688.F), all(57344.F));
  expect_cast("FP[1|3|2,3](_N)", x, all(28.F), all(28.F));
  expect_cast("FP[1|2|3,1](_N)", x, all(7.5F), all(7.5F));
  expect_cast("FP[1|2|1,1](_N)", x, all(6.F), all(6.F));
  expect_cast("FP[1|4|3,5](_N)", x, all(480.F), all(1920.F));
  expect_cast("FP[1|5|10,15](_N)", x, all(131008.F), {kInfBits, 0xFF800000, kInfBits});
  // A NaN is clipped by its sign, or carried into a zero.
  expect_cast("FP[1|4|3,7](_N)", {kNanBits, 0xFFC00000, 0x7FFFFFFF, 0xFFFFFFFF},
              {bits(480.F), bits(-480.F), kMinusZero, 0}, Patterns(4, kNanBits));
}

TEST(Dmx, D12_PassThroughAndFloat16) {
  const Patterns x = {0x7F800001, 1, bits(1.1F)};
  expect_cast("FP[1|8|23,127](_N)", x, x, {kNanBits, 1, bits(1.1F)});
  expect_cast("FP[1|5|10,15](FN)", {0x7FFFFFFF, bits(0x1p-15F), bits(0x1p-14F)},
              {0, 0, bits(0x1p-14F)}, {kNanBits, 0, bits(0x1p-14F)});
  const Tensor half = tensor_of({0x7C00, 0x0001}, {2}, TensorType::kFp16);
  const auto same = make("FP[1|5|10,15](_N)", compat())->apply({.tensor = half});
  ASSERT_TRUE(same);
  EXPECT_EQ(same->front().type, TensorType::kFp16);
  EXPECT_EQ(words_of(same->front()), (Patterns{0x7C00, 0x0001}));
  const auto cast = make("FP[1|5|10,15](_N)", strict())->apply({.tensor = half});
  ASSERT_TRUE(cast);
  EXPECT_EQ(words_of(cast->front()), (Patterns{kInfBits, bits(0x1p-24F)}));
}

TEST(Dmx, D13_LargestRepresentablePowerOfTwo) {
  const std::string name = "largest_representable_power_of_two";
  expect_fact("FP[1|4|3,7](_N)", name, "256", "256");
  expect_fact("FP[1|5|2,15](_N)", name, "65536", "32768");
  expect_fact("FP[1|3|2,3](_N)", name, "16", "16");
  expect_fact("FP[1|2|1,1](_N)", name, "4", "4");
  expect_fact("FP[0|4|4,15](FN)", name, "256", "1");
  expect_fact("FP[1|7|3,63](_N)", name, "18446744073709551616", "18446744073709551616");
}

TEST(Dmx, D14_BlockShorthand) {
  expect_fact("BFP[25|8]{1}(_D)", "repr", "BFP[25|8]{1}(_D)", "BFP[25|8]{1}(_D)");
  for (const char* const text : {"BFP[26|8]{64}(SN)", "BFP[1|8]{64}(SN)", "BFP[8|8]{0}(SN)"}) {
    expect_problem(text, "AssertionError: ", "ValueError: position 0: ");
  }
  // The documented spelling with an axis.
  EXPECT_EQ(problem("BFP[8|8]{2,0}(N)", compat()).substr(0, 10), "TypeError:");
  EXPECT_EQ(make("BFP[8|8]{2,0}(N)", strict())->text(), "BFP[8|8]{2,0}(SN)");
  EXPECT_EQ(make("BFP[8|8]{64,-1}(SN)", strict())->text(), "BFP[8|8]{64,-1}(SN)");
  EXPECT_EQ(make("BFP[8|8]{64,-1}(S)", strict())->text(), "BFP[8|8]{64,-1}(SS)");
  EXPECT_EQ(make("BFP[8|8]{64,-1}(_S)", strict())->text(), "BFP[8|8]{64,-1}(_S)");
  const Patterns x = bits({1.F, 8.F, 0.3F, 0.3F});
  EXPECT_EQ(cast("BFP[4|8]{2,0}(N)", strict(), x, {.shape = {2, 2}}),
            cast("BFP[4|8]{2}(SN)", strict(), x, {.shape = {2, 2}, .axis = 0}));
}

TEST(Dmx, D15_AnyAxisAndAShortTail) {
  const Patterns x = bits({1.F, 0.3F, 4.F, 0.3F, 16.F, 0.3F});
  const Patterns rows = bits({1.F, 0.25F, 4.F, 0.F, 16.F, 0.F});
  expect_cast("BFP[4|8]{2}(SN)", x, rows, rows);
  const Patterns columns = bits({1.F, 0.3F, 4.F, 0.3F, 16.F, 0.3F});
  // Along axis 0 the blocks are (1, 4), (0.3, 0.3), (16), (0.3): 0.3125 of quantum 2^-4.
  const Patterns down = bits({1.F, 0.3125F, 4.F, 0.3125F, 16.F, 0.3125F});
  expect_cast("BFP[4|8]{2}(SN)", columns, down, down, {.shape = {3, 2}, .axis = 0});
  expect_cast("BFP[4|8]{2}(SN)", columns, down, down, {.shape = {3, 2}, .axis = -2});
  const auto out =
      "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 1)";
  EXPECT_EQ(problem("BFP[4|8]{2}(SN)", compat(), x, {.axis = 1}), out);
  EXPECT_EQ(problem("BFP[4|8]{2}(SN)", strict(), x, {.axis = 1}), out);
}

TEST(Dmx, D15_EmptyAndZeroDimensionalTensors) {
  const auto outcome = [](const char* text, const Setting& setting, Shape shape) {
    const Tensor tensor = Tensor::zeros("values", TensorType::kFp32, std::move(shape));
    const auto results = make(text, setting)->apply({.tensor = tensor, .axis = -1});
    return std::string(results.problem()).substr(0, 13);
  };
  for (const char* const text :
       {"BFP[8|8]{4}(SN)", "MXFP8[E4M3]{4}", "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{4}"}) {
    EXPECT_EQ(outcome(text, compat(), {}), "IndexError: t") << text;
    EXPECT_EQ(outcome(text, compat(), {3, 0}), "RuntimeError:") << text;
    EXPECT_EQ(outcome(text, strict(), {}), "") << text;
    EXPECT_EQ(outcome(text, strict(), {3, 0}), "") << text;
  }
  EXPECT_EQ(outcome("BFP[8|8]{4}(SN)", compat(), {0, 3}), "RuntimeError:");
  EXPECT_EQ(outcome("MXFP8[E4M3]{4}", compat(), {0, 3}), "");
  EXPECT_EQ(outcome("BFP[8|8]{1}(SN)", compat(), {}), "");
}

TEST(Dmx, D16_BlockSizeOne) {
  // The two tables of the package's own tests.
  const Patterns x = bits({1.F, 1 + 0x1p-7F, 1 + 0x1p-6F, 1 + 0x1p-6F + 0x1p-7F, -1 - 0x1p-7F});
  const Patterns out = bits({1.F, 1.F, 1.015625F, 1.03125F, -1.F});
  expect_cast("BFP[8|8]{1}(SN)", x, out, out);
  const Patterns y = bits({1.F, 1.125F, 1.25F, 1.375F, -1.375F});
  const Patterns four = bits({1.F, 1.F, 1.25F, 1.5F, -1.5F});
  expect_cast("BFP[4|8]{1}(SN)", y, four, four);
  expect_cast("BFP[25|8]{1}(SN)", bits({1.5F, 0.F}), bits({-1.5F, -0x1p-125F}), bits({1.5F, 0.F}));
  EXPECT_EQ(problem("BFP[8|8]{1}(SU)", compat(), x), "AssertionError: invalid rounding mode, up");
  EXPECT_EQ(cast("BFP[4|8]{1}(SU)", strict(), y), bits({1.F, 1.25F, 1.25F, 1.5F, -1.25F}));
}

TEST(Dmx, D17_BlockRounding) {
  const Patterns x = bits({1.F, 0.125F, -0.125F, 0.3F});
  const Patterns down = bits({1.F, 0.F, -0.25F, 0.25F});
  expect_cast("BFP[4|8]{4}(SD)", x, down, down);
  // Up is one code more for exact values too.
  expect_cast("BFP[4|8]{4}(SU)", x, bits({1.25F, 0.25F, 0.F, 0.5F}), bits({1.F, 0.25F, 0.F, 0.5F}));
  const Given words = {.random = {0x7FFFF, 0x3FFFF, 0x40000, 0x7FFFF}};
  const Patterns drawn = bits({1.F, 0.F, 0.F, 0.5F});
  expect_cast("BFP[4|8]{4}(SS)", x, drawn, drawn, words);
}

TEST(Dmx, D17_WordLengthsBeyond22) {
  const Patterns x = bits({1.5F, -0.75F});
  const std::uint32_t lowest = 0xBFFFFFFC;  // -(2 - 2^-21)
  expect_cast("BFP[23|8]{2}(SN)", x, {0xBFFFFFFC, 0xBFFFFFFC}, x);
  EXPECT_EQ(cast("BFP[23|8]{2}(SN)", compat(), x)[0], lowest);
  expect_cast("BFP[24|8]{2}(SD)", x, {0xBFFFFFFE, 0xBFFFFFFE}, x);
  expect_cast("BFP[25|8]{2}(SN)", x, {0xBFFFFFFF, 0xBFFFFFFF}, x);
}

TEST(Dmx, D18_SymmetricClip) {
  const Patterns x = bits({1.999F, -1.999F, 1.F, -1.97F});
  const Patterns out = bits({1.75F, -1.75F, 1.F, -1.75F});
  expect_cast("BFP[4|8]{4}(SN)", x, out, out);
}

TEST(Dmx, D19_AsymmetricPostProcess) {
  const Patterns x = bits({-2 + 0x1p-8F, -2 + 0x1p-7F, -2 + 0x1.2p-7F, 1.999F});
  const Patterns out = bits({-2.F, -2.F, -1.984375F, 1.984375F});
  expect_cast("BFP[8|8]{4}(_N)", x, out, out);
  // On its own: -127 beside -127.6 becomes -128.
  const Tensor quantized = tensor_of(bits({-127.F, 64.F}), {1, 2});
  const Tensor values = tensor_of(bits({-127.6F, 64.F}), {1, 2}, TensorType::kFp32, "fp32_inp");
  for (const Setting& setting : {compat(), strict()}) {
    const auto made = make("make_mantissa_asymmetric(n_mantissa_bits=8)", setting)
                          ->apply({.tensor = quantized, .operands = {values}});
    ASSERT_TRUE(made);
    EXPECT_EQ(words_of(made->front()), bits({-128.F, 64.F}));
  }
  EXPECT_EQ(problem("make_mantissa_asymmetric", compat(), bits({1.F}), {.shape = {1, 1}}),
            "ValueError: the operand 'fp32_inp' is missing");
}

/// Quanta below the smallest binary32 number become 0 in the rebuild; their codes stay positive.
/// The answers are the package's own.
TEST(Dmx, D19_RebuiltRowsOfSubnormals) {
  const Patterns x = {1, 3, 0, 0xBF7FFFFF, 0xBF7FFFFC, 0};
  const Given rows = {.shape = {2, 3}, .axis = -1};
  EXPECT_EQ(cast("BFP[23|8]{3}(_D)", compat(), x, rows),
            (Patterns{0, 0, 0, 0xBF800000, 0xBF7FFFFC, 0}));
  EXPECT_EQ(cast("BFP[22|8]{3}(_N)", compat(), x, rows),
            (Patterns{0, 0, 0, 0xBF800000, 0xBF800000, 0}));
  EXPECT_EQ(cast("BFP[23|8]{2}(_U)", compat(), x, rows),
            (Patterns{0, 0, 1, 0xBF800000, 0xBF7FFFF8, 1}));
  EXPECT_EQ(cast("BFP[22|8]{3}(_N)", compat(), {0xC88, 0xC88, 0xC88, 0xFF7FFFFF, 0, 0}, rows),
            (Patterns{0, 0, 0, 0xFF800000, 0xFF7FFFF8, 0xFF7FFFF8}));
}

TEST(Dmx, D20_Identifiers) {
  EXPECT_EQ(bfp_id_of("DMX_BFP_32_1"), 10001);
  EXPECT_EQ(bfp_id_of("DMX_BFP_14A_128"), 10017);
  EXPECT_EQ(bfp_id_of("DMX_UBFP_32_1"), 10025);
  EXPECT_EQ(bfp_id_of("DMX_UBFP_12_16"), 10040);
  EXPECT_EQ(bfp_id_of("DMX_UBFP_14A_128"), 0);
  EXPECT_EQ(bfp_id_of("DMX_SBFP_12_16_18"), 10055);
  expect_fact("BFP[8|8]{64}(SN)", "bfp_id", "10006", "10006");
  expect_fact("BFP[4|8]{16}(_N)", "bfp_id", "10024", "10024");
  expect_fact("SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}", "bfp_id", "10044", "10044");
  expect_fact("MXINT4{32}", "bfp_id", "10015", "10015");
  expect_fact("MXFP8[E4M3]{32}", "bfp_id", "None", "None");
  expect_fact("BFP[8|8]{64}(_N)", "bfp_id", "KeyError: DMX_BFP_16A_64", "KeyError: DMX_BFP_16A_64");
  expect_fact("BFP[8|8]{100}(SN)", "bfp_id", "KeyError: DMX_BFP_16_100",
              "KeyError: DMX_BFP_16_100");
}

TEST(Dmx, D21_ScaledBlockShorthand) {
  EXPECT_EQ(fact("SBFP<xp[4,0](CSN)><fp[0|4|4,7](FN)>{16}", compat(), "repr"),
            "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}");
  EXPECT_EQ(problem("SBFP<xp[4,0](CSN)><fp[0|4|4,7](FN)>{16}", strict()),
            "ValueError: position 5: 'XP[' is expected");
  expect_problem("SBFP<XP[4,1](CSN)><FP[0|4|4,7](FN)>{16}",
                 "AssertionError: block format needs to have zero fraction",
                 "ValueError: position 0: block format needs to have zero fraction");
  expect_problem("SBFP<XP[4,0](C_N)><FP[0|4|4,7](FN)>{16}",
                 "AssertionError: block format needs to have symmetric range",
                 "ValueError: position 0: block format");
  expect_problem("SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{0}", "AssertionError: block size",
                 "ValueError: position 0: block size");
}

TEST(Dmx, D22_ScaledBlockCast) {
  // The specification's example; then a block of Inf, a zero block, one bit.
  expect_cast("SBFP<XP[8,0](CSN)><FP[0|4|4,10](FN)>{2}", bits({1.F, 0.5F}),
              bits({127 * 0.0078125F, 64 * 0.0078125F}), bits({127 * 0.0078125F, 64 * 0.0078125F}));
  const Patterns x = {kInfBits, bits(1.F), kMinusZero, 0};
  const Patterns out = cast("SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{2}", compat(), x);
  EXPECT_GT(out[0] & 0x7FFFFFFF, kInfBits);
  EXPECT_EQ((Patterns{out[1], out[2], out[3]}), (Patterns{0, kMinusZero, 0}));
  EXPECT_EQ(cast("SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{2}", strict(), x),
            (Patterns{kNanBits, kNanBits, 0, 0}));
  expect_cast("SBFP<XP[1,0](CSN)><FP[0|4|4,7](FN)>{2}", bits({3.F, -1.F}), bits({0.F, 0.F}),
              bits({0.F, 0.F}));
}

TEST(Dmx, D23_MxfpShorthand) {
  expect_problem("MXFP8[E4M2]{32}", "AssertionError: ", "ValueError: position 4: the precision");
  EXPECT_EQ(fact("MXFP8[e4m3]{32}", compat(), "repr"), "MXFP8[E4M3]{32}");
  EXPECT_EQ(problem("MXFP8[e4m3]{32}", strict()).substr(0, 22), "ValueError: position 5");
  for (const char* const text : {"MXFP4[E3M0]{32}", "MXFP9[E8M0]{7}", "MXFP27[E3M23]{1}"}) {
    expect_fact(text, "repr", text, text);
  }
  // An element format that no shorthand can say; the package's repr loses it.
  const std::string own = "MXFP<FP[0|4|3,9](FS)>{8}";
  expect_fact(own, "repr", "MXFP8[E4M3]{8}", "MXFP8[E4M3]{8}");
  EXPECT_EQ(make(own, compat())->text(), own);
}

TEST(Dmx, D24_MxfpCast) {
  const Patterns x = bits({1.F, 0.3F, -0.01F, 1.7F});
  expect_cast("MXFP8[E4M3]{4}", x, bits({1.F, 0.3125F, -0.009765625F, 1.75F}),
              bits({1.F, 0.3125F, -0.009765625F, 1.75F}));
  expect_cast("MXFP8[E5M2]{4}", x, bits({1.F, 0.3125F, -0.009765625F, 1.75F}),
              bits({1.F, 0.3125F, -0.009765625F, 1.75F}));
  expect_cast("MXFP6[E2M3]{4}", x, bits({1.F, 0.3125F, 0.F, 1.75F}),
              bits({1.F, 0.3125F, -0.F, 1.75F}));
  expect_cast("MXFP6[E3M2]{4}", x, bits({1.F, 0.3125F, -0.01171875F, 1.75F}),
              bits({1.F, 0.3125F, -0.01171875F, 1.75F}));
  expect_cast("MXFP4[E2M1]{4}", x, bits({1.F, 0.25F, 0.F, 1.5F}), bits({1.F, 0.25F, -0.F, 1.5F}));
  expect_cast("MXFP4[E3M0]{4}", x, bits({1.F, 0.25F, -0x1p-6F, 1.F}),
              bits({1.F, 0.25F, -0x1p-6F, 1.F}));
}

TEST(Dmx, D24_BlockDimZeroPermutesTheElements) {
  // Chunks of two rows side by side are joined one below the other.
  Patterns x;
  for (int i = 1; i <= 8; ++i) x.push_back(bits(static_cast<float>(i)));
  const Given along = {.shape = {4, 2}, .axis = 0};
  expect_cast("MXFP8[E4M3]{2}", x, bits({1.F, 5.F, 3.F, 7.F, 2.F, 6.F, 4.F, 8.F}), x, along);
  expect_cast("MXFP8[E4M3]{2}", x, x, x, {.shape = {2, 4}, .axis = 1});
  EXPECT_EQ(problem("MXFP8[E4M3]{2}", compat(), x, {.shape = {2, 2, 2}, .axis = 2}),
            "IndexError: Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  EXPECT_EQ(cast("MXFP8[E4M3]{2}", strict(), x, {.shape = {2, 2, 2}, .axis = 2}), x);
}

TEST(Dmx, D25_MxfpScalesAreUnclamped) {
  // 2^-128 / 2^2 is a scale below e8m0's least; strict clamps it to 2^-127.
  expect_cast("MXFP4[E2M1]{2}", bits({0x1p-128F, 0x1p-129F}), bits({0x1p-128F, 0x1p-129F}),
              bits({0x1p-128F, 0.F}));
  const Patterns nan = {kNanBits, bits(1.F)};
  for (const std::uint32_t y : cast("MXFP8[E4M3]{2}", compat(), nan)) {
    EXPECT_GT(y & 0x7FFFFFFF, kInfBits);
  }
  EXPECT_EQ(cast("MXFP8[E4M3]{2}", strict(), nan), Patterns(2, kNanBits));
}

TEST(Dmx, D26_MxintShorthand) {
  expect_fact("MXINT6{128}", "repr", "MXINT6{128}", "MXINT6{128}");
  expect_problem("MXINT1{32}", "AssertionError: ", "ValueError: position 0: ");
  expect_problem("MXint8{32}", "ValueError: unrecognized", "ValueError: position 0: ");
  EXPECT_EQ(fact("MXINT+8{ 32}", compat(), "repr"), "MXINT8{32}");
  EXPECT_EQ(problem("MXINT+8{ 32}", strict()).substr(0, 22), "ValueError: position 5");
  const Patterns x = bits({1.99F, -1.99F, 0.3F});
  const Patterns out = bits({1.75F, -1.75F, 0.25F});
  expect_cast("MXINT4{3}", x, out, out);
}

TEST(Dmx, D27_SizesInBitsAndBytes) {
  struct Row {
    const char *text, *bits, *bytes, *strict_bits, *strict_bytes;
  };
  for (const Row& row : std::vector<Row>{
           {"SAME", "None", "None", "None", "None"},
           {"XP[8,+4](CSN)", "8.0", "1.0", "8.0", "1.0"},
           {"XP[13,0](CSN)", "13.0", "1.625", "13.0", "1.625"},
           {"FP[1|5|10,15](FN)", "16.0", "2.0", "16.0", "2.0"},
           {"FP[0|4|4,7](FN)", "8.0", "1.125", "8.0", "1.0"},
           {"BFP[8|8]{64}(SN)", "8.125", "1.015625", "8.125", "1.015625"},
           {"BFP[24|8]{1}(SN)", "32.0", "4.0", "32.0", "4.0"},
           {"BFP[8|8]{100}(SN)", "8.08", "1.01", "8.08", "1.01"},
           {"BFP[4|8]{12345}(SN)", "4.0006480356419605", "0.5000810044552451", "4.0006480356419605",
            "0.5000810044552451"},
           {"SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}", "4.5", "0.5703125", "4.5", "0.5625"},
           {"MXFP6[E2M3]{32}", "AttributeError: '", "0.78515625", "6.25", "0.78125"},
           {"MXFP4[E2M1]{32}", "AttributeError: '", "0.53515625", "4.25", "0.53125"},
           {"MXINT6{128}", "6.0625", "0.7578125", "6.0625", "0.7578125"}}) {
    EXPECT_TRUE(fact(row.text, compat(), "bit_precision").starts_with(row.bits)) << row.text;
    EXPECT_EQ(fact(row.text, compat(), "bytes_per_elem"), row.bytes) << row.text;
    EXPECT_EQ(fact(row.text, strict(), "bit_precision"), row.strict_bits) << row.text;
    EXPECT_EQ(fact(row.text, strict(), "bytes_per_elem"), row.strict_bytes) << row.text;
  }
}

TEST(Dmx, D28_NamedFormats) {
  EXPECT_EQ(aliases().size(), 76U);
  for (const Alias& each : aliases()) {
    for (const Setting& setting : {compat(), strict()}) {
      EXPECT_EQ(fact("format." + std::string(each.name), setting, "repr"), each.in(setting.mode));
    }
  }
  expect_fact("format.MXFP6_E3M2K64", "repr", "MXFP6[E3M2]{64}", "MXFP6[E3M2]{64}");
  expect_fact("format.SBFP12_16_18", "repr", "SBFP<XP[4,0](CSN)><FP[0|4|4,18](FN)>{16}",
              "SBFP<XP[4,0](CSN)><FP[0|4|4,18](FN)>{16}");
  expect_problem("format.BFP17_1", "AttributeError: ", "AttributeError: ");
}

std::vector<Tensor> cast_to(const std::string& text, const Setting& setting, const Tensor& values,
                            const std::vector<Tensor>& operands) {
  std::vector<TensorView> views(operands.begin(), operands.end());
  const auto made = make(text, setting)->apply({.tensor = values, .operands = views});
  EXPECT_TRUE(made) << text << ": " << made.problem();
  return made ? *made : std::vector<Tensor>(2);
}

TEST(Dmx, D29_CastToMapsAffinely) {
  const Tensor x = tensor_of(bits({1.F, 2.6F, -3.F, 100.F}), {2, 2});
  const Tensor scale = tensor_of(bits({0.5F, 2.F}), {2}, TensorType::kFp32, "scale");
  const Tensor zero = tensor_of({3, 0xFFFFFFFF}, {2}, TensorType::kInt32, "zero_point");
  for (const Setting& setting : {compat(), strict()}) {
    const std::string channel = "CastTo(XP[4,0](CSN), ch_axis=1, per_channel=True)";
    // (2 + 3, 1.3 - 1), (-6 + 3, 50 - 1 clamped to 7), and back.
    EXPECT_EQ(words_of(cast_to(channel, setting, x, {scale, zero})[0]),
              bits({1.F, 2.F, -3.F, 16.F}));
    const std::string groups = "CastTo(XP[4,0](CSN), group_size=1, ch_axis=0)";
    EXPECT_EQ(words_of(cast_to(groups, setting, x, {scale, zero})[0]),
              bits({1.F, 2.F, -2.F, 16.F}));
    EXPECT_EQ(words_of(cast_to("CastTo(XP[4,0](CSN))", setting, x, {})[0]),
              bits({1.F, 3.F, -3.F, 7.F}));
    EXPECT_EQ(
        problem("CastTo(XP[4,0](CSN), group_size=2, per_channel=True)", setting).substr(0, 15),
        "AssertionError:");
    EXPECT_EQ(problem("CastTo(XP[4,0](CSN), size=2)", setting).substr(0, 22),
              "ValueError: position 2");
  }
}

TEST(Dmx, D30_GradientsPassAndResultsTakeTheInputsType) {
  const Tensor half = tensor_of({0x3C00, 0x3555}, {2}, TensorType::kFp16);  // 1, 1/3
  for (const Setting& setting : {compat(), strict()}) {
    const auto made = cast_to("CastTo(BFP[4|8]{2}(SN))", setting, half, {});
    EXPECT_EQ(made[0].type, TensorType::kFp16);
    EXPECT_EQ(words_of(made[0]), (Patterns{0x3C00, 0x3400}));
  }
  const Tensor x = tensor_of(bits({1.F}), {1});
  const Tensor gradient = tensor_of({bits(0x1p127F)}, {1}, TensorType::kFp32, "gradient");
  const Tensor scale = tensor_of(bits({4.F}), {1}, TensorType::kFp32, "scale");
  // Times the scale, then divided by it: an overflow stays. Strict is straight through.
  const std::string text = "CastTo(XP[8,0](CSN))";
  EXPECT_EQ(words_of(cast_to(text, compat(), x, {scale, gradient})[1]), Patterns{kInfBits});
  EXPECT_EQ(words_of(cast_to(text, strict(), x, {scale, gradient})[1]), bits({0x1p127F}));
  EXPECT_EQ(words_of(cast_to("CastTo(MXFP8[E4M3]{2})", compat(), x, {gradient})[1]),
            bits({0x1p127F}));
}

TEST(Dmx, D31_Platforms) {
  const auto on = [](Platform platform) {
    return Setting{.mode = Mode::kCompat, .platform = platform};
  };
  // CUDA rounds fixed point away from zero at ties and shifts by 23 bits to the identity.
  const Patterns x = bits({0.5F, -2.5F});
  EXPECT_EQ(cast("XP[8,0](CSN)", on(Platform::kX86), x), bits({0.F, -2.F}));
  EXPECT_EQ(cast("XP[8,0](CSN)", on(Platform::kCuda), x), bits({1.F, -3.F}));
  EXPECT_EQ(cast("FP[1|8|23,127](FN)", on(Platform::kCuda), x), x);
  // Zero blocks of MXFP: the sign of 0/0.
  const Patterns zeros = {0, 0};
  EXPECT_EQ(cast("MXFP4[E2M1]{2}", on(Platform::kX86), zeros), bits({-0.F, -0.F}));
  EXPECT_EQ(cast("MXFP4[E2M1]{2}", on(Platform::kAarch64), zeros), bits({0.F, 0.F}));
  EXPECT_EQ(cast("MXFP4[E2M1]{2}", on(Platform::kCuda), zeros), bits({-0.F, -0.F}));
  // Huge blocks: Inf - Inf.
  const Patterns huge = bits({0x1p126F, 1.F});
  const Patterns lowest(2, bits(-0x1.cp126F));
  EXPECT_EQ(cast("BFP[4|8]{2}(SN)", on(Platform::kX86), huge), lowest);
  EXPECT_EQ(cast("BFP[4|8]{2}(SN)", on(Platform::kCuda), huge), Patterns(2, bits(0x1.cp126F)));
  // Strict reads no platform.
  EXPECT_EQ(cast("XP[8,0](CSN)", {.mode = Mode::kStrict, .platform = Platform::kCuda}, x),
            bits({0.F, -2.F}));
}

}  // namespace
}  // namespace mx::emulators::dmx
