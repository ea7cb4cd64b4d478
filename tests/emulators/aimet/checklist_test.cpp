// What the emulated AIMET covers: spec S11, row by row.
#include "emulators/aimet/element/fake_cast.hpp"
#include "emulators/aimet/element/kernel.hpp"
#include "emulators/aimet/element/scale.hpp"
#include "emulators/aimet/quantizer.hpp"
#include "emulators/casts/casts.hpp"
#include "tests/emulators/aimet/fixture.hpp"
#include "tests/emulators/limits.hpp"

namespace mx::emulators::aimet {
namespace {

constexpr Mode kBoth[] = {Mode::kCompat, Mode::kStrict};
constexpr Mode kCompat = Mode::kCompat, kStrict = Mode::kStrict;
const std::string kE4m3fn = "FloatQuantizeDequantize(dtype=float8_e4m3fn";

std::string text_of(const std::string& text, Mode mode = Mode::kStrict) {
  const Checked<CastPointer> cast = make_cast("aimet:" + text, {mode, Platform::kX86});
  return cast ? (*cast)->text() : std::string(cast.problem());
}

std::string kind_of(const std::string& text, Mode mode) {
  const std::string answer = text_of(text, mode);
  return answer.substr(0, answer.find(':'));
}

TEST(Aimet, A1_TypeByNameOrByBits) {
  for (const Mode mode : kBoth) {
    EXPECT_EQ(text_of("FloatQuantizeDequantize(dtype=torch.float8_e4m3fn)", mode), kE4m3fn + ")");
    EXPECT_EQ(text_of("FloatQuantizeDequantize(exponent_bits=4,mantissa_bits=3,finite=True)", mode),
              kE4m3fn + ")");
    EXPECT_EQ(kind_of("FloatQuantizeDequantize", mode), "ValueError");
    EXPECT_EQ(kind_of("FloatQuantizeDequantize(exponent_bits=4)", mode), "ValueError");
    EXPECT_EQ(kind_of(kE4m3fn + ",exponent_bits=4)", mode), "ValueError");
    EXPECT_EQ(kind_of(kE4m3fn + ",finite=True)", mode), "ValueError");
    EXPECT_EQ(kind_of("FloatQuantizeDequantize(dtype=float32)", mode), "ValueError");
    EXPECT_EQ(kind_of("FloatQuantizeDequantize(exponent_bits=3,mantissa_bits=2,finite=True)", mode),
              "RuntimeError");
    EXPECT_EQ(kind_of("FloatQuantizeDequantize(exponent_bits=9,mantissa_bits=2)", mode),
              "RuntimeError");
    EXPECT_EQ(kind_of("FloatQuantizeDequantize(exponent_bits=4,mantissa_bits=3,lsb=1)", mode),
              "ValueError");
  }
  // The package takes no exponent bits, too.
  EXPECT_EQ(kind_of("FloatQuantizeDequantize(exponent_bits=0,mantissa_bits=2)", kStrict),
            "ValueError");
  EXPECT_EQ(text_of("FloatQuantizeDequantize(exponent_bits=0,mantissa_bits=2)", kCompat),
            "FloatQuantizeDequantize(exponent_bits=0,mantissa_bits=2)");
  // The buffer of a quantizer cannot hold these maxima; an encoding of E7M0 has none.
  const std::string e7m0 = "FloatQuantizeDequantize(exponent_bits=7,mantissa_bits=0)";
  EXPECT_EQ(refusal_of(e7m0, kCompat, tensor_of({3})), "RuntimeError");
  MX_EXPECT_VALUES(values_of(e7m0, kCompat, tensor_of({3, 1e30F}), {scale_of({1})}), {4, 0x1p63F});
  const std::string e8m0 = "(exponent_bits=8,mantissa_bits=0)";
  EXPECT_EQ(refusal_of("FloatQuantizeDequantize" + e8m0, kCompat, tensor_of({3}), {scale_of({1})}),
            "OverflowError");
  EXPECT_EQ(refusal_of("quantize" + e8m0, kCompat, tensor_of({3}), {scale_of({1})}),
            "OverflowError");
  MX_EXPECT_VALUES(values_of("dequantize" + e8m0, kCompat, tensor_of({3}), {scale_of({2})}), {6});
}

/// 1 + one half of the last place and what 3 times that becomes; the quantum; beyond the maximum.
TEST(Aimet, A2_EveryType) {
  struct Row {
    std::string type;
    float quantum, max;
  };
  const Row rows[] = {{"dtype=float8_e4m3fn", 0x1p-9F, 448},
                      {"dtype=float8_e4m3fnuz", 0x1p-10F, 240},
                      {"dtype=float8_e5m2", 0x1p-16F, 57344},
                      {"dtype=float8_e5m2fnuz", 0x1p-17F, 57344},
                      {"exponent_bits=2,mantissa_bits=1,finite=True", 0.5F, 6}};
  for (const Row& row : rows) {
    const std::string text = "FloatQuantizeDequantize(" + row.type + ")";
    const Tensor x = tensor_of({row.quantum, row.quantum / 2, row.quantum * 1.5F, row.max * 2});
    for (const Mode mode : kBoth) {
      MX_EXPECT_VALUES(values_of(text, mode, x, {scale_of({1})}),
                       {row.quantum, 0, row.quantum * 2, row.max});
    }
  }
  // The package's IEEE-like types have one subnormal binade more (KA1).
  const std::string generic = "FloatQuantizeDequantize(exponent_bits=3,mantissa_bits=2)";
  const Tensor x = tensor_of({0x1p-5F, 0x1p-4F, 100});
  MX_EXPECT_VALUES(values_of(generic, kCompat, x, {scale_of({1})}), {0x1p-5F, 0x1p-4F, 14});
  MX_EXPECT_VALUES(values_of(generic, kStrict, x, {scale_of({1})}), {0, 0x1p-4F, 14});
  // One exponent bit: the grid of quantum 2^-M up to the documented maximum.
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of("FloatQuantizeDequantize(exponent_bits=1,mantissa_bits=2)", mode,
                               tensor_of({0.125F, 0.375F, 1.6F, 9}), {scale_of({1})}),
                     {0, 0.5F, 1.5F, 1.75F});
  }
  const Tensor half = tensor_of({1.00048828125F, 0x1p-25F, 0x3p-25F});
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of("FloatQuantizeDequantize(dtype=float16)", mode, half),
                     {1, 0, 0x1p-23F});
    MX_EXPECT_VALUES(values_of("FloatQuantizeDequantize(dtype=bfloat16)", mode,
                               tensor_of({1.00390625F, 1.01171875F, 0x1p-134F})),
                     {1, 1.015625F, 0});
  }
}

TEST(Aimet, A3_Maximum) {
  const auto max = [](FloatInfo info) { return std::bit_cast<float>(info.max_fp32()); };
  EXPECT_EQ(max({4, 3, false, false}), 240);
  EXPECT_EQ(max({3, 2, false, false}), 14);
  EXPECT_EQ(max({2, 3, false, false}), 3.75F);
  EXPECT_EQ(max({2, 1, false, false}), 3);
  EXPECT_EQ(max(kFloat4E2m1fn), 6);
  EXPECT_EQ(max({0, 3, false, false}), 0.9375F);
  EXPECT_EQ(max({8, 23, false, false}), 0x1.FFFFFEp127F);
  EXPECT_EQ(max(info_of(Dtype::kFloat16)), 65504);
  EXPECT_EQ(max(info_of(Dtype::kBfloat16)), 0x1.FEp127F);
  EXPECT_EQ(max(info_of(Dtype::kFloat8E4m3fn)), 448);
  EXPECT_EQ(max(info_of(Dtype::kFloat8E4m3fnuz)), 240);
  // The maximum of either mode is the same: it clamps.
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of("FloatQuantizeDequantize(exponent_bits=4,mantissa_bits=3)", mode,
                               tensor_of({1000, -1000}), {scale_of({1})}),
                     {240, -240});
  }
}

TEST(Aimet, A4_ScaleFromMaxvalOrGiven) {
  const Tensor x = tensor_of({1.8998F, -0.0947F, -1.0891F, -0.1727F});
  const std::string text = "FloatQuantizeDequantize(dtype=float8_e4m3fnuz)";
  // The document's example, by calibration, by maxval and by scale.
  const std::vector<float> compat = {1.8998002F, -0.09499001F, -1.1398801F, -0.17414835F};
  const Tensor maxval = tensor_of({1.8998F}, Shape{}, TensorType::kFp32, "maxval");
  MX_EXPECT_VALUES(values_of(text, kCompat, x), compat);
  MX_EXPECT_VALUES(values_of(text, kCompat, x, {maxval}), compat);
  MX_EXPECT_VALUES(values_of(text, kCompat, x, {scale_of({0.007915834F})}), compat);
  const std::vector<float> strict = {1.8998F, -0.09499F, -1.13988F, -0.17414832F};
  MX_EXPECT_VALUES(values_of(text, kStrict, x), strict);
  MX_EXPECT_VALUES(values_of(text, kStrict, x, {maxval}), strict);
  // A maxval of the type's own maximum gives 1 exactly.
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of("get_scale(dtype=float8_e4m3fn)", mode, tensor_of({448, -448})),
                     {1, 1});
  }
  MX_EXPECT_VALUES(
      values_of("get_scale(dtype=float8_e4m3fn)", kCompat, tensor_of({0, kInf, kNotANumber})),
      {0, kInf, kNotANumber});
}

TEST(Aimet, A5_ClampCastMultiply) {
  const Tensor x = tensor_of({2.0625F, 2.1875F, 100, -100, kInf, kNotANumber, -0.0F, 1e-30F});
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of(kE4m3fn + ")", mode, x, {scale_of({0.125F})}),
                     {2, 2.25F, 56, -56, 56, kNotANumber, -0.0F, 0});
    MX_EXPECT_VALUES(values_of("FloatQuantizeDequantize(dtype=float8_e4m3fnuz)", mode,
                               tensor_of({-0.0F, -1e-30F, -1}), {scale_of({1})}),
                     {0, 0, -1});
  }
  // The quotient 1.0625 + 1.2 * 10^-8 is rounded to the tie in compat; strict rounds it once.
  const Tensor y = tensor_of({std::bit_cast<float>(0x3F7612AF)});
  const Tensor scale = scale_of({std::bit_cast<float>(0x3F67991D)});
  MX_EXPECT_VALUES(values_of("quantize(dtype=float8_e4m3fn)", kCompat, y, {scale}), {1});
  MX_EXPECT_VALUES(values_of("quantize(dtype=float8_e4m3fn)", kStrict, y, {scale}), {1.125F});
}

TEST(Aimet, A6_FakeCastFormula) {
  EXPECT_EQ(FakeCast({4, 3, false, false}, TensorType::kFp32).bias(), 8);
  EXPECT_EQ(FakeCast({5, 10, false, false}, TensorType::kFp32).bias(), 16);
  EXPECT_EQ(FakeCast(kFloat4E2m1fn, TensorType::kFp32).bias(), 1);
  // In binary64 the bias of E4M3 is 8 - 1.8 * 10^-15.
  EXPECT_EQ(ScalarFakeCast({4, 3, false, false}).bias(), 0x401FFFFFFFFFFFFEU);
  const std::string e5m8 = "fake_cast_to_ieee_float(exponent_bits=5,mantissa_bits=8)";
  const Tensor x = tensor_of({1.9970703125F}, TensorType::kFp16);  // 2 - 3 * 2^-10
  MX_EXPECT_VALUES(values_of(e5m8, kStrict, x), {1.99609375F});
  EXPECT_EQ(
      refusal_of("fake_cast_to_ieee_float(exponent_bits=4,mantissa_bits=3,maxval=100)", kStrict, x),
      "ValueError");
  const std::string e2m1 = "fake_cast_to_ieee_float(exponent_bits=2,mantissa_bits=1";
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of(e2m1 + ",maxval=6)", mode, tensor_of({5.5F})), {6});
    MX_EXPECT_VALUES(values_of(e2m1 + ")", mode, tensor_of({5.5F})), {3});
  }
}

/// Every maximum scales one grid, and the numbers next to a maximum have the grid of the maximum.
TEST(Aimet, A6_StrictMaximaScaleOneGrid) {
  for (const auto& [exponent_bits, mantissa_bits] :
       std::vector<std::pair<int, int>>{{2, 1}, {2, 3}, {3, 2}, {4, 3}, {5, 2}, {5, 10}, {8, 7}}) {
    const bool is_e2m1 = exponent_bits == 2 && mantissa_bits == 1;
    const FloatInfo own =
        is_e2m1 ? kFloat4E2m1fn : FloatInfo{exponent_bits, mantissa_bits, false, false};
    const Bits largest = own.max_fp32();
    const Kernel kernel(own, Mode::kStrict, TensorType::kFp32, false);
    const std::string text =
        "fake_cast_to_ieee_float(exponent_bits=" + std::to_string(exponent_bits) +
        ",mantissa_bits=" + std::to_string(mantissa_bits) + ")";
    for (const Bits of : {Bits{0}, Bits{1}, Bits{2}}) {  // the maximum, its half, three quarters
      const Bits maximum = of == 0   ? largest
                           : of == 1 ? largest - 0x00800000
                                     : multiply(largest, 0x3F400000);
      for (const Bits maxval : {maximum - 1, maximum, maximum + 1}) {
        if (maxval >= fp32::kInfinity) continue;
        const Bits scale = divide(maxval, largest), most = multiply(largest, scale);
        const std::vector<Bits> x = around({maxval, most, scale, scale - 0x00800000, 0x3F800000});
        std::vector<Bits> expected;
        for (const Bits each : x) {
          const Bits y = kernel(each, scale);
          expected.push_back(sign_of(y) | std::min(magnitude_of(y), most));
        }
        const Tensor values = from_fp32("values", TensorType::kFp32, {x.size()}, x);
        const Tensor limit = from_fp32("maxval", TensorType::kFp32, {}, std::vector<Bits>{maxval});
        const Checked<Tensor> result = applied(text, kStrict, values, {limit});
        ASSERT_TRUE(result) << result.problem();
        ASSERT_EQ(to_fp32(*result), expected) << text << std::hex << " " << maxval;
      }
    }
  }
  const std::string e2m1 = "fake_cast_to_ieee_float(exponent_bits=2,mantissa_bits=1)";
  const auto limit = [](float value) {
    return tensor_of({value}, Shape{}, TensorType::kFp32, "maxval");
  };
  MX_EXPECT_VALUES(values_of(e2m1, kStrict, tensor_of({1, 5.5F}), {limit(4.5F)}), {1.125F, 4.5F});
  MX_EXPECT_VALUES(values_of(e2m1, kStrict, tensor_of({0.5F, 0.25F}), {limit(3)}), {0.5F, 0.25F});
  EXPECT_EQ(refusal_of(e2m1, kStrict, tensor_of({1}), {limit(0)}), "RuntimeError");
}

TEST(Aimet, A6_FakeCastCountsOfMisreadValues) {
  // spec S8.5: how many finite 16-bit values differ from the same values in binary32.
  const auto differing = [](FloatInfo info, TensorType type) {
    const FakeCast narrow(info, type), wide(info, TensorType::kFp32);
    int count = 0;
    const std::uint64_t infinity = type == TensorType::kBf16 ? 0x7F80 : 0x7C00;
    for (std::uint64_t word = 0; word < infinity; ++word) {
      const Bits x = widen(type, word);
      const Bits bound = std::min(x, narrow.max());
      count += narrow(bound) != wide(bound) ? 2 : 0;
    }
    return count;
  };
  EXPECT_EQ(differing({5, 3, false, false}, TensorType::kBf16), 28884);
  EXPECT_EQ(differing({4, 3, false, false}, TensorType::kBf16), 0);
  EXPECT_EQ(differing({3, 2, false, false}, TensorType::kBf16), 0);
  EXPECT_EQ(differing({5, 8, false, false}, TensorType::kFp16), 270);
  EXPECT_EQ(differing({4, 7, false, false}, TensorType::kFp16), 16438);
}

TEST(Aimet, A7_ShapesAndBlocks) {
  const Tensor x = tensor_of({1, 2, 3, 4, 10, 20, 30, 40}, Shape{2, 4});
  const auto maxval = [&](const std::string& more, Mode mode) {
    return values_of("MinMaxEncodingAnalyzer(dtype=float8_e4m3fn" + more + ")", mode, x);
  };
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(maxval("", mode), {40});
    MX_EXPECT_VALUES(maxval(",shape=(2,1)", mode), {4, 40});
    MX_EXPECT_VALUES(maxval(",shape=(4,)", mode), {10, 20, 30, 40});
    MX_EXPECT_VALUES(maxval(",shape=(2,2),block_size=(1,2)", mode), {2, 4, 20, 40});
    MX_EXPECT_VALUES(maxval(",shape=(2,2),block_size=(1,-1)", mode), {2, 4, 20, 40});
    MX_EXPECT_VALUES(maxval(",shape=(1,2),block_size=(2,2)", mode), {20, 40});
    MX_EXPECT_VALUES(maxval(",shape=(1,2),block_size=(2,)", mode), {20, 40});
    const std::string head = "FloatQuantizeDequantize(dtype=float8_e4m3fn";
    EXPECT_EQ(refusal_of(head + ",shape=(3,))", mode, x), "RuntimeError");
    EXPECT_EQ(refusal_of(head + ",shape=(2,),block_size=(1,2))", mode, x), "ValueError");
    EXPECT_EQ(refusal_of(head + ",shape=(1,1,1),block_size=(1,1,1))", mode, x), "ValueError");
    EXPECT_EQ(refusal_of(head + ",shape=(2,1),block_size=(1,3))", mode, x), "RuntimeError");
    // Blocks of a scale each: 4/448 and 40/448 with values that are exact under either.
    MX_EXPECT_VALUES(values_of(head + ",shape=(2,2),block_size=(1,2))", mode, x,
                               {scale_of({1, 2, 4, 8}, Shape{2, 2})}),
                     {1, 2, 3, 4, 10, 20, 30, 40});
  }
  EXPECT_EQ(text_of(kE4m3fn + ", shape=(2, 1), block_size=(1, 4))"),
            kE4m3fn + ",shape=(2,1),block_size=(1,4))");
}

TEST(Aimet, A8_CalibrationOverBatches) {
  const QuantizerConfig config{info_of(Dtype::kFloat8E4m3fn), {}, {}, {}, ScaleKind::kQuotient};
  for (const Mode mode : kBoth) {
    FloatQuantizeDequantize quantizer(config, mode);
    quantizer.begin_encodings();
    // Under its own range, 7 is the maximum and comes back (in compat its scale is exact, too).
    MX_EXPECT_VALUES(floats_of(*quantizer.observe_and_forward(tensor_of({7, -1.75F}))),
                     {7, -1.75F});
    MX_EXPECT_VALUES(floats_of(*quantizer.observe_and_forward(tensor_of({-14, 1}))), {-14, 1});
    EXPECT_TRUE(quantizer.observe_and_forward(tensor_of({}, Shape{0})));
    quantizer.end_encodings();
    EXPECT_EQ(quantizer.maxval()[0], std::bit_cast<std::uint32_t>(14.0F));
    EXPECT_FALSE(
        quantizer.observe_and_forward(Tensor::zeros("values", TensorType::kInt32, Shape{2})));
  }
  const std::string text = "MinMaxEncodingAnalyzer(dtype=float8_e4m3fn)";
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of(text, mode, tensor_of({kInf, 1})), {0x1.FFFFFEp127F});
    MX_EXPECT_VALUES(values_of(text, mode, tensor_of({kInf}, TensorType::kFp16)), {65504});
    MX_EXPECT_VALUES(values_of(text, mode, tensor_of({kNotANumber, 1})), {kNotANumber});
    const std::vector<Tensor> seen = {tensor_of({-9}, Shape{}, TensorType::kFp32, "min"),
                                      tensor_of({1}, Shape{}, TensorType::kFp32, "max")};
    MX_EXPECT_VALUES(values_of(text, mode, tensor_of({5}), seen), {9});
  }
  // The smallest range of 4 and of 17 bits.
  MX_EXPECT_VALUES(
      values_of("MinMaxEncodingAnalyzer(exponent_bits=2,mantissa_bits=1)", kCompat, tensor_of({0})),
      {15 * 0x1p-23F});
  MX_EXPECT_VALUES(values_of("MinMaxEncodingAnalyzer(exponent_bits=5,mantissa_bits=11)", kCompat,
                             tensor_of({0})),
                   {0.01F});
}

TEST(Aimet, A9_SixteenBitTypesHaveTheScaleOne) {
  const Tensor x = tensor_of({1000, 1.00048828125F});
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of("FloatQuantizeDequantize(dtype=float16)", mode, x, {}, "scale"),
                     {1});
    MX_EXPECT_VALUES(values_of(kE4m3fn + ",encoding_analyzer=fixed)", mode, x, {}, "scale"), {1});
  }
  const std::string calibrated = "FloatQuantizeDequantize(dtype=float16,encoding_analyzer=minmax)";
  MX_EXPECT_VALUES(values_of(calibrated, kStrict, x, {}, "maxval"), {1000});
  MX_EXPECT_VALUES(values_of(calibrated, kCompat, x, {}, "maxval"), {1000});
}

TEST(Aimet, A10_EncodingsInAndOut) {
  const FloatInfo info = info_of(Dtype::kFloat8E4m3fn);
  const QuantizerConfig config{info, {2}, {}, {}, ScaleKind::kQuotient};
  for (const Mode mode : kBoth) {
    FloatQuantizeDequantize quantizer(config, mode);
    quantizer.set_maxval(
        {std::bit_cast<std::uint32_t>(448.0F), std::bit_cast<std::uint32_t>(896.0F)});
    const FloatEncoding encoding = quantizer.get_encodings();
    EXPECT_EQ(encoding.granularity(), "perchannel");
    EXPECT_EQ(floats_of(encoding.scale)[0], 1);
    const auto copy = FloatQuantizeDequantize::from_encodings(encoding, mode);
    EXPECT_EQ(copy.config().shape, Shape{2});
    EXPECT_EQ(copy.config().info, info);
    EXPECT_EQ(copy.maxval()[0], std::bit_cast<std::uint32_t>(448.0F));
  }
  EXPECT_EQ((FloatEncoding{info, scale_of({1}), {}}.granularity()), "pertensor");
  EXPECT_EQ((FloatEncoding{info, scale_of({1, 1}, {2}), {4}}.granularity()), "blockwise");
  EXPECT_EQ((FloatEncoding{info, scale_of({1, 1, 1, 1}, {2, 2}), {}}.granularity()), "unknown");
  MX_EXPECT_VALUES(floats_of(FloatEncoding{info, scale_of({0.5F}), {}}.maxval()), {224});
}

TEST(Aimet, A11_Properties) {
  for (const Mode mode : kBoth) {
    FloatQuantizeDequantize quantizer({info_of(Dtype::kFloat16), {}, {}, {}, ScaleKind::kQuotient},
                                      mode);
    EXPECT_EQ(quantizer.bitwidth(), 16);
    EXPECT_TRUE(quantizer.is_float16());
    EXPECT_FALSE(quantizer.is_bfloat16());
    EXPECT_FALSE(quantizer.is_calibrated());
    // A type set later keeps maxval, so the scale is not 1 any more.
    quantizer.set_exponent_bits(4);
    quantizer.set_mantissa_bits(3);
    EXPECT_EQ(quantizer.bitwidth(), 8);
    EXPECT_EQ(quantizer.maxval()[0], std::bit_cast<std::uint32_t>(65504.0F));
    EXPECT_GT(floats_of(quantizer.get_scale())[0], 272);
    const Checked<CastPointer> cast = make_cast("aimet:" + kE4m3fn + ")", {mode, Platform::kX86});
    std::string facts;
    for (const Property& fact : (*cast)->properties()) facts += fact.name + "=" + fact.text + " ";
    EXPECT_EQ(facts,
              "bitwidth=8 exponent_bits=4 mantissa_bits=3 finite=True unsigned_zero=False "
              "is_float16=False is_bfloat16=False name=float8_e4m3fn ");
  }
}

TEST(Aimet, A12_PassThroughAndWorkingTypes) {
  for (const Mode mode : kBoth) {
    Tensor integers = Tensor::zeros("values", TensorType::kInt32, Shape{2});
    integers.bytes[0] = std::byte{7};
    const Checked<Tensor> same = applied(kE4m3fn + ")", mode, integers);
    EXPECT_EQ(same->type, TensorType::kInt32);
    EXPECT_EQ(same->bytes, integers.bytes);
    EXPECT_EQ(refusal_of(kE4m3fn + ")", mode, Tensor::zeros("values", TensorType::kFp64, Shape{2})),
              "TypeError");
    const Checked<Tensor> empty = applied(kE4m3fn + ")", mode, tensor_of({}, Shape{0, 3}));
    EXPECT_EQ(empty->shape, (Shape{0, 3}));
  }
  const auto type = [](Mode mode, TensorType tensor, const Shape& shape, const Shape& scale) {
    const Tensor x = Tensor::zeros("values", tensor, shape);
    return applied(kE4m3fn + ")", mode, x,
                   {scale_of(std::vector<float>(elements_of(scale), 1.0F), scale)})
        ->type;
  };
  EXPECT_EQ(type(kCompat, TensorType::kBf16, {2}, {}), TensorType::kBf16);
  EXPECT_EQ(type(kCompat, TensorType::kBf16, {2}, {1}), TensorType::kFp32);
  EXPECT_EQ(type(kCompat, TensorType::kBf16, {}, {}), TensorType::kFp32);
  EXPECT_EQ(type(kCompat, TensorType::kFp16, {2}, {2}), TensorType::kFp32);
  EXPECT_EQ(type(kStrict, TensorType::kFp16, {2}, {2}), TensorType::kFp16);
  EXPECT_EQ(type(kStrict, TensorType::kBf16, {}, {}), TensorType::kBf16);
}

TEST(Aimet, A13_HalvesOfAnEncoding) {
  const Tensor x = tensor_of({1, 10, -2000, 0.3F});
  for (const Mode mode : kBoth) {
    const std::vector<float> quantized =
        values_of("quantize(dtype=float8_e4m3fn)", mode, x, {scale_of({0.5F})});
    MX_EXPECT_VALUES(quantized, {2, 20, -448, 0.625F});
    MX_EXPECT_VALUES(values_of("dequantize(dtype=float8_e4m3fn)", mode, tensor_of(quantized),
                               {scale_of({0.5F})}),
                     {1, 10, -224, 0.3125F});
    EXPECT_EQ(refusal_of("quantize(dtype=float8_e4m3fn)", mode, x), "ValueError");
  }
  // The gradient under a scale: compat rounds g * S in the type and divides.
  const Tensor g = tensor_of({1.1F, 1}, Shape{2}, TensorType::kFp32, "gradient");
  const Tensor y = tensor_of({1, 225});
  MX_EXPECT_VALUES(values_of(kE4m3fn + ")", kCompat, y, {scale_of({0.5F}), g}, "gradient"),
                   {1.125F, 0});
  MX_EXPECT_VALUES(values_of(kE4m3fn + ")", kStrict, y, {scale_of({0.5F}), g}, "gradient"),
                   {1.1F, 0});
}

TEST(Aimet, A14_Mxfp4) {
  const std::string text = "_MXFP4QuantizeDequantize(shape=(1,2),block_size=(1,2))";
  const Tensor x = tensor_of({6.5F, 1, 4.24F, 0.3F}, Shape{1, 4});
  for (const Mode mode : kBoth) {
    MX_EXPECT_VALUES(values_of(text, mode, x, {}, "scale"), {1, 0.5F});
    MX_EXPECT_VALUES(values_of(text, mode, x), {6, 1, 3, 0.25F});
  }
  const auto scale = [](float maxval, Mode mode) {
    return std::bit_cast<float>(mxfp4_scale(std::bit_cast<std::uint32_t>(maxval), mode));
  };
  // The threshold is 3 * sqrt(2) * 2^k, 4.2426407 between two binary32 values.
  EXPECT_EQ(scale(4.2426405F, kStrict), 0.5F);
  EXPECT_EQ(scale(4.2426410F, kStrict), 1);
  EXPECT_EQ(scale(0x1p-149F, kStrict), 0x1p-127F);
}

}  // namespace
}  // namespace mx::emulators::aimet
