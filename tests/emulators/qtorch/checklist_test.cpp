// The rows of spec S11 for QPyTorch: the functions, classes and their refusals. Expected bits of
// compat mode that the rows of S9 do not give were read from qtorch 0.3.0 on torch 2.15.0.
#include "emulators/qtorch/quantizer.hpp"
#include "tests/emulators/qtorch/support.hpp"

namespace mx::emulators::qtorch {
namespace {

constexpr std::uint32_t kInf = 0x7F800000;
constexpr std::uint32_t kNan = 0x7FC00000;

TEST(Qtorch, Q1_FixedPointClampAndSymmetric) {
  const Patterns x = f({-3.0F, -1.99F, -1.9F, -0.1F, 0.3F, 1.8F, 5.0F});
  for (const Setting& setting : {kCompat, kStrict}) {
    const float zero = setting.mode == Mode::kCompat ? -0.0F : 0.0F;
    EXPECT_EQ(run("fixed_point_quantize(wl=4,fl=2,rounding=nearest)", setting, x),
              f({-2.0F, -2.0F, -2.0F, zero, 0.25F, 1.75F, 1.75F}));
    EXPECT_EQ(run("fixed_point_quantize(wl=4,fl=2,symmetric=True,rounding=nearest)", setting, x),
              f({-1.75F, -1.75F, -1.75F, zero, 0.25F, 1.75F, 1.75F}));
    EXPECT_EQ(run("fixed_point_quantize(wl=4,fl=2,clamp=False,rounding=nearest)", setting, x),
              f({-3.0F, -2.0F, -2.0F, zero, 0.25F, 1.75F, 5.0F}));
  }
}

TEST(Qtorch, Q1_FixedPointStochasticGoesDownBelowTheFraction) {
  const Patterns x = f({0.3F, 0.3F, -0.3F, -0.3F});
  // 4 * 0.3 = 1.2 goes up from r = 0.8 on, -1.2 to -1 likewise.
  const Patterns random = {13421764, 13421781, 3355435, 3355452};
  for (const Setting& setting : {kCompat, kStrict}) {
    EXPECT_EQ(run("fixed_point_quantize(wl=8,fl=2,rounding=stochastic)", setting, x, random),
              f({0.25F, 0.5F, -0.5F, -0.25F}));
  }
}

TEST(Qtorch, Q1_FixedPointNegativeFractionalLength) {
  const Patterns x = f({4.0F, 12.0F, 13.0F, -2000.0F});
  EXPECT_EQ(run("fixed_point_quantize(wl=8,fl=-3,rounding=nearest)", kCompat, x),
            f({0.0F, 16.0F, 16.0F, -1024.0F}));
  EXPECT_EQ(run("fixed_point_quantize(wl=8,fl=-3,rounding=nearest)", kStrict, x),
            f({0.0F, 16.0F, 16.0F, -1024.0F}));
}

TEST(Qtorch, Q1_FixedPointLimitsThatBinary32CannotHold) {
  // 2^31 - 1: the package's limit is 2^31, ours the largest binary32 number inside.
  const Patterns x = f({4e9F, -4e9F});
  EXPECT_EQ(run("fixed_point_quantize(wl=32,fl=0,rounding=nearest)", kCompat, x),
            f({2147483648.0F, -2147483648.0F}));
  EXPECT_EQ(run("fixed_point_quantize(wl=32,fl=0,rounding=nearest)", kStrict, x),
            f({2147483520.0F, -2147483648.0F}));
}

TEST(Qtorch, Q1_DocLiteralTiesGoTowardMinusInfinity) {
  const Patterns x = f({0.5F, -0.5F, 1.5F, -1.5F, 2.5F, 2.75F});
  EXPECT_EQ(run("fixed_point_quantize(wl=8,fl=0,rounding=doc_literal)", kStrict, x),
            f({0.0F, -1.0F, 1.0F, -2.0F, 2.0F, 3.0F}));
  EXPECT_EQ(refusal("fixed_point_quantize(wl=8,fl=0,rounding=doc_literal)", kCompat, tensor(x)),
            "AssertionError: invalid rounding mode, doc_literal");
  EXPECT_EQ(refusal("float_quantize(exp=4,man=3,rounding=doc_literal)", kStrict, tensor(x)),
            "ValueError: rounding doc_literal is defined for fixed point only");
}

TEST(Qtorch, Q1_FixedPointRefusals) {
  const Tensor x = tensor(Patterns{f(1.0F)});
  EXPECT_EQ(refusal("fixed_point_quantize(wl=-1,fl=2,rounding=nearest)", kCompat, x),
            "ValueError: fixed point  wl -1, fl 2");
  EXPECT_EQ(refusal("fixed_point_quantize(wl=-1,fl=2,rounding=nearest)", kStrict, x),
            "ValueError: fixed point  wl -1, fl 2");
  EXPECT_EQ(refusal("fixed_point_quantize(wl=0,fl=2,rounding=nearest)", kCompat, x), "");
  EXPECT_EQ(refusal("fixed_point_quantize(wl=0,fl=2,rounding=nearest)", kStrict, x),
            "ValueError: wl must lie in 1..2147483647, not 0");
}

TEST(Qtorch, Q2_FixedPointMask) {
  const Patterns x = {f(100.0F), f(1.75F), f(1.8F), f(-2.0F), f(-2.2F), f(1.9F), kInf, kNan};
  for (const Setting& setting : {kCompat, kStrict}) {
    const Tensor input = tensor(x);
    const auto results = cast("fixed_point_quantize_mask(wl=4,fl=2,rounding=nearest)", setting)
                             ->apply({.tensor = input});
    ASSERT_TRUE(results);
    ASSERT_EQ((*results).size(), 2U);
    EXPECT_EQ(patterns((*results)[0]), (Patterns{f(1.75F), f(1.75F), f(1.75F), f(-2.0F), f(-2.0F),
                                                 f(1.75F), f(1.75F), kNan}));
    const Tensor& mask = (*results)[1];
    EXPECT_EQ(mask.name, "mask");
    EXPECT_EQ(mask.type, TensorType::kUint8);
    std::string set;
    for (const std::byte each : mask.bytes) set += each == std::byte{0} ? '0' : '1';
    EXPECT_EQ(set, "10001110");  // the rounded value decides: 1.8 is inside, 1.9 is not
  }
}

TEST(Qtorch, Q3_BlockAxes) {
  const Patterns x = f({1.0F, 0.3F, 16.0F, 0.3F, 100.0F, 0.3F});
  const Shape shape = {2, 3};
  // Four bits: codes within 7, quantum 2^-2 of the power of two.
  for (const Setting& setting : {kCompat, kStrict}) {
    EXPECT_EQ(run("block_quantize(wl=4,dim=-1,rounding=nearest)", setting, x, {}, shape),
              f({0.0F, 0.0F, 16.0F, 0.0F, 96.0F, 0.0F}));
    EXPECT_EQ(run("block_quantize(wl=4,dim=0,rounding=nearest)", setting, x, {}, shape),
              f({0.0F, 0.0F, 16.0F, 0.0F, 96.0F, 0.0F}));
    EXPECT_EQ(run("block_quantize(wl=4,dim=1,rounding=nearest)", setting, x, {}, shape),
              f({1.0F, 0.0F, 16.0F, 0.25F, 96.0F, 0.0F}));
    EXPECT_EQ(run("block_quantize(wl=4,dim=-2,rounding=nearest)", setting, x, {}, shape),
              run("block_quantize(wl=4,dim=0,rounding=nearest)", setting, x, {}, shape));
  }
}

TEST(Qtorch, Q3_BlockStochasticGoesUpTowardPlusInfinity) {
  const Patterns x = f({1.0F, 1.0F / 128, -1.0F / 128, -1.0F / 128});
  const Patterns random = {0x7FFF, 0x4000, 0x3FFF, 0x4000};
  for (const Setting& setting : {kCompat, kStrict}) {
    EXPECT_EQ(run("block_quantize(wl=8,rounding=stochastic)", setting, x, random),
              f({1.0F, 1.0F / 64, -1.0F / 64, 0.0F}));
  }
}

TEST(Qtorch, Q3_BlockRefusesAsTorchDoes) {
  const Tensor empty = tensor({}, {0, 3}), scalar = Tensor::zeros("x", TensorType::kFp32, {});
  const Tensor matrix = tensor(f({1.0F, 2.0F}), {1, 2});
  for (const Setting& setting : {kCompat, kStrict}) {
    const auto refused = [&](int dim, const Tensor& x) {
      const std::string text = "block_quantize(wl=8,rounding=nearest,dim=" + std::to_string(dim);
      return refusal(text + ")", setting, x).substr(0, 10);
    };
    EXPECT_EQ(refused(-1, empty), "RuntimeErr");
    EXPECT_EQ(refused(0, empty), "RuntimeErr");
    EXPECT_EQ(refused(1, empty), "IndexError");
    EXPECT_EQ(refused(0, scalar), "IndexError");
    EXPECT_EQ(refused(-1, scalar), "");
    EXPECT_EQ(refused(-2, scalar), "IndexError");
    EXPECT_EQ(refused(2, matrix), "IndexError");
    EXPECT_EQ(refused(-3, matrix), "IndexError");
    EXPECT_EQ(refused(-2, matrix), "");
  }
}

TEST(Qtorch, Q3_BlockShortAndLongWords) {
  const Patterns x = f({1.0F, 0.75F, -0.3F, -1.5F});
  EXPECT_EQ(run("block_quantize(wl=1,rounding=nearest)", kCompat, x), f({1.0F, 0.0F, 0.0F, -1.0F}));
  EXPECT_EQ(run("block_quantize(wl=1,rounding=nearest)", kStrict, x), f({0.0F, 0.0F, 0.0F, 0.0F}));
  EXPECT_EQ(run("block_quantize(wl=2,rounding=nearest)", kCompat, x), f({1.0F, 1.0F, 0.0F, -1.0F}));
  EXPECT_EQ(run("block_quantize(wl=2,rounding=nearest)", kStrict, x), f({1.0F, 1.0F, 0.0F, -1.0F}));
  EXPECT_EQ(run("block_quantize(wl=30,rounding=nearest)", kStrict, x), x);
  EXPECT_EQ(refusal("block_quantize(wl=0,rounding=nearest)", kStrict, tensor(x)),
            "ValueError: wl must lie in 1..2147483647, not 0");
}

TEST(Qtorch, Q4_FloatMaximaAndSubnormals) {
  struct Row {
    int exp, man;
    float compat, strict;
  };
  for (const Row& row : {Row{2, 1, 6.0F, 6.0F}, Row{2, 3, 7.5F, 7.5F}, Row{3, 2, 28.0F, 28.0F},
                         Row{4, 3, 480.0F, 448.0F}, Row{5, 2, 114688.0F, 57344.0F},
                         Row{1, 1, 3.0F, 3.0F}, Row{3, 0, 16.0F, 16.0F}}) {
    const std::string text = "float_quantize(exp=" + std::to_string(row.exp) +
                             ",man=" + std::to_string(row.man) + ",rounding=nearest)";
    EXPECT_EQ(run(text, kCompat, f({1e9F, -1e9F})), f({row.compat, -row.compat}));
    EXPECT_EQ(run(text, kStrict, f({1e9F, -1e9F})), f({row.strict, -row.strict}));
  }
  // E4M3: emin -6, smallest 2^-9.
  const Patterns x = f({0.001953125F, 0.0009765625F, 0.00097656256F, -0.0009F, -0.0F});
  EXPECT_EQ(run("float_quantize(exp=4,man=3,rounding=nearest)", kCompat, x),
            f({0.001953125F, 0.001953125F, 0.001953125F, 0.0F, 0.0F}));
  EXPECT_EQ(run("float_quantize(exp=4,man=3,rounding=nearest)", kStrict, x),
            f({0.001953125F, 0.0F, 0.001953125F, -0.0F, -0.0F}));
}

TEST(Qtorch, Q4_FloatBeyondEightExponentBits) {
  const Patterns x = {0x7F7FFFFF, 0x00000003, 0x3F8CCCCD, kInf};
  EXPECT_EQ(run("float_quantize(exp=9,man=0,rounding=nearest)", kCompat, x),
            (Patterns{0x7F800000, 0, 0x3F800000, kInf}));
  // Exact exponents: 3 * 2^-149 is a tie between two powers of two.
  EXPECT_EQ(run("float_quantize(exp=9,man=0,rounding=nearest)", kStrict, x),
            (Patterns{kInf, 0x00000004, 0x3F800000, kInf}));
  EXPECT_EQ(refusal("float_quantize(exp=0,man=3,rounding=nearest)", kStrict, tensor(x)),
            "ValueError: exp must lie in 1..2147483647, not 0");
  EXPECT_EQ(refusal("float_quantize(exp=5,man=24,rounding=nearest)", kStrict, tensor(x)),
            "ValueError: man must lie in 0..23, not 24");
}

TEST(Qtorch, Q4_TypesAndShapes) {
  const Tensor half = {"values",
                       TensorType::kBf16,
                       {2},
                       {std::byte{0x90}, std::byte{0x3F}, std::byte{0x00}, std::byte{0xC1}}};
  for (const std::string text : {"float_quantize(exp=4,man=3,rounding=nearest)",
                                 "fixed_point_quantize(wl=8,fl=3,rounding=nearest)",
                                 "block_quantize(wl=8,rounding=nearest)"}) {
    EXPECT_EQ(refusal(text, kCompat, half),
              "RuntimeError: expected scalar type Float but found BFloat16");
    const auto results = cast(text, kStrict)->apply({.tensor = half});
    ASSERT_TRUE(results);
    EXPECT_EQ((*results)[0].type, TensorType::kFp32);
    EXPECT_EQ(patterns((*results)[0]), f({1.125F, -8.0F}));
    const Tensor integers = Tensor::zeros("values", TensorType::kInt32, {2});
    EXPECT_EQ(refusal(text, kStrict, integers),
              "RuntimeError: expected scalar type Float but found Int");
  }
  for (const Setting& setting : {kCompat, kStrict}) {
    EXPECT_EQ(run("float_quantize(exp=5,man=2,rounding=nearest)", setting, {}, {}, {0}),
              Patterns{});
    EXPECT_EQ(run("fixed_point_quantize(wl=5,fl=2,rounding=nearest)", setting, {}, {}, {3, 0}),
              Patterns{});
  }
}

TEST(Qtorch, Q5_QuantizerForwardAndBackward) {
  const std::string text =
      "quantizer(forward_number=FloatingPoint(exp=5,man=2),backward_number=BlockFloatingPoint(wl=8)"
      ",forward_rounding=nearest,backward_rounding=stochastic)";
  const Tensor x = tensor(f({1.1F, -3.3F})),
               gradient = tensor(f({1.0F, 1.0F / 128}), {}, "gradient");
  for (const Setting& setting : {kCompat, kStrict}) {
    const CastPointer made = cast(text, setting);
    const CastInput input = {.tensor = x, .operands = {gradient}};
    EXPECT_EQ(made->random_words(input).value(), 2U);
    EXPECT_EQ(made->random_words({.tensor = x}).value(), 0U);
    const Patterns random = {0, 0x4000};
    const auto results = made->apply({.tensor = x, .operands = {gradient}, .random = random});
    ASSERT_TRUE(results) << results.problem();
    ASSERT_EQ((*results).size(), 2U);
    EXPECT_EQ(patterns((*results)[0]), f({1.0F, -3.5F}));
    EXPECT_EQ((*results)[1].name, "gradient");
    EXPECT_EQ(patterns((*results)[1]), f({1.0F, 1.0F / 64}));
  }
}

TEST(Qtorch, Q5_NoneIsTheIdentityForEveryType) {
  const Tensor x = {"values", TensorType::kInt32, {1}, TensorBytes(4, std::byte{7})};
  for (const Setting& setting : {kCompat, kStrict}) {
    const auto results = cast("quantizer()", setting)->apply({.tensor = x});
    ASSERT_TRUE(results);
    EXPECT_EQ((*results)[0].type, TensorType::kInt32);
    EXPECT_EQ((*results)[0].bytes, x.bytes);
  }
}

/// x -> 3 x, in binary32.
Tensor tripled(Tensor gradient) {
  Patterns values = patterns(gradient);
  for (std::uint32_t& value : values) {
    float real = 0;
    std::memcpy(&real, &value, sizeof real);
    value = f(3 * real);
  }
  return tensor(values, gradient.shape, "gradient");
}

Patterns backward(const QuantizerConfig& config, const Setting& setting) {
  const Checked<Quantizer> made = Quantizer::make(config, setting);
  EXPECT_TRUE(made) << made.problem();
  const Tensor x = tensor(f({100.0F, 0.5F, 0.3F})), ones = tensor(f({1.0F, 1.0F, 1.0F}));
  const Checked<Forward> forward = made->forward(x, {});
  EXPECT_TRUE(forward) << forward.problem();
  const Tensor* const mask = forward->mask ? &*forward->mask : nullptr;
  return patterns(made->backward(ones, mask, {}).value());
}

TEST(Qtorch, Q6_HooksThenBackwardNumberThenMask) {
  QuantizerConfig config = {.forward_number = FixedPoint{4, 2},
                            .backward_number = FixedPoint{8, 4},
                            .forward_rounding = Rounding::kNearest,
                            .backward_rounding = Rounding::kNearest,
                            .clamping_grad_zero = true,
                            .backward_hooks = {tripled}};
  EXPECT_EQ(backward(config, kCompat), f({0.0F, 3.0F, 3.0F}));
  EXPECT_EQ(backward(config, kStrict), f({0.0F, 3.0F, 3.0F}));
  config.backward_hooks.push_back(tripled);  // 9 is clamped by the backward number
  EXPECT_EQ(backward(config, kStrict), f({0.0F, 7.9375F, 7.9375F}));
}

TEST(Qtorch, Q6_CompatForgetsHooksAndMask) {
  QuantizerConfig config = {.forward_number = FixedPoint{4, 2},
                            .backward_number = FixedPoint{8, 4},
                            .forward_rounding = Rounding::kNearest,
                            .backward_rounding = Rounding::kNearest,
                            .clamping_grad_zero = false,
                            .backward_hooks = {tripled}};
  EXPECT_EQ(backward(config, kCompat), f({1.0F, 1.0F, 1.0F}));
  EXPECT_EQ(backward(config, kStrict), f({3.0F, 3.0F, 3.0F}));
  config.backward_number = {};
  config.clamping_grad_zero = true;
  EXPECT_EQ(backward(config, kCompat), f({1.0F, 1.0F, 1.0F}));
  EXPECT_EQ(backward(config, kStrict), f({0.0F, 3.0F, 3.0F}));
}

TEST(Qtorch, Q6_ClampingGradZeroNeedsAClampingFixedPoint) {
  for (const Setting& setting : {kCompat, kStrict}) {
    const auto problem = [&](Number number) {
      const auto made =
          Quantizer::make({.forward_number = number, .clamping_grad_zero = true}, setting);
      return std::string(made.problem());
    };
    EXPECT_EQ(problem(FloatingPoint{5, 2}),
              "ValueError: zeroing clamping gradient only support fixed point.");
    EXPECT_EQ(problem(BlockFloatingPoint{8}),
              "ValueError: zeroing clamping gradient only support fixed point.");
    EXPECT_EQ(problem(FixedPoint{4, 2, false}),
              "AssertionError: must use clamping if zeroing out clamped gradient");
    EXPECT_EQ(problem(Number()), "");
    EXPECT_EQ(problem(FixedPoint{4, 2}), "");
  }
}

TEST(Qtorch, Q7_NumbersCheckAndPrintThemselves) {
  EXPECT_EQ(to_string(FixedPoint::make(8, 4).value()), "FixedPoint (wl=8, fl=4)");
  EXPECT_EQ(to_string(FloatingPoint::make(5, 2).value()), "FloatingPoint (exponent=5, mantissa=2)");
  EXPECT_EQ(to_string(BlockFloatingPoint::make(8).value()), "BlockFloatingPoint (wl=8, dim=-1)");
  EXPECT_EQ(to_string(Number()), "None");
  EXPECT_EQ(FixedPoint::make(0, 1).problem(), "AssertionError: invalid bits for word length: 0");
  EXPECT_EQ(FixedPoint::make(1, 0).problem(),
            "AssertionError: invalid bits for fractional length: 0");
  EXPECT_EQ(FloatingPoint::make(9, 1).problem(), "AssertionError: invalid bits for exponent:9");
  EXPECT_EQ(FloatingPoint::make(1, 0).problem(), "AssertionError: invalid bits for mantissa:0");
  EXPECT_EQ(FloatingPoint::make(1, 24).problem(), "AssertionError: invalid bits for mantissa:24");
  EXPECT_EQ(BlockFloatingPoint::make(0).problem(),
            "AssertionError: invalid bits for word length:0");
  EXPECT_EQ(BlockFloatingPoint::make(2, -2).problem(), "AssertionError: invalid dimension");
}

TEST(Qtorch, Q7_TextsAreReadBack) {
  for (const std::string text :
       {"float_quantize(exp=5,man=2,rounding=stochastic)",
        "fixed_point_quantize(wl=8,fl=4,clamp=False,symmetric=True,rounding=nearest)",
        "fixed_point_quantize_mask(wl=8,fl=4,symmetric=False,rounding=nearest)",
        "block_quantize(wl=8,dim=1,rounding=nearest)", "block_quantize_sim(wl=8,rounding=nearest)",
        "quantizer(forward_number=FixedPoint(wl=8,fl=4,clamp=True,symmetric=False),"
        "backward_number=BlockFloatingPoint(wl=6,dim=0),forward_rounding=stochastic,"
        "backward_rounding=nearest,clamping_grad_zero=True)",
        "quantizer(forward_number=FloatingPoint(exp=5,man=2),backward_number=None,"
        "forward_rounding=nearest,backward_rounding=nearest,clamping_grad_zero=False)"}) {
    EXPECT_EQ(cast(text, kStrict)->text(), text);
  }
  EXPECT_EQ(cast("block_quantize(wl=8)", kStrict)->text(),
            "block_quantize(wl=8,dim=-1,rounding=stochastic)");
}

TEST(Qtorch, Q7_TextsAreRefusedWithAReason) {
  const Tensor x = tensor(Patterns{f(1.0F)});
  const auto refused = [&](const std::string& text) { return refusal(text, kStrict, x); };
  EXPECT_EQ(refused("nothing(a=1)"),
            "ValueError: position 0: no function of qtorch.quant: nothing");
  EXPECT_EQ(refused("float_quantize(exp=5)"),
            "ValueError: position 0: float_quantize: parameter 'man' is missing");
  EXPECT_EQ(refused("float_quantize(exp=5,man=2,rounding=up)"),
            "ValueError: position 27: float_quantize: parameter 'rounding' must be stochastic or "
            "nearest, not 'up'");
  EXPECT_EQ(refused("block_quantize(wl=8,fl=2)"),
            "ValueError: position 20: block_quantize has no parameter 'fl'");
  EXPECT_EQ(refused("quantizer(forward_number=FloatingPoint(exp=9,man=2))"),
            "AssertionError: invalid bits for exponent:9");
  EXPECT_EQ(refused("quantizer(forward_number=Posit(n=8))"),
            "ValueError: position 0: no number of QPyTorch: Posit");
}

TEST(Qtorch, Q8_RandomWordsAndBitsUsed) {
  const Tensor x = tensor(f({1.0F, 2.0F, 3.0F}));
  EXPECT_EQ(cast("float_quantize(exp=5,man=2)", kCompat)->random_words({.tensor = x}).value(), 3U);
  EXPECT_EQ(cast("float_quantize(exp=5,man=2,rounding=nearest)", kCompat)
                ->random_words({.tensor = x})
                .value(),
            0U);
  EXPECT_EQ(refusal("float_quantize(exp=5,man=2)", kCompat, x),
            "ValueError: stochastic rounding reads 3 random words, not 0");
  // The low 23 - man bits of a word, 23 - wl of a block's, 24 of a fixed one's: the others are
  // free.
  const Patterns values = f({1.0001F, 0.7F, -0.3F});
  const Patterns words = {0x001F0123, 0x00000FFF, 0x00ABCDEF};
  const auto with_noise = [&](std::uint32_t noise) {
    Patterns noisy = words;
    for (std::uint32_t& word : noisy) word |= noise;
    return noisy;
  };
  for (const Setting& setting : {kCompat, kStrict}) {
    EXPECT_EQ(run("float_quantize(exp=5,man=2)", setting, values, with_noise(0)),
              run("float_quantize(exp=5,man=2)", setting, values, with_noise(0xFFE00000)));
    EXPECT_EQ(run("block_quantize(wl=8)", setting, values, with_noise(0)),
              run("block_quantize(wl=8)", setting, values, with_noise(0xFFFF8000)));
    EXPECT_EQ(run("fixed_point_quantize(wl=8,fl=4)", setting, values, with_noise(0)),
              run("fixed_point_quantize(wl=8,fl=4)", setting, values, with_noise(0xFF000000)));
  }
}

TEST(Qtorch, Q8_CudaRoundsFixedPointTiesAway) {
  // Read from the CUDA source, not executed: roundf, without the addition of one half.
  const Patterns x = {0x3EFFFFFF, 0x3F000001, f(-2.5F), f(8388609.0F), f(-0.2F)};
  EXPECT_EQ(run("fixed_point_quantize(wl=32,fl=0,rounding=nearest)", kCuda, x),
            f({0.0F, 1.0F, -3.0F, 8388609.0F, -0.0F}));
  EXPECT_EQ(run("fixed_point_quantize(wl=32,fl=0,rounding=nearest)", kCompat, x),
            f({0.0F, 0.0F, -2.0F, 8388610.0F, -0.0F}));
}

TEST(Qtorch, Q9_CudaSimulatedBlocks) {
  // Read from the CUDA source, not executed: quantum 2^(e + 1 - (wl - 1)), no clipping.
  const Patterns x = f({1.0F, 1.999F, 0.0078125F, -0.0234375F});
  EXPECT_EQ(run("block_quantize_sim(wl=8,rounding=nearest)", kCuda, x),
            f({1.0F, 2.0F, 1.0F / 64, -2.0F / 64}));
  EXPECT_EQ(run("block_quantize_sim(wl=8,rounding=nearest)", kStrict, x),
            f({1.0F, 127.0F / 64, 0.0F, -2.0F / 64}));
  EXPECT_EQ(run("block_quantize_sim(wl=8,rounding=stochastic)", kCuda, x,
                {0, 0x00FFFFFF, 0x00900000, 0x00000001}),
            f({1.0F, 2.0F, 1.0F / 64, -2.0F / 64}));
  EXPECT_EQ(refusal("block_quantize_sim(wl=8,rounding=nearest)", kCompat, tensor(x)),
            "AttributeError: only the CUDA module has block_quantize_sim");
}

}  // namespace
}  // namespace mx::emulators::qtorch
