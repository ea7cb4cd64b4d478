// T2 to T7 and the quirks of quantize_mx. Literal bits are those of spec S9.3 (run on the package)
// unless a comment says otherwise.
#include <algorithm>

#include "emulators/torchmx/packing.hpp"
#include "reference/block/quantizer.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/table.hpp"
#include "tests/emulators/torchmx/support.hpp"

namespace mx::emulators::torchmx {
namespace {

constexpr std::uint64_t kNan = 0x7FC0;

Outcome outcome(const Words& input, std::string_view name, const Variant& variant) {
  return quantized(bf16s(input), name, static_cast<std::int64_t>(input.size()), variant);
}

// The package's exponent rule, field by field: get_e8m0_shared_exponent.
TEST(Torchmx, T2_SharedExponentComesFromTheField) {
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    EXPECT_EQ(outcome({0x3F80, 0x4000}, "float8_e4m3", variant).scale, Words{128 - 8});
    EXPECT_EQ(outcome({0x007F, 0x0001}, "float8_e4m3", variant).scale, Words{0});
    EXPECT_EQ(outcome({0x0400, 0}, "float8_e4m3", variant).scale, Words{0});
    EXPECT_EQ(outcome({0x0480, 0}, "float8_e4m3", variant).scale, Words{1});
    EXPECT_EQ(outcome({0x7F7F, 0}, "float8_e4m3", variant).scale, Words{246});
    EXPECT_EQ(outcome({0x7F7F, 0}, "float4_e2m1", variant).scale, Words{252});
    for (const std::uint64_t special : {std::uint64_t{0x7F80}, std::uint64_t{0xFF80}, kNan}) {
      EXPECT_EQ(outcome({0x3F80, special}, "float6_e3m2", variant).scale, Words{255});
    }
  }
}

TEST(Torchmx, T2_SharedExponentOfFp32Blocks) {
  const Tensor blocks =
      tensor_of(TensorType::kFp32, {2, 2}, {0x3F800000, 0x40FFFFFF, 0x7F800000, 0x3F800000});
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    EXPECT_EQ(words_of(*get_e8m0_shared_exponent(blocks, kFloat8E4m3, mode)), (Words{121, 255}));
  }
  EXPECT_EQ(words_of(*get_e8m0_shared_exponent(blocks, kInt8, Mode::kCompat)), (Words{123, 255}));
  EXPECT_EQ(words_of(*get_e8m0_shared_exponent(blocks, kInt8, Mode::kStrict)), (Words{129, 255}));
  const Tensor halves = tensor_of(TensorType::kFp16, {2}, {0, 0});
  EXPECT_EQ(exception_of(get_e8m0_shared_exponent(halves, kInt8, Mode::kCompat).problem()),
            "AssertionError");
}

// One block of the package for each element type.
TEST(Torchmx, T3_EveryElementTypeOnTheSimulatedPath) {
  const Words input = {0x3F80, 0xBF40, 0x4040, 0x3E20};  // 1, -0.75, 3, 0.15625
  const auto compat = [&](std::string_view name) { return outcome(input, name, kSim); };
  EXPECT_EQ(compat("float8_e4m3"), (Outcome{{0x78}, {0x70, 0xEC, 0x7C, 0x5A}, ""}));
  EXPECT_EQ(compat("float6_e3m2"), (Outcome{{0x7C}, {0x18, 0x36, 0x1E, 0x0D}, ""}));
  EXPECT_EQ(compat("float6_e2m3"), (Outcome{{0x7E}, {0x10, 0x2C, 0x1C, 0x02}, ""}));
  EXPECT_EQ(compat("float4_e2m1"), (Outcome{{0x7E}, {0x4B, 0x71}, ""}));
  EXPECT_EQ(compat("int8"), (Outcome{{0x7A}, {0x20, 0xE8, 0x60, 0x05}, ""}));
  for (const DType& each : kSupportedFpElemDtypes) {
    EXPECT_EQ(outcome(input, each.name, kStrictly), compat(each.name));
  }
  EXPECT_EQ(outcome(input, "int8", kStrictly), (Outcome{{0x80}, {0x20, 0xE8, 0x60, 0x05}, ""}));
}

// Every finite word that is not above the block's exponent, under every scale that has one: the two
// literal paths and the table that answers for both.
TEST(Torchmx, T4_BothPathsAndTheTableAgree) {
  for (const DType& each : kSupportedFpElemDtypes) {
    const CodeTable& table = code_table(each, Mode::kCompat);
    int differ = 0;
    for (int top = 0; top < 255; top += 3) {
      const std::uint8_t scale = shared_exponent_of(top, each, Mode::kCompat);
      for (int magnitude = 0; magnitude < (top + 1) << 7; magnitude += top < 40 ? 1 : 5) {
        for (const int sign : {0, 0x8000}) {
          const auto word = static_cast<std::uint16_t>(magnitude | sign);
          const std::uint8_t simulated =
              simulated_code(Bits{word} << 16, scale, each, Mode::kCompat);
          differ += hw_exact_code(word, scale, each) != simulated ? 1 : 0;
          differ += table(word, scale) != simulated ? 1 : 0;
        }
      }
    }
    EXPECT_EQ(differ, 0) << each.name;
  }
}

// Of blocks under the scale that they chose, the shorter look-up is the whole one.
TEST(Torchmx, T4_TheShorterLookUpIsTheWholeOne) {
  for (const DType& each : kSupportedElemDtypes) {
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      const CodeTable& table = code_table(each, mode);
      int differ = 0;
      int compared = 0;
      for (int top = 0; top < 255; ++top) {
        const std::uint8_t scale = shared_exponent_of(top, each, mode);
        for (int magnitude = 0; table.is_normal(scale) && magnitude < (top + 1) << 7;
             magnitude += 7) {
          const auto word = static_cast<std::uint16_t>(magnitude | (magnitude & 1) << 15);
          std::uint8_t code = 0;
          table.normal(std::as_bytes(std::span(&word, 1)), scale, &code);
          differ += code != table(word, scale) ? 1 : 0;
          ++compared;
        }
      }
      EXPECT_EQ(differ, 0) << each.name;
      EXPECT_GT(compared, 100'000);
    }
  }
}

// int8 has the simulated path only, so the switch changes nothing.
TEST(Torchmx, T4_TheSwitchLeavesInt8Alone) {
  const Words input = {0x3F80, 0xBF40, kNan, 0x3E20};
  EXPECT_EQ(outcome(input, "int8", kHw), outcome(input, "int8", kSim));
  EXPECT_EQ(hw_exact_code(0x3F80, 120, kFloat8E4m3), 0x78 - 8);
}

// Under FF the exact path leaves a code, without sign, in so many of the finite words (spec S6.3).
TEST(Torchmx, T4_CodesLeftInNanBlocksAreCounted) {
  const int expected[] = {990, 702, 990, 382};
  for (std::size_t i = 0; i < kSupportedFpElemDtypes.size(); ++i) {
    int count = 0;
    for (int word = 0; word < 1 << 16; ++word) {
      const bool is_finite = (word & 0x7FFF) < 0x7F80;
      const std::uint8_t code =
          hw_exact_code(static_cast<std::uint16_t>(word), 255, kSupportedFpElemDtypes[i]);
      count += is_finite && code != 0 ? 1 : 0;
      EXPECT_EQ(code >> (kSupportedFpElemDtypes[i].bits() - 1), 0);
    }
    EXPECT_EQ(count, expected[i]) << kSupportedFpElemDtypes[i].name;
  }
}

// The block engine of the reference makes the same codes of every word under every exponent.
TEST(Torchmx, T5_StrictIsTheReferencesOcpBlock) {
  const std::pair<std::string_view, std::string_view> names[] = {{"float8_e4m3", "mxfp8_e4m3"},
                                                                 {"float6_e3m2", "mxfp6_e3m2"},
                                                                 {"float6_e2m3", "mxfp6_e2m3"},
                                                                 {"float4_e2m1", "mxfp4"},
                                                                 {"int8", "mxint8"}};
  for (const auto& [name, format] : names) {
    const BlockFormat* const block = find_block_format(format);
    ASSERT_NE(block, nullptr);
    BlockFormat pair = *block;
    pair.block_size = 2;
    const Checked<Quantizer> quantizer =
        Quantizer::make({.source = formats::bf16, .format = pair, .element = {}, .block = {}});
    ASSERT_EQ(quantizer.problem(), "");
    for (std::uint64_t top = 0; top < 0x7F80; top += 0x6D) {
      for (std::uint64_t x = top & 0xFF; x <= top; x += 97) {
        const std::uint64_t source[] = {top, x | 0x8000};
        std::uint64_t codes[2] = {};
        const BlockResult block_result = quantizer->quantize_block(source, {}, codes);
        Words expected = {codes[0], codes[1]};
        if (name == "float4_e2m1") expected = {codes[0] << 4 | codes[1]};
        const Outcome found = outcome({source[0], source[1]}, name, kStrictly);
        ASSERT_EQ(found, (Outcome{{block_result.scale_code}, expected, ""})) << name << " " << top;
      }
    }
  }
}

TEST(Torchmx, T5_SaturatesRoundsToEvenAndKeepsSubnormalsAndSigns) {
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    // 1.9921875 saturates; 1.8125 is a tie, 1.75 and 1.875; -0; ties below the smallest magnitude.
    EXPECT_EQ(outcome({0x3FFF, 0x3FE8, 0x8000, 0x3F88}, "float8_e4m3", variant),
              (Outcome{{0x77}, {0x7E, 0x7E, 0x80, 0x78}, ""}));
    // Subnormals of E4M3 under scale 77: 2^-17 is one unit, 1.5 units are a tie, then 0.75 units.
    EXPECT_EQ(outcome({0x3F80, 0x3700, 0x3740, 0xB6C0}, "float8_e4m3", variant),
              (Outcome{{0x77}, {0x78, 0x01, 0x02, 0x81}, ""}));
  }
}

TEST(Torchmx, T6_Int8RangeAndScaleOffset) {
  const Words input = {0x3FFF, 0xBFFF, 0x3F80, 0x3C00};  // 1.9921875 twice, 1, 2^-7
  EXPECT_EQ(outcome(input, "int8", kSim), (Outcome{{0x79}, {0x7F, 0x81, 0x40, 0x00}, ""}));
  EXPECT_EQ(outcome(input, "int8", kStrictly), (Outcome{{0x7F}, {0x7F, 0x81, 0x40, 0x00}, ""}));
  // No input reaches -128.
  for (std::uint64_t word = 0x8000; word < 0xFF80; ++word) {
    for (const Variant& variant : {kSim, kStrictly}) {
      EXPECT_NE(outcome({word}, "int8", variant).data, Words{0x80});
    }
  }
}

TEST(Torchmx, T7_PacksFp4HighNibbleFirstAndLeavesFp6Unpacked) {
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    EXPECT_EQ(outcome({0x4080, 0x3F80, 0xC0C0, 0x3F00}, "float4_e2m1", variant).data,
              (Words{0x62, 0xF1}));
    EXPECT_EQ(outcome({0x4080, 0x3F80, 0xC0C0, 0x3F00}, "float6_e2m3", variant).data.size(), 4U);
  }
  // An odd row: only strict pads it.
  EXPECT_EQ(exception_of(outcome({0x4080, 0x3F80, 0xC0C0}, "float4_e2m1", kSim).problem),
            "AssertionError");
  EXPECT_EQ(outcome({0x4080, 0x3F80, 0xC0C0}, "float4_e2m1", kStrictly).data, (Words{0x62, 0xF0}));
}

TEST(Torchmx, T7_PacksAlongEveryDimension) {
  const Tensor codes = tensor_of(TensorType::kUint8, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(words_of(*pack_uint4(codes)), (Words{0x12, 0x34, 0x56, 0x78}));
  EXPECT_EQ(words_of(*pack_uint4(codes, 1)), (Words{0x13, 0x24, 0x57, 0x68}));
  EXPECT_EQ(words_of(*pack_uint4(codes, 0)), (Words{0x15, 0x26, 0x37, 0x48}));
  for (const std::int64_t dim : {-3, -2, -1, 0, 1, 2}) {
    EXPECT_EQ(unpack_uint4(*pack_uint4(codes, dim), dim)->bytes, codes.bytes) << dim;
  }
  EXPECT_EQ(exception_of(pack_uint4(bytes_of({1, 2, 3})).problem()), "AssertionError");
  EXPECT_EQ(exception_of(unpack_uint4(codes, 3).problem()), "IndexError");
}

TEST(Torchmx, KT1_Int8ScaleByteIsSixLower) {
  const Words input = {0x3F80, 0x3F00, 0xBE80};
  EXPECT_EQ(outcome(input, "int8", kSim), (Outcome{{0x79}, {0x40, 0x20, 0xF0}, ""}));
  EXPECT_EQ(outcome(input, "int8", kStrictly), (Outcome{{0x7F}, {0x40, 0x20, 0xF0}, ""}));
}

TEST(Torchmx, KT2_Int8AtTheLowEndOfE8m0) {
  const Words input = {0x0008, 0x0001};  // 2^-130, 2^-133
  EXPECT_EQ(outcome(input, "int8", kSim), (Outcome{{0}, {0, 0}, ""}));
  EXPECT_EQ(outcome(input, "int8", kStrictly), (Outcome{{0}, {8, 1}, ""}));
}

TEST(Torchmx, KT3_Int8NeverUsesItsSmallestCode) {
  const Words input = {0xBFFF, 0x3FFF, 0x3F80, 0xBFFE};  // -127.5/64, 127.5/64, 1, -127/64
  EXPECT_EQ(outcome(input, "int8", kSim), (Outcome{{0x79}, {0x81, 0x7F, 0x40, 0x81}, ""}));
  EXPECT_EQ(outcome(input, "int8", kStrictly), (Outcome{{0x7F}, {0x81, 0x7F, 0x40, 0x81}, ""}));
}

TEST(Torchmx, KT4_E4m3Saturates) {
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    EXPECT_EQ(outcome({0x3FF3, 0x3F80, 0xBFF3}, "float8_e4m3", variant),
              (Outcome{{0x77}, {0x7E, 0x78, 0xFE}, ""}));
  }
}

TEST(Torchmx, KT5_ZeroBlockKeepsTheSignOfZero) {
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    EXPECT_EQ(outcome({0, 0x8000}, "float8_e4m3", variant), (Outcome{{0}, {0x00, 0x80}, ""}));
  }
}

TEST(Torchmx, KT6_HardwareExactPathLeavesCodesInANanBlock) {
  const Words input = {kNan, 0xFA81, 0x7A81};
  EXPECT_EQ(outcome(input, "float8_e4m3", kHw), (Outcome{{0xFF}, {0, 1, 1}, ""}));
  EXPECT_EQ(outcome(input, "float8_e4m3", kSim), (Outcome{{0xFF}, {0, 0, 0}, ""}));
  // strict: codes are don't care; they are 0 on both paths.
  for (const Path path : {Path::kSimulated, Path::kHwExact}) {
    EXPECT_EQ(outcome(input, "float8_e4m3", {Mode::kStrict, path}),
              (Outcome{{0xFF}, {0, 0, 0}, ""}));
  }
}

TEST(Torchmx, KT7_NegativeUnderflowKeepsItsSign) {
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    EXPECT_EQ(outcome({0x8DA2, 0x3F80, 0x3680}, "float8_e4m3", variant),
              (Outcome{{0x77}, {0x80, 0x78, 0x00}, ""}));
  }
}

TEST(Torchmx, KT9_Fp4PackingHasTheEvenIndexHigh) {
  for (const Variant& variant : {kSim, kHw, kStrictly}) {
    EXPECT_EQ(outcome({0x4080, 0x3F80, 0xC0C0, 0x3F00}, "float4_e2m1", variant),
              (Outcome{{0x7F}, {0x62, 0xF1}, ""}));
  }
}

// What the package raises, in its order.
TEST(Torchmx, T3_RefusesWhatThePackageRefuses) {
  const auto refused = [](const Tensor& data, std::string_view name, std::int64_t size,
                          const Variant& variant = kSim) {
    return exception_of(quantized(data, name, size, variant).problem);
  };
  const Tensor row = bf16s(Words(8));
  const Tensor fp32 = tensor_of(TensorType::kFp32, {8}, Words(8));
  const Tensor scalar = tensor_of(TensorType::kBf16, {}, {0x3F80});
  const Tensor empty = tensor_of(TensorType::kBf16, {0, 8}, {});
  for (const Variant& variant : {kSim, kStrictly}) {
    EXPECT_EQ(refused(row, "e5m2", 4, variant), "KeyError");
    EXPECT_EQ(refused(fp32, "int8", 4, variant), "AssertionError");
    EXPECT_EQ(refused(scalar, "int8", 1, variant), "IndexError");
    EXPECT_EQ(refused(row, "int8", 0, variant), "ZeroDivisionError");
    EXPECT_EQ(refused(row, "int8", 3, variant), "AssertionError");
    EXPECT_EQ(refused(row, "int8", -2, variant), "RuntimeError");
    EXPECT_EQ(refused(row, "int8", -1, variant), "RuntimeError");
  }
  EXPECT_EQ(refused(empty, "int8", 4), "RuntimeError");
  EXPECT_EQ(quantize_mx(empty, "int8", 4, kStrictly)->scale.shape, (Shape{0, 2}));
  const Tensor none = tensor_of(TensorType::kBf16, {2, 0}, {});
  EXPECT_EQ(quantize_mx(none, "int8", 4, kSim)->scale.shape, (Shape{2, 0}));
}

TEST(Torchmx, T4_QuantizesUnderGivenScales) {
  const Tensor input = tensor_of(TensorType::kBf16, {2, 2}, {0x3F80, kNan, 0x3F80, 0xC3E0});
  const Tensor scales = tensor_of(TensorType::kUint8, {2, 1}, {127, 120});
  const auto codes = [&](const Variant& variant) {
    return words_of(*quantize_mx_with_e8m0_shared_exponent(input, kFloat8E4m3, scales, variant));
  };
  // NaN is +0 by the division and a saturated number by the fields, as in the package.
  EXPECT_EQ(codes(kSim), (Words{0x38, 0x00, 0x70, 0xFE}));
  EXPECT_EQ(codes(kHw), (Words{0x38, 0x7E, 0x70, 0xFE}));
  EXPECT_EQ(codes(kStrictly), codes(kSim));
  EXPECT_EQ(
      exception_of(quantize_mx_with_e8m0_shared_exponent(input, kInt8, scales, kHw).problem()),
      "AssertionError");
}

}  // namespace
}  // namespace mx::emulators::torchmx
