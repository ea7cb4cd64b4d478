// The differences between the package and its documentation: spec S9.5, row by row. Expected values
// are those of the rows, which the package (2.42.0) gave.
#include "tests/emulators/aimet/fixture.hpp"

#include "emulators/aimet/element/scale.hpp"
#include "emulators/aimet/quantizer.hpp"

namespace mx::emulators::aimet {
namespace {

constexpr Mode kBoth[] = {Mode::kCompat, Mode::kStrict};
constexpr Mode kCompat = Mode::kCompat, kStrict = Mode::kStrict;
const std::string kE4m3fn = "FloatQuantizeDequantize(dtype=float8_e4m3fn)";
const std::string kE4m3fnOfShape1 = "FloatQuantizeDequantize(dtype=float8_e4m3fn,shape=(1,))";
const std::string kE2m1fn = "FloatQuantizeDequantize(exponent_bits=2,mantissa_bits=1,finite=True)";

std::string bits(int exponent, int mantissa, const std::string& more = "") {
  return "FloatQuantizeDequantize(exponent_bits=" + std::to_string(exponent) +
         ",mantissa_bits=" + std::to_string(mantissa) + more + ")";
}

TEST(Aimet, KA1_ExtraSubnormalBinade) {
  const Tensor x = tensor_of({0x1p-25F, 0x1p-26F, 0x3p-25F, 0x1p-24F});
  for (const std::string finite : {"True", "False"}) {
    const std::string text =
        "fake_cast_to_ieee_float(exponent_bits=5,mantissa_bits=10,finite=" + finite + ")";
    MX_EXPECT_VALUES(values_of(text, kCompat, x), {0x1p-25F, 0, 0x3p-25F, 0x1p-24F});
    MX_EXPECT_VALUES(values_of(text, kStrict, x), {0, 0, 0x1p-23F, 0x1p-24F});
  }
}

TEST(Aimet, KA2_SpecialValuesOfTheFakeCast) {
  const Tensor x = tensor_of({kInf, -kInf, kNotANumber, -0.0F, 1000});
  const std::string text = "fake_cast_to_ieee_float(exponent_bits=4,mantissa_bits=3";
  MX_EXPECT_VALUES(values_of(text + ")", kCompat, x), {240, -240, kNotANumber, -0.0F, 240});
  MX_EXPECT_VALUES(values_of(text + ",finite=False)", kCompat, x),
                   {kInf, -kInf, kNotANumber, -0.0F, 240});
  MX_EXPECT_VALUES(values_of(text + ")", kStrict, x), {240, -240, kNotANumber, -0.0F, 240});
  MX_EXPECT_VALUES(values_of(text + ",finite=False)", kStrict, x),
                   {240, -240, kNotANumber, -0.0F, 240});
}

TEST(Aimet, KA3_Float16SaturatesInsteadOfOverflowing) {
  const Tensor x = tensor_of({65520, 70000, kInf, -1e9F, 65519});
  const std::string text = "FloatQuantizeDequantize(dtype=float16)";
  MX_EXPECT_VALUES(values_of(text, kCompat, x), {65504, 65504, 65504, -65504, 65504});
  MX_EXPECT_VALUES(values_of(text, kStrict, x), {kInf, kInf, kInf, -kInf, 65504});
}

TEST(Aimet, KA4_ScaleIsAPowerOfTwoInThePrivateClassOnly) {
  const std::vector<float> maxval = {6.5F, 4.3F, 4.24F, 9, 12, 3};
  const std::string text = "get_scale(exponent_bits=2,mantissa_bits=1,finite=True)";
  const std::vector<std::uint32_t> compat = {0x3F8AAAAA, 0x3F377777, 0x3F34E81A,
                                             0x3FBFFFFF, 0x40000000, 0x3EFFFFFF};
  EXPECT_EQ(bits_of(values_of(text, kCompat, tensor_of(maxval))), compat);
  // maxval / 6 rounded once.
  const std::vector<std::uint32_t> strict = {0x3F8AAAAB, 0x3F377778, 0x3F34E81B,
                                             0x3FC00000, 0x40000000, 0x3F000000};
  EXPECT_EQ(bits_of(values_of(text, kStrict, tensor_of(maxval))), strict);
  for (const Mode mode : kBoth) {
    std::vector<float> powers;
    for (const float value : maxval) {
      powers.push_back(
          std::bit_cast<float>(mxfp4_scale(std::bit_cast<std::uint32_t>(value), mode)));
    }
    MX_EXPECT_VALUES(powers, {1, 1, 0.5F, 2, 2, 0.5F});
  }
}

TEST(Aimet, KA5_NoRange) {
  const Tensor x = tensor_of({1, 0});
  MX_EXPECT_VALUES(values_of(kE4m3fn, kCompat, x, {scale_of({0})}), {0, kNotANumber});
  EXPECT_EQ(refusal_of(kE4m3fn, kStrict, x, {scale_of({0})}), "RuntimeError");
}

TEST(Aimet, KA6_CalibrationOnZeros) {
  const std::string text = "MinMaxEncodingAnalyzer(dtype=float8_e4m3fn)";
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of(text, mode, tensor_of({0, -0.0F})), {255 * 0x1p-23F});
  }
}

TEST(Aimet, KA7_CalibrationOnTinyNegatives) {
  const std::string text = "MinMaxEncodingAnalyzer(dtype=float8_e4m3fn)";
  const Tensor x = tensor_of({-0x1p-20F, -0x1p-21F});
  MX_EXPECT_VALUES(values_of(text, kCompat, x), {255 * 0x1p-23F});
  MX_EXPECT_VALUES(values_of(text, kStrict, x), {0x1p-20F});
}

TEST(Aimet, KA8_LargestValueIsNotReproduced) {
  const Tensor x = tensor_of({3});
  const auto scale = values_of(kE4m3fn, kCompat, x, {}, "scale");
  EXPECT_EQ(bits_of(scale), std::vector<std::uint32_t>{0x3BDB6DB5});
  EXPECT_EQ(bits_of(values_of(kE4m3fn, kCompat, x)), std::vector<std::uint32_t>{0x403FFFFE});
  EXPECT_EQ(bits_of(values_of(kE4m3fn, kStrict, x, {}, "scale")),
            std::vector<std::uint32_t>{0x3BDB6DB7});
  MX_EXPECT_VALUES(values_of(kE4m3fn, kStrict, x), {3});
}

TEST(Aimet, KA9_ShapeOfTheScaleDecidesTheType) {
  const Tensor x = tensor_of({0.3F}, TensorType::kBf16);
  for (const Shape& shape : {Shape{}, Shape{1}}) {
    const std::string text = shape.empty() ? kE4m3fn : kE4m3fnOfShape1;
    const Tensor maxval = tensor_of({313.6F}, shape, TensorType::kFp32, "maxval");
    const Checked<Tensor> compat = applied(text, kCompat, x, {maxval});
    EXPECT_EQ(compat->type, shape.empty() ? TensorType::kBf16 : TensorType::kFp32);
    MX_EXPECT_VALUES(floats_of(*compat), {shape.empty() ? 0.306640625F : 0.30625004F});
    const Checked<Tensor> strict = applied(text, kStrict, x, {maxval});
    EXPECT_EQ(strict->type, TensorType::kBf16);
    MX_EXPECT_VALUES(floats_of(*strict), {0.306640625F});
  }
}

TEST(Aimet, KA10_Bf16TensorsReadTheExponentInBf16) {
  const std::string fixed = ",encoding_analyzer=fixed";
  const Tensor x = tensor_of({1.9140625F, 61440, 1e6F}, TensorType::kBf16);
  MX_EXPECT_VALUES(values_of(bits(5, 3, fixed), kCompat, x), {2, 65536, 65536});
  MX_EXPECT_VALUES(values_of(bits(5, 3, fixed), kStrict, x), {1.875F, 61440, 61440});
  const Tensor y = tensor_of({998244352}, TensorType::kBf16);
  MX_EXPECT_VALUES(values_of(bits(6, 3, fixed), kCompat, y), {939524096});
  MX_EXPECT_VALUES(values_of(bits(6, 3, fixed), kStrict, y), {1006632960});
}

TEST(Aimet, KA11_BoundIsRoundedToTheTensorsType) {
  const Tensor x = tensor_of({65280, 65536}, TensorType::kBf16);
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of("FloatQuantizeDequantize(dtype=float16)", mode, x), {65280, kInf});
  }
  const std::string bfloat16 = "FloatQuantizeDequantize(dtype=bfloat16)";
  const Tensor y = tensor_of({1.00390625F}, TensorType::kFp16);
  EXPECT_EQ(refusal_of(bfloat16, kCompat, y), "RuntimeError");
  MX_EXPECT_VALUES(values_of(bfloat16, kStrict, y), {1});
}

TEST(Aimet, KA12_ZeroDimensionalTiesAreNotEven) {
  const std::string text = bits(4, 3, ",encoding_analyzer=fixed");
  MX_EXPECT_VALUES(values_of(text, kCompat, tensor_of({2.375F}, Shape{})), {2.25F});
  MX_EXPECT_VALUES(values_of(text, kCompat, tensor_of({2.375F})), {2.5F});
  MX_EXPECT_VALUES(values_of(text, kStrict, tensor_of({2.375F}, Shape{})), {2.5F});
  MX_EXPECT_VALUES(values_of(text, kStrict, tensor_of({2.375F})), {2.5F});
}

TEST(Aimet, KA13_IntegerMaxval) {
  const Tensor x = tensor_of({6.7F, 0.9F, -6.7F});
  MX_EXPECT_VALUES(values_of(bits(4, 0), kCompat, x, {}, "maxval"), {6});
  MX_EXPECT_VALUES(values_of(bits(4, 0), kCompat, x), {6.0000014F, 0.75000018F, -6.0000014F});
  MX_EXPECT_VALUES(values_of(bits(4, 0), kStrict, x, {}, "maxval"), {6.7F});
  MX_EXPECT_VALUES(values_of(bits(4, 0), kStrict, x), {6.7F, 0.8375F, -6.7F});
}

TEST(Aimet, KA14_SubnormalScaleUnderflows) {
  const Tensor x = tensor_of({0, 1e-39F, 1.5F});
  MX_EXPECT_VALUES(values_of(bits(8, 23), kCompat, x), {kNotANumber, kNotANumber, 1.5F});
  MX_EXPECT_VALUES(values_of(bits(8, 23), kStrict, x), {0, 1e-39F, 1.5F});
}

TEST(Aimet, KA15_ScaleOfAnEncodingIsNotKept) {
  const auto scale_after = [](const FloatInfo& info, float scale, Mode mode) {
    const FloatEncoding encoding{info, scale_of({scale}), {}};
    return bits_of(
        floats_of(FloatQuantizeDequantize::from_encodings(encoding, mode).get_scale()))[0];
  };
  const FloatInfo e4m3fn = info_of(Dtype::kFloat8E4m3fn);
  EXPECT_EQ(scale_after(kFloat4E2m1fn, 4, kCompat), 0x407FFFFDU);
  EXPECT_EQ(scale_after(e4m3fn, 256, kCompat), 0x437FFFF5U);
  EXPECT_EQ(scale_after(kFloat4E2m1fn, 1, kCompat), 0x3F800000U);
  EXPECT_EQ(scale_after(e4m3fn, 1, kCompat), 0x3F800000U);
  EXPECT_EQ(scale_after(kFloat4E2m1fn, 4, kStrict), 0x40800000U);
  EXPECT_EQ(scale_after(e4m3fn, 256, kStrict), 0x43800000U);
  EXPECT_EQ(scale_after(e4m3fn, 1, kStrict), 0x3F800000U);
}

TEST(Aimet, KA16_GradientsAreCastToTheType) {
  const auto backward = [](const std::string& text, Mode mode, const std::vector<float>& x,
                           const std::vector<float>& g) {
    const Tensor given = tensor_of(g, Shape{g.size()}, TensorType::kFp32, "gradient");
    return values_of(text, mode, tensor_of(x), {scale_of({1}), given}, "gradient");
  };
  const std::vector<float> x = {1, 300, 448, 500, 1}, g = {1.1F, 1e-4F, 1, 1, 5000};
  MX_EXPECT_VALUES(backward(kE4m3fn, kCompat, x, g), {1.125F, 0, 0, 0, 448});
  MX_EXPECT_VALUES(backward(kE4m3fn, kStrict, x, g), {1.1F, 1e-4F, 1, 0, 5000});
  const std::string e5m2 = "FloatQuantizeDequantize(dtype=float8_e5m2)";
  MX_EXPECT_VALUES(backward(e5m2, kCompat, {1}, {1e5F}), {kInf});
  MX_EXPECT_VALUES(backward(e5m2, kStrict, {1}, {1e5F}), {1e5F});
  MX_EXPECT_VALUES(backward(kE2m1fn, kCompat, {1, 2.5F}, {1, 1}), {0, 0});
  MX_EXPECT_VALUES(backward(kE2m1fn, kStrict, {1, 2.5F}, {1, 1}), {1, 1});
}

TEST(Aimet, KA17_BlockThatDoesNotFitItsAxis) {
  std::vector<float> x;
  for (int i = 1; i <= 24; ++i) x.push_back(static_cast<float>(i));
  const std::string text =
      "MinMaxEncodingAnalyzer(dtype=float8_e4m3fn,shape=(2,3),block_size=(1,2))";
  MX_EXPECT_VALUES(values_of(text, kCompat, tensor_of(x, Shape{2, 12})), {14, 16, 18, 20, 22, 24});
  EXPECT_EQ(refusal_of(text, kStrict, tensor_of(x, Shape{2, 12})), "RuntimeError");
}

TEST(Aimet, KA18_Mxfp4Weights) {
  const auto scale = [](std::uint32_t amax, Mode mode) {
    return std::bit_cast<float>(mxfp4_weight_scale(amax, mode));
  };
  EXPECT_EQ(scale(0x42FFFFFE, kCompat), 32);
  EXPECT_EQ(scale(0x42FFFFFE, kStrict), 16);
  EXPECT_EQ(scale(0, kCompat), 1);
  EXPECT_EQ(scale(0, kStrict), 0x1p-127F);
  const Tensor x = tensor_of({std::bit_cast<float>(0x42FFFFFE), 0});
  MX_EXPECT_VALUES(values_of(kE2m1fn, kCompat, x, {scale_of({32})}), {128, 0});
  MX_EXPECT_VALUES(values_of(kE2m1fn, kStrict, x, {scale_of({16})}), {96, 0});
}

TEST(Aimet, S15_4_E2m1fnAtScaleOne) {
  std::vector<float> x;
  for (int i = -13; i <= 13; ++i) x.push_back(static_cast<float>(i) / 2);
  const std::vector<float> expected = {-6, -6,    -6, -4,    -4, -4,   -4, -3,   -2,
                                       -2, -1.5F, -1, -0.5F, 0,  0.5F, 1,  1.5F, 2,
                                       2,  3,     4,  4,     4,  4,    6,  6,    6};
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of(kE2m1fn, mode, tensor_of(x), {scale_of({1})}), expected);
  }
}

}  // namespace
}  // namespace mx::emulators::aimet
