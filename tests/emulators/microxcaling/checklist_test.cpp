// The rows of spec S11 (M1 to M8) and the vectors of S15.2. Expected numbers are the
// specification's, or where a comment says so those that the package returned.
#include "emulators/casts/casts.hpp"
#include "emulators/microxcaling/kernels/formats.hpp"
#include "emulators/microxcaling/specs/operations.hpp"
#include "tests/emulators/microxcaling/casts.hpp"

namespace mx::emulators::microxcaling {
namespace {

std::string blocks(std::string_view format, int size, std::string_view rest = "") {
  return "quantize_mx(elem_format=" + std::string(format) +
         ",axes=(-1),block_size=" + std::to_string(size) + std::string(rest) + ")";
}

TEST(Microxcaling, M1_FormatsAndTheirNumbers) {
  struct Row {
    const char* name;
    FormatParams params;
  };
  const auto binary64 = [](std::uint64_t significand, int exponent) {
    return Fp64::rounded({significand, exponent});
  };
  const Row rows[] = {{"int8", {0, 8, 0, binary64(127, -6), 0}},
                      {"int4", {0, 4, 0, binary64(7, -2), 0}},
                      {"int2", {0, 2, 0, binary64(1, 0), 0}},
                      {"fp8_e5m2", {5, 4, 15, binary64(57344, 0), binary64(1, -14)}},
                      {"fp8_e4m3", {4, 5, 8, binary64(448, 0), binary64(1, -6)}},
                      {"fp6_e3m2", {3, 4, 4, binary64(28, 0), binary64(1, -2)}},
                      {"fp6_e2m3", {2, 5, 2, binary64(15, -1), binary64(1, 0)}},
                      {"FP4", {2, 3, 2, binary64(6, 0), binary64(1, 0)}},
                      {"fp4_e2m1", {2, 3, 2, binary64(6, 0), binary64(1, 0)}},
                      {"fp16", {5, 12, 15, binary64(65504, 0), binary64(1, -14)}},
                      {"Float16", {5, 12, 15, binary64(65504, 0), binary64(1, -14)}},
                      {"bf16", {8, 9, 127, 0x47EFE00000000000, binary64(1, -126)}},
                      {"bfloat16", {8, 9, 127, 0x47EFE00000000000, binary64(1, -126)}}};
  for (const Row& row : rows) {
    const auto format = elem_format_from_str(row.name);
    ASSERT_TRUE(format) << row.name;
    EXPECT_EQ(get_format_params(*format), row.params) << row.name;
  }
  EXPECT_EQ(elem_format_from_str("fp5").problem(), "Exception: ('Undefined elem format', 'fp5')");
}

TEST(Microxcaling, M1_Fp8VectorsOfTheLaw) {
  const Patterns x = {number(485, 0),  number(475, 0),  number(400, 0), number(-485, 0),
                      number(-475, 0), number(-450, 0), number(1, -6),  number(-1, -6)};
  Patterns expected = {number(448, 0),  number(448, 0),  number(416, 0), number(-448, 0),
                       number(-448, 0), number(-448, 0), number(1, -6),  number(-1, -6)};
  EXPECT_EQ(cast(blocks("fp8_e4m3", 8), x), expected);
  EXPECT_EQ(cast(blocks("fp8_e4m3", 8), x, strict()), expected);
  expected[2] = number(384, 0);
  EXPECT_EQ(cast(blocks("fp8_e4m3", 8, ",round=even"), x), expected);
  EXPECT_EQ(cast(blocks("fp8_e4m3", 8, ",round=even"), x, strict()), expected);
}

TEST(Microxcaling, M1_Fp8BlockOfTheLaw) {
  const Patterns x = {0xBF152E02, 0xBE83920F, 0x3F018B61, 0x3ECCD20A, 0xBEDFCAB7, 0x3FA333D9,
                      0xC007E40E, 0x3FC1E88F, 0xC02A3EDA, 0xBE4D9C5D, 0xBD79CC45, 0xBE563957,
                      0x4018B404, 0x3D7EF51D, 0x3E5E363C, 0xBF5B947E, 0x3F0208BD, 0x3F656A43,
                      0xBF4044C2, 0xBEF9F0AD, 0x3F4E2D83, 0xBE302834, 0x3E8AD295, 0xBF00F98C,
                      0x3FF092C2, 0xBE96A4FD, 0x3F7803CD, 0x3F2B878C, 0xBF5F20E7, 0x3E9BEF86,
                      0xBF114DD8, 0xBFA20B0B};
  const std::uint8_t codes[] = {0xE9, 0xE0, 0x68, 0x65, 0xE6, 0x72, 0xF8, 0x74, 0xFB, 0xDD, 0xD0,
                                0xDD, 0x7A, 0x50, 0x5E, 0xEE, 0x68, 0x6E, 0xEC, 0xE8, 0x6D, 0xDB,
                                0x61, 0xE8, 0x77, 0xE1, 0x70, 0x6B, 0xEE, 0x62, 0xE9, 0xF2};
  Patterns expected;
  for (const std::uint8_t code : codes) {  // normal numbers under the scale 2^-7
    const int significand = 8 + (code & 7);
    expected.push_back(
        number(code < 0x80 ? significand : -significand, (code >> 3 & 15) - 7 - 3 - 7));
  }
  for (const char* const rest : {"", ",round=even", ",path=cpp"}) {
    EXPECT_EQ(cast(blocks("fp8_e4m3", 32, rest), x), expected) << rest;
    EXPECT_EQ(cast(blocks("fp8_e4m3", 32, rest), x, strict()), expected) << rest;
  }
}

TEST(Microxcaling, M2_RoundingsOfIntegersOfTheLaw) {
  const Patterns x = numbers({130, 131, 132, 133, 160, 161, 248, 249, 254, 255}, -7);
  const Patterns nearest = numbers({65, 66, 66, 67, 80, 81, 124, 125, 127, 127}, -6);
  const Patterns even = numbers({65, 66, 66, 66, 80, 80, 124, 124, 127, 127}, -6);
  const Patterns floor = numbers({65, 65, 66, 66, 80, 80, 124, 124, 127, 127}, -6);
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    for (const std::string path : {",path=python", ",path=cpp", ",path=cuda"}) {
      EXPECT_EQ(cast(blocks("int8", 10, path), x, {.mode = mode}), nearest);
      EXPECT_EQ(cast(blocks("int8", 10, path + ",round=even"), x, {.mode = mode}), even);
      EXPECT_EQ(cast(blocks("int8", 10, path + ",round=floor"), x, {.mode = mode}), floor);
    }
  }
}

TEST(Microxcaling, M2_DitherAddsARandomFraction) {
  // int8 under the scale 1: 10.25 quanta. The numbers of the words are 0.5, 0.75, 1 - 2^-24, 0.
  const Patterns x = numbers({16384, 2624, 2624, 2624, -2624}, -14);
  const std::vector<std::uint32_t> words = {0, 0x00800000, 0x00C00000, 0xFFFFFFFF, 0xAB000000};
  const Patterns expected = numbers({64, 10, 11, 11, -10}, -6);
  const std::string text = blocks("int8", 5, ",round=dither");
  EXPECT_EQ(cast(text, x, {.random = words}), expected);
  EXPECT_EQ(cast(text, x, {.mode = Mode::kStrict, .random = words}), expected);
  EXPECT_EQ(refusal(text, x),
            "ValueError: dither reads a random word for each element of the "
            "padded blocks, of fp64 two");
  // Of an axis of 5 in blocks of 4, eight words are read.
  const auto cast_of_four = make_cast("microxcaling:" + blocks("int8", 4, ",round=dither"), {});
  ASSERT_TRUE(cast_of_four);
  const Tensor tensor = from_fp32("values", TensorType::kFp32, {5}, x);
  EXPECT_EQ(*(*cast_of_four)->random_words({.tensor = tensor}), 8U);
}

TEST(Microxcaling, M2_DitherOfBinary64ReadsTwoWords) {
  // Steps of int8, and u: 2.5 + (0.5 - 2^-53) is 3 - 2^-53, which binary64 rounds to 3.
  const Patterns x = numbers({64 << 1, 5, 5, -5}, -7);
  const std::vector<std::uint32_t> words = {0,          0,          0x000FFFFF, 0xFFFFFFFF,
                                            0xFFE00000, 0xFFFFFFFF, 0x00100000, 0};
  const std::string text = "quantize_elemwise(elem_format=int8,round=dither)";
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    const int rounded_up = mode == Mode::kCompat ? 3 : 2;
    const Call32 context = {.mode = mode, .type = TensorType::kFp64, .random = words};
    EXPECT_EQ(cast(text, x, context), numbers({64, rounded_up, 2, -3}, -6));
    EXPECT_EQ(cast(blocks("int8", 4, ",round=dither"), x, context),
              numbers({64, rounded_up, 2, -3}, -6));
  }
  const std::vector<std::uint32_t> too_few(7);
  EXPECT_EQ(refusal(text, x, {.type = TensorType::kFp64, .random = too_few}),
            "ValueError: dither reads a random word for each element, of fp64 two");
  EXPECT_EQ(refusal("quantize_elemwise(bits=55,exp_bits=8,max_norm=448,round=dither)", x,
                    compat(TensorType::kFp64)),
            "ValueError: fp64 tensors are modelled for 2..11 exponent bits (or 0) and 2..54 bits");
}

TEST(Microxcaling, M3_ScaleBits) {
  // int2, scale_bits 5, the first element of a zero block of 8.
  struct Row {
    int input, nearest;
  };
  for (const auto& [input, nearest] : {Row{15, 15}, Row{-14, -14}, Row{-15, -15}, Row{-16, -15}}) {
    for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
      Patterns x(8, 0);
      x[0] = number(1, input);
      Patterns expected(8, 0);
      expected[0] = number(1, nearest);
      EXPECT_EQ(cast(blocks("int2", 8, ",scale_bits=5"), x, {.mode = mode}), expected) << input;
    }
  }
  Patterns over(8, 0), under(8, 0);
  over[0] = number(1, 16);
  under[0] = number(1, -17);
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    EXPECT_EQ(cast(blocks("int2", 8, ",scale_bits=5"), over, {.mode = mode}), Patterns(8, kNan));
    EXPECT_EQ(cast(blocks("int2", 8, ",scale_bits=5"), under, {.mode = mode}), Patterns(8, 0));
    under[0] = number(1, -16);
    EXPECT_EQ(cast(blocks("int2", 8, ",scale_bits=5,round=even"), under, {.mode = mode}),
              Patterns(8, 0));
    under[0] = number(1, -17);
  }
}

TEST(Microxcaling, M4_MethodsAxesAndWholeAxes) {
  const Patterns x = numbers({1, 2, 8, 16, 3, 5});
  const std::string text = "quantize_mx(elem_format=int2,round=floor,block_size=";
  // int2 keeps the power of two of the maximum and what is half of nothing below it.
  const Shape shape = {2, 3};
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    const auto run = [&](const std::string& rest) {
      return cast(text + rest + ")", x, {.mode = mode, .shape = shape});
    };
    EXPECT_EQ(run("0,axes=(1)"), numbers({0, 0, 8, 16, 0, 0}));
    EXPECT_EQ(run("2,axes=(-1)"), numbers({0, 2, 8, 16, 0, 4}));
    EXPECT_EQ(run("0,axes=(0)"), numbers({0, 2, 8, 16, 2, 0}));
    EXPECT_EQ(run("0,axes=(0,1)"), numbers({0, 0, 0, 16, 0, 0}));
    EXPECT_EQ(run("2,axes=(0,1)"), numbers({0, 0, 8, 16, 0, 0}));
    EXPECT_EQ(run("2,axes=(1),shared_exp_method=none"), numbers({1, 2, 8, 16, 2, 4}));
  }
}

TEST(Microxcaling, M4_ShapesAndRefusals) {
  const std::string whole = "quantize_mx(elem_format=fp4,axes=(0))";
  const Patterns x = numbers({7});
  const auto scalar = make_cast("microxcaling:" + whole, {Mode::kCompat});
  ASSERT_TRUE(scalar);
  const auto result = (*scalar)->apply({.tensor = from_fp32("values", TensorType::kFp32, {}, x)});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->front().shape.empty());
  EXPECT_EQ(to_fp32(result->front()), numbers({6}));
  EXPECT_EQ(refusal(whole, {}, {.shape = {0}}),
            "IndexError: max(): Expected reduction dim 0 to have non-zero size.");
  EXPECT_EQ(refusal("quantize_mx(elem_format=fp4,axes=(3))", x),
            "IndexError: Dimension out of range (expected to be in range of [-1, 0], but got 3)");
  EXPECT_EQ(refusal("quantize_mx(elem_format=fp4)", x),
            "TypeError: 'NoneType' object is not iterable");
  EXPECT_EQ(refusal("quantize_mx(elem_format=fp4,axes=(0,0))", x, strict()),
            "ValueError: axis 0 is named twice");
  EXPECT_EQ(refusal("quantize_mx(elem_format=fp4,axes=(0,-1),path=cpp)", x), "AssertionError: ");
  EXPECT_EQ(refusal("quantize_mx(elem_format=bfloat16,axes=(0))", x, compat(TensorType::kFp16)),
            "RuntimeError: value cannot be converted to type c10::Half without overflow");
  EXPECT_EQ(refusal("quantize_mx(elem_format=fp4,axes=(0),block_size=2,path=cpp)", numbers({1}),
                    {.shape = {1, 1, 1, 1, 1}}),
            "RuntimeError:  number of dims outside of range [1,5]");
}

TEST(Microxcaling, M5_FlushOfSubnormalBlocks) {
  const Patterns x = {number(-3, -128), number(1, -130), number(1, -126), number(-1, -127)};
  const std::string text = blocks("fp8_e4m3", 2, ",flush_fp32_subnorms=True");
  const Patterns kept = {0, 0, number(1, -126), number(-1, -127)};
  EXPECT_EQ(cast(text, x), kept);
  EXPECT_EQ(cast(blocks("fp8_e4m3", 2, ",flush_fp32_subnorms=True,path=cpp"), x), kept);
  EXPECT_EQ(cast(text, x, strict()), (Patterns{kMinusZero, 0, kept[2], kept[3]}));
  EXPECT_EQ(cast(blocks("fp8_e4m3", 2), x), x);
}

TEST(Microxcaling, M6_ElementwiseLimitsOfTheLaw) {
  const Patterns x = {number((1 << 10) - 3, 118), number((1 << 10) - 1, 118)};
  const Patterns bf16 = {0x7F7F0000, kInf};
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    for (const char* const path : {",path=python)", ",path=cpp)"}) {
      const auto run = [&](const std::string& text, const Patterns& input) {
        return cast(text + path, input, {.mode = mode});
      };
      EXPECT_EQ(run("quantize_bfloat(bfloat=16", x), bf16);
      const Patterns small = {number(1, -24), number(1, -25), number(1, -26), number(2047, -25)};
      EXPECT_EQ(run("quantize_elemwise(elem_format=fp16", numbers({65519, 65520})),
                (Patterns{number(65504, 0), kInf}));
      EXPECT_EQ(run("quantize_fp(exp_bits=5,mantissa_bits=10", small),
                (Patterns{number(1, -24), number(1, -24), 0, number(1, -14)}));
      EXPECT_EQ(run("quantize_elemwise_op(fp=16", small),
                (Patterns{number(1, -24), number(1, -24), 0, number(1, -14)}));
    }
  }
  const Patterns small = {number(1, -24), number(1, -25), number(1, -26), number(2047, -25)};
  EXPECT_EQ(cast("quantize_fp(exp_bits=5,mantissa_bits=10,allow_denorm=False)", small),
            Patterns(4, 0));
}

TEST(Microxcaling, M6_OverflowOfACallWithoutSaturation) {
  const auto run = [&](const char* format, const Call32& call) {
    return cast("quantize_elemwise(elem_format=" + std::string(format) + ")", {number(-1, 60)},
                call)[0];
  };
  for (const char* const format : {"fp8_e4m3", "fp8_e5m2", "fp6_e3m2", "fp6_e2m3", "fp4"}) {
    EXPECT_EQ(run(format, {}), kMinusInf) << format;
  }
  EXPECT_EQ(run("fp8_e4m3", strict()), kNan);
  EXPECT_EQ(run("fp8_e5m2", strict()), kMinusInf);
  EXPECT_EQ(run("fp6_e3m2", strict()), number(-28, 0));
  EXPECT_EQ(run("fp6_e2m3", strict()), number(-15, -1));
  EXPECT_EQ(run("fp4", strict()), number(-6, 0));
}

TEST(Microxcaling, M6_BfloatAndFpOfTheSpecification) {
  const Patterns x = {0x3F9E0651};  // 1.2345678
  const auto op = [&](const std::string& parameters) {
    return refusal("quantize_elemwise_op(" + parameters + ")", x);
  };
  EXPECT_EQ(op("bfloat=16,fp=12"), "ValueError: Cannot set both [bfloat] and [fp] in mx_specs.");
  EXPECT_EQ(op("bfloat=9"), "ValueError: Cannot set [bfloat] <= 9 in mx_specs.");
  EXPECT_EQ(op("fp=6"), "ValueError: Cannot set [fp] <= 6 in mx_specs.");
  EXPECT_EQ(refusal("quantize_fp(exp_bits=4,mantissa_bits=3)", x),
            "AssertionError: invalid for floats that don't define NaN");
  for (const char* const same : {"bfloat=32", "bfloat=0", "fp=0"}) {
    EXPECT_EQ(cast("quantize_elemwise_op(" + std::string(same) + ")", x), x);
  }
  EXPECT_EQ(cast("quantize_elemwise_op(bfloat=12)", x), (Patterns{number(10, -3)}));
  EXPECT_EQ(cast("quantize_elemwise_op(fp=10)", x), (Patterns{number(20, -4)}));
}

TEST(Microxcaling, M7_PathsAndTypesOfArithmetic) {
  // The same call in five arithmetics: bits that the package and its C++ functions returned.
  const Patterns x = {0x40FFFFFF, 0xBE83920F, 0x3F018B61};
  const std::string python = blocks("fp6_e2m3", 3), cpp = blocks("fp6_e2m3", 3, ",path=cpp");
  const Patterns slipped = {number(8, 0), number(-1, -2), number(1, -1)};
  const Patterns exact = {number(15, -1), number(-1, -2), number(1, -1)};
  EXPECT_EQ(cast(python, x), slipped);
  EXPECT_EQ(cast(cpp, x), exact);
  EXPECT_EQ(cast(blocks("fp6_e2m3", 3, ",path=cuda"), x), exact);
  EXPECT_EQ(cast(python, x, strict()), exact);
  // As bf16 and binary16 the first is 8.
  EXPECT_EQ(cast(python, x, compat(TensorType::kBf16)), slipped);
  EXPECT_EQ(cast(cpp, x, compat(TensorType::kFp16)), slipped);
  EXPECT_EQ(cast(python, x, compat(TensorType::kFp64)), exact);
  EXPECT_EQ(refusal(cpp, x, compat(TensorType::kFp64)),
            "RuntimeError:  Tensor dtype not supported");
}

TEST(Microxcaling, M7_NanBlocksOfTheKernels) {
  const Patterns x = {kInf, number(1, 0), 0xFFFFFFFF};
  EXPECT_EQ(cast(blocks("fp4", 3, ",path=cpp"), x), Patterns(3, 0x7FC00000));
  EXPECT_EQ(cast(blocks("fp4", 3, ",path=cuda"), x), Patterns(3, 0x7FFFFFFF));
  EXPECT_EQ(cast(blocks("fp4", 3), x), Patterns(3, kNan));
  EXPECT_EQ(cast(blocks("fp4", 3), x, strict()), Patterns(3, kNan));
}

MxSpecs specs_of_eight_roundings() {
  SpecDict dict = {{"w_elem_format", std::string("int8")},
                   {"a_elem_format", std::string("int8")},
                   {"block_size", std::int64_t{4}},
                   {"round_mx_output", std::string("floor")},
                   {"round_mx_input_grad_weight", std::string("even")}};
  return **finalize_mx_specs(dict, {Mode::kCompat});
}

TEST(Microxcaling, M8_RolesTakeTheirOwnRounding) {
  const MxSpecs specs = specs_of_eight_roundings();
  const Tensor x = from_fp32("values", TensorType::kFp32, {1, 4}, numbers({128, 3, -3, 1}, -7));
  for (const Mode mode : {Mode::kCompat, Mode::kStrict}) {
    std::vector<Patterns> seen;
    for (const Step& step : linear_steps()) {
      if (!step.is_mx() || step.axis != -1) continue;
      const auto result = apply_step(x, step, specs, {mode});
      ASSERT_TRUE(result) << result.problem();
      seen.push_back(to_fp32(*result));
    }
    ASSERT_EQ(seen.size(), 3U);
    const Patterns nearest = numbers({64, 2, -2, 1}, -6);
    Patterns floor = numbers({64, 1, -1, 0}, -6);
    EXPECT_EQ(seen[0], floor);
    EXPECT_EQ(seen[1], floor);
    EXPECT_EQ(seen[2], nearest);
  }
}

TEST(Microxcaling, M8_KeysOfTheOperations) {
  const auto keys = [](std::string_view mode_config) {
    std::string text;
    for (const Step& step : *matmul_steps(mode_config)) {
      if (step.is_mx()) text.append(step.tensor).append(":").append(step.format_key).append(" ");
    }
    return text;
  };
  EXPECT_EQ(keys("aw"),
            "in1:a_elem_format in2:w_elem_format in1:a_elem_format_bp "
            "grad_output:a_elem_format_bp_os in2:w_elem_format_bp "
            "grad_output:a_elem_format_bp_os ");
  EXPECT_EQ(keys("wa"),
            "in1:w_elem_format in2:a_elem_format in1:w_elem_format_bp "
            "grad_output:a_elem_format_bp_os in2:a_elem_format_bp "
            "grad_output:a_elem_format_bp_os ");
  EXPECT_EQ(matmul_steps("ww").problem(), "AssertionError: ");
  EXPECT_EQ(linear_steps().size(), 14U);
}

TEST(Microxcaling, M8_SpecificationsInherit) {
  const Setting setting{Mode::kCompat};
  const auto idle = finalize_mx_specs(SpecDict{{"round", std::string("even")}}, setting);
  ASSERT_TRUE(idle);
  EXPECT_FALSE(*idle);
  const MxSpecs specs = **finalize_mx_specs(
      SpecDict{{"w_elem_format", std::string("fp4")}, {"round_grad_input", std::string("floor")}},
      setting);
  EXPECT_EQ(specs.name("w_elem_format_bp"), "fp4");
  EXPECT_EQ(specs.name("round_mx_weight_grad_input"), "floor");
  EXPECT_EQ(specs.name("round_mx_output"), "nearest");
  EXPECT_EQ(
      finalize_mx_specs(SpecDict{{"bfloat", std::int64_t{16}}, {"custom_cuda", true}}, setting)
          .problem(),
      "AssertionError: 'custom_cuda' is only supported on CUDA devices.");
  EXPECT_EQ(
      finalize_mx_specs(SpecDict{{"bfloat", std::int64_t{16}}, {"x", true}}, setting).problem(),
      "KeyError: \"Unknown key 'x' passed to mx specs\"");
  EXPECT_EQ(MxSpecs::make({{"x", true}}).problem(), "AssertionError: ");
  MxSpecs forward = specs;
  forward.set("quantize_backprop", false);
  EXPECT_EQ(get_backwards_mx_specs(forward).name("w_elem_format_bp"), "");
  EXPECT_EQ(get_backwards_mx_specs(specs).name("w_elem_format_bp"), "fp4");
}

}  // namespace
}  // namespace mx::emulators::microxcaling
