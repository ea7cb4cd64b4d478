// Dot products against exact rationals: every mode, pairs of element and scale formats, result
// formats, addends, accumulators with every field at random; and the facts of
// spec F13.
#include "reference/dot/dot.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "oracle/block/block.hpp"
#include "reference/catalog/catalog.hpp"
#include "reference/format/table.hpp"
#include "tests/reference/dot/dot_sweep.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random_policy.hpp"

namespace mx::oracle {
namespace {

constexpr const char* kElements[] = {"e4m3fn",      "e5m2", "e2m3fn", "e3m2fn",
                                     "e2m1fn",      "int8", "e4m3",   "e5m2fnuz",
                                     "binary8p4se", "hif8", "e3m0",   "int4"};
constexpr const char* kScales[] = {"e8m0", "ue4m3", "ue5m3",      "ue6m2",
                                   "fp32", "exp5",  "binary8p1uf"};
constexpr const char* kResults[] = {"fp32", "bf16", "fp16", "e5m2", "e4m3fn"};

DotConfig random_config(DotMode mode, Stream& stream) {
  const auto any = [&](const auto& names) {
    return std::string_view(names[stream.below(std::size(names))]);
  };
  DotConfig config;
  // Half of all pairs are MX: e8m0 on both sides.
  const bool mx = stream.coin();
  config.a = block_of(any(kElements), mx ? "e8m0" : any(kScales));
  config.b = block_of(any(kElements), mx ? "e8m0" : any(kScales));
  config.mode = mode;
  config.result = stream.coin() ? formats::fp32 : *make_format(any(kResults));
  config.rounding = stream.coin() ? Rounding::kTiesToEven : pick_deterministic(stream);
  if (stream.below(4) == 0) config.overflow = pick<Overflow>(stream);
  config.accumulator = random_accumulator(stream);
  return config;
}

class DotModes : public ::testing::TestWithParam<DotMode> {};

// Each class of operands through each mode; formats, results and roundings turn.
TEST_P(DotModes, EveryClassOfOperands) {
  const DotMode mode = GetParam();
  const bool is_cheap = mode == DotMode::kExactOnce || mode == DotMode::kAccumulator;
  Stream stream(700U + static_cast<std::uint32_t>(mode));
  Report report;
  std::uint64_t ties = 0;
  for (int i = 0; i < (is_cheap ? 1500 : 400); ++i) {
    for (int c = 0; c < kDotClasses; ++c) {
      const auto what = static_cast<DotClass>(c);
      const DotConfig config = random_config(mode, stream);
      if (!DotProduct::problem(config).empty()) continue;
      const std::size_t elements = 1 + stream.below(20);
      const DotOperands operands = make_operands(what, config, elements, stream);
      check_dot(config, operands, reference_dot(), report);
      report.classify(name_of(what));
      if (what != DotClass::kTie) continue;
      DotConfig up = config, down = config;
      up.rounding = Rounding::kTiesToAway;
      down.rounding = Rounding::kTiesToZero;
      if (reference_dot()(up, operands).code != reference_dot()(down, operands).code) ++ties;
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  for (const char* outcome : {"nan", "inf", "zero", "number", "inexact", "exact", "overflow",
                              "underflow", "invalid", "addend"}) {
    EXPECT_GT(report.count(outcome), 20U) << outcome << '\n' << report.text();
  }
  for (int c = 0; c < kDotClasses; ++c) {
    EXPECT_GT(report.count(name_of(static_cast<DotClass>(c))), 100U);
  }
  EXPECT_GT(ties, 10U);
}

std::string mode_name(const ::testing::TestParamInfo<DotMode>& info) {
  return std::string(token_of(info.param));
}

INSTANTIATE_TEST_SUITE_P(All, DotModes,
                         ::testing::Values(DotMode::kExactOnce, DotMode::kFp32Seq,
                                           DotMode::kFp32Tree, DotMode::kBlockExactFp32Seq,
                                           DotMode::kAccumulator),
                         mode_name);

// All 6 x 6 pairs of MX elements, 32 to a block, every mode.
TEST(Dot, EveryPairOfMxFormats) {
  Stream stream(710);
  Report report;
  for (const BlockFormat& a : mx_block_formats()) {
    for (const BlockFormat& b : mx_block_formats()) {
      for (const Token<DotMode>& mode : tokens<DotMode>()) {
        for (int c = 0; c < kDotClasses; ++c) {
          const bool is_cheap =
              mode.value == DotMode::kExactOnce || mode.value == DotMode::kAccumulator;
          if (!is_cheap && c % 3 != 0) continue;
          const DotConfig config{.a = a, .b = b, .mode = mode.value};
          const DotOperands operands = make_operands(static_cast<DotClass>(c), config, 64, stream);
          check_dot(config, operands, reference_dot(), report);
          report.classify(std::string(a.name) + " * " + std::string(b.name));
        }
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  for (const BlockFormat& a : mx_block_formats()) {
    for (const BlockFormat& b : mx_block_formats()) {
      EXPECT_GE(report.count(std::string(a.name) + " * " + std::string(b.name)), 18U);
    }
  }
}

// Two levels, sublevels and blocks that are the whole axis.
TEST(Dot, OtherBlockFormats) {
  Stream stream(711);
  Report report;
  std::uint64_t usable = 0;
  for (const BlockFormat& format : all_block_formats()) {
    DotConfig config{.a = format, .b = format};
    if (!DotProduct::problem(config).empty()) continue;
    ++usable;
    for (int i = 0; i < 40; ++i) {
      config.mode = i % 2 == 0 ? DotMode::kExactOnce : DotMode::kAccumulator;
      config.accumulator = random_accumulator(stream);
      const bool whole = format.extent != BlockExtent::kElements;
      DotOperands operands =
          make_operands(static_cast<DotClass>(i % kDotClasses), config, whole ? 16 : 80, stream);
      if (whole) {
        operands.a_scales.resize(1);
        operands.b_scales.resize(1);
      }
      check_dot(config, operands, reference_dot(), report);
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(usable, 12U);
}

Encoded dot_of(const DotConfig& config, const DotOperands& operands) {
  return reference_dot()(config, operands);
}

BlockFormat mx_format(std::string_view element) { return block_of(element, "e8m0", 32); }

/// 32 equal products with scales 1.
DotOperands equal_products(std::uint64_t a, std::uint64_t b) {
  DotOperands operands;
  operands.a_scales = operands.b_scales = {0x7F};
  operands.a_codes.assign(32, a);
  operands.b_codes.assign(32, b);
  return operands;
}

// spec F13, the table of exact accumulators: a fixed-point accumulator of that many
// bits holds every sum of 32 products, one bit less does not.
TEST(DotFacts, ExactAccumulatorWidths) {
  struct Row {
    const char* element;
    int lsb;
    std::uint64_t max_sum;
    int bits;
    std::uint64_t extreme;  ///< code of the largest magnitude
    std::uint64_t smallest;
  };
  const Row rows[] = {
      {"e2m1fn", -2, 1152, 14, 0x7, 0x1},         {"e2m3fn", -6, 1800, 18, 0x1F, 0x1},
      {"e3m2fn", -8, 25088, 24, 0x1F, 0x1},       {"e4m3fn", -18, 6422528, 42, 0x7E, 0x1},
      {"e5m2", -32, 105226698752, 70, 0x7B, 0x1}, {"int8", -12, 128, 21, 0x80, 0x1}};
  for (const Row& row : rows) {
    DotConfig config{.a = mx_format(row.element), .b = mx_format(row.element)};
    const Encoded largest = dot_of(config, equal_products(row.extreme, row.extreme));
    EXPECT_EQ(extended(value_of(formats::fp32, largest.code)).magnitude, Rational(row.max_sum))
        << row.element;
    DotOperands one = equal_products(row.smallest, 0);
    one.b_codes[5] = row.smallest;
    EXPECT_EQ(extended(value_of(formats::fp32, dot_of(config, one).code)).magnitude,
              dyadic(1, row.lsb))
        << row.element;
    // Sign and the magnitude in units of the last place.
    const Rational units = Rational(row.max_sum) * dyadic(1, -row.lsb);
    EXPECT_EQ(floor_log2(units) + 2, row.bits) << row.element;
    if (row.bits > 32) continue;
    config.mode = DotMode::kAccumulator;
    config.accumulator.alignment_bits = 44;
    const auto fixed = [&](int bits) {
      return *make_format("fixed" + std::to_string(bits) + '.' + std::to_string(-row.lsb));
    };
    config.accumulator.format = fixed(row.bits);
    EXPECT_EQ(dot_of(config, equal_products(row.extreme, row.extreme)).code, largest.code);
    EXPECT_EQ(dot_of(config, one).flags, 0);
    config.accumulator.format = fixed(row.bits - 1);
    EXPECT_NE(dot_of(config, equal_products(row.extreme, row.extreme)).code, largest.code);
  }
}

// The extended-real rules of spec F13.
TEST(DotFacts, SpecialValues) {
  for (const Token<DotMode>& mode : tokens<DotMode>()) {
    DotConfig config{.a = mx_format("e5m2"), .b = mx_format("e5m2"), .mode = mode.value};
    const auto with = [&](std::uint64_t a0, std::uint64_t b0, std::uint64_t a1, std::uint64_t b1,
                          std::uint64_t scale = 0x7F) {
      DotOperands operands = equal_products(0x3C, 0x3C);
      operands.a_scales[0] = scale;
      operands.a_codes[3] = a0;
      operands.b_codes[3] = b0;
      operands.a_codes[9] = a1;
      operands.b_codes[9] = b1;
      return dot_of(config, operands);
    };
    const std::string_view name = mode.text;
    EXPECT_EQ(with(0x7F, 0x3C, 0x3C, 0x3C), (Encoded{0x7FC00000, 0})) << name << " quiet NaN";
    EXPECT_EQ(with(0x7D, 0x3C, 0x3C, 0x3C), (Encoded{0x7FC00000, kFlagInvalid}))
        << name << " signalling NaN";
    EXPECT_EQ(with(0x3C, 0x3C, 0x3C, 0x3C, 0xFF).code, 0x7FC00000U) << name << " NaN scale";
    EXPECT_EQ(with(0x7C, 0x3C, 0x3C, 0x3C), (Encoded{0x7F800000, 0})) << name << " Inf";
    EXPECT_EQ(with(0x7C, 0xBC, 0x3C, 0x3C), (Encoded{0xFF800000, 0})) << name << " -Inf";
    EXPECT_EQ(with(0x7C, 0x00, 0x3C, 0x3C), (Encoded{0x7FC00000, kFlagInvalid}))
        << name << " 0 * Inf";
    EXPECT_EQ(with(0x7C, 0x3C, 0xFC, 0x3C), (Encoded{0x7FC00000, kFlagInvalid}))
        << name << " Inf - Inf";
  }
}

TEST(DotFacts, AnExactlyZeroSumIsPlusZero) {
  DotConfig config{.a = mx_format("e4m3fn"), .b = mx_format("e4m3fn")};
  EXPECT_EQ(dot_of(config, equal_products(0x80, 0x38)), (Encoded{0, 0})) << "32 times -0";
  DotOperands operands = equal_products(0x38, 0x38);
  for (std::size_t i = 0; i < 16; ++i) operands.a_codes[2 * i] = 0xB8;
  EXPECT_EQ(dot_of(config, operands), (Encoded{0, 0})) << "16 ones, 16 minus ones";
  operands.addend = 0x80000000;
  EXPECT_EQ(dot_of(config, operands), (Encoded{0, 0})) << "and -0";
  // IEEE sums keep the sign of like zeros; the running sum starts at +0.
  config.mode = DotMode::kFp32Tree;
  EXPECT_EQ(dot_of(config, equal_products(0x80, 0x38)), (Encoded{0x80000000, 0}));
  config.mode = DotMode::kFp32Seq;
  EXPECT_EQ(dot_of(config, equal_products(0x80, 0x38)), (Encoded{0, 0}));
}

/// One product a lane under scales of 1, and C: a group of one, as a fused multiply-add has it.
struct FmaCase {
  AccumulatorModel model = {.group = 1,
                            .alignment_bits = 56,
                            .align_rounding = Rounding::kToOdd,
                            .zero_sign = DotZeroSign::kIeee};
  [[nodiscard]] Encoded operator()(std::uint64_t a, std::uint64_t b,
                                   std::optional<std::uint64_t> c) const {
    const DotConfig config{.a = block_of("bf16", "e8m0", 1),
                           .b = block_of("bf16", "e8m0", 1),
                           .mode = DotMode::kAccumulator,
                           .accumulator = model};
    DotOperands operands;
    operands.a_scales = operands.b_scales = {0x7F};
    operands.a_codes = {a};
    operands.b_codes = {b};
    operands.addend = c;
    return dot_of(config, operands);
  }
};

// IEEE 754-2019, its section 6.3, where the sum of a step is exactly zero.
TEST(DotFacts, AFusedMultiplyAddHasTheSignOfAZeroSumOfIeee754) {
  constexpr std::uint64_t kOne = 0x3F80, kMinusOne = 0xBF80, kZero = 0, kMinusZero = 0x8000;
  constexpr std::uint64_t kOne32 = 0x3F800000, kMinus32 = 0x80000000;
  FmaCase fma;
  for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kTowardZero,
                                  Rounding::kTowardPositive, Rounding::kTowardNegative}) {
    const bool down = rounding == Rounding::kTowardNegative;
    fma.model.rounding = rounding;
    fma.model.zero_sign = DotZeroSign::kIeee;
    EXPECT_EQ(fma(kZero, kMinusOne, kMinus32).code, kMinus32) << "-0 + -0";
    EXPECT_EQ(fma(kZero, kOne, 0).code, 0U) << "+0 + +0";
    EXPECT_EQ(fma(kMinusZero, kOne, 0).code, down ? kMinus32 : 0U) << "+0 + -0";
    EXPECT_EQ(fma(kZero, kOne, kMinus32).code, down ? kMinus32 : 0U) << "-0 + +0";
    EXPECT_EQ(fma(kMinusOne, kOne, kOne32).code, down ? kMinus32 : 0U) << "1 - 1";
    EXPECT_EQ(fma(kMinusZero, kOne, std::nullopt).code, down ? kMinus32 : 0U) << "from +0";
    fma.model.zero_sign = DotZeroSign::kPositive;
    EXPECT_EQ(fma(kZero, kMinusOne, kMinus32).code, 0U) << "as matrix units have it";
    EXPECT_EQ(fma(kMinusOne, kOne, kOne32).code, 0U);
  }
}

// The largest finite sum, half-way and just beyond, of either sign, under every rounding.
TEST(DotFacts, AnAccumulatorCanOverflowToInfinityWhateverItsRounding) {
  constexpr std::uint64_t kLargest = 0x7F7FFFFF, kInf = 0x7F800000;
  // An ulp of the largest number is 2^104; as bf16.
  constexpr std::uint64_t kUlp = 0x7380, kHalf = 0x7300, kQuarter = 0x7280;
  constexpr std::uint64_t kSign32 = 0x80000000, kOne = 0x3F80;
  FmaCase fma;
  for (std::size_t i = 0; i < 9; ++i) {
    const auto rounding = static_cast<Rounding>(i);
    fma.model.rounding = rounding;
    fma.model.overflow = Overflow::kAlwaysInfOrNan;
    for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1}}) {
      const std::uint64_t sign16 = sign << 15;
      const std::uint64_t s = sign << 31;
      EXPECT_EQ(fma(0, kOne, kLargest | s).code, kLargest | s) << token_of(rounding);
      EXPECT_EQ(fma(kUlp | sign16, kOne, kLargest | s).code, kInf | s)
          << "an ulp beyond, " << token_of(rounding);
      // Half an ulp and a quarter beyond: as the rounding says, and Inf where it moves.
      for (const std::uint64_t beyond : {kHalf, kQuarter}) {
        FmaCase none = fma;
        none.model.overflow = Overflow::kNoneInfOrNan;
        const std::uint64_t usual = none(beyond | sign16, kOne, kLargest | s).code;
        EXPECT_EQ(fma(beyond | sign16, kOne, kLargest | s).code, usual) << token_of(rounding);
      }
    }
  }
  fma.model.rounding = Rounding::kTowardZero;
  EXPECT_EQ(fma(kHalf, kOne, kLargest).code, kLargest) << "cut back to the largest number";
  EXPECT_EQ(fma(kUlp, kOne, kLargest).flags & kFlagOverflow, kFlagOverflow);
  for (const Token<Overflow>& overflow : tokens<Overflow>()) {
    fma.model.overflow = overflow.value;
    const bool to_inf = overflow.value == Overflow::kAlwaysInfOrNan;
    EXPECT_EQ(fma(0x8000 | kUlp, kOne, kLargest | kSign32).code,
              (to_inf ? kInf : kLargest) | kSign32)
        << overflow.text;
  }
}

// x86 flushes what is tiny after it is rounded with an unbounded exponent: 2^-126 - 2^-150 becomes
// 2^-126 there, 2^-126 - 2^-149 is tiny, and so is what only the wider steps of the subnormal
// numbers round up to 2^-126.
TEST(DotFacts, ThreeFlushesDifferAroundTheSmallestNormalNumber) {
  // C is 2^-126; the product is taken from it.
  constexpr std::uint64_t kLeast = 0x00800000;
  const auto down_by = [](int exponent) {  // -2^exponent as a product of two bf16
    const int first = exponent / 2;
    return std::pair<std::uint64_t, std::uint64_t>{
        0x8000 | static_cast<std::uint64_t>(127 + first) << 7,
        static_cast<std::uint64_t>(127 + exponent - first) << 7};
  };
  const auto under = [&](ResultSubnormals ftz, int exponent, std::uint64_t sign) {
    FmaCase fma;
    fma.model.ftz = ftz;
    auto [a, b] = down_by(exponent);
    a ^= sign << 15;
    return fma(a, b, kLeast | sign << 31).code;
  };
  using Ftz = ResultSubnormals;
  for (const std::uint64_t sign : {std::uint64_t{0}, std::uint64_t{1}}) {
    const std::uint64_t s = sign << 31;
    // Below 2^-126 by less than half of the finer step 2^-150: not tiny, but for `pre`.
    EXPECT_EQ(under(Ftz::kFlushBeforeRounding, -153, sign), s);
    EXPECT_EQ(under(Ftz::kFlushAfterRounding, -153, sign), kLeast | s);
    EXPECT_EQ(under(Ftz::kFlushAfterUnboundedRounding, -153, sign), kLeast | s);
    // By half of it: a tie, to even, so 2^-126.
    EXPECT_EQ(under(Ftz::kFlushAfterUnboundedRounding, -151, sign), kLeast | s);
    EXPECT_EQ(under(Ftz::kFlushBeforeRounding, -151, sign), s);
    // By the finer step itself: tiny, though the subnormal steps of 2^-149 round it to 2^-126.
    EXPECT_EQ(under(Ftz::kFlushAfterRounding, -150, sign), kLeast | s);
    EXPECT_EQ(under(Ftz::kFlushAfterUnboundedRounding, -150, sign), s);
    // The largest subnormal number, and nothing below.
    for (const Ftz ftz :
         {Ftz::kFlushBeforeRounding, Ftz::kFlushAfterRounding, Ftz::kFlushAfterUnboundedRounding}) {
      EXPECT_EQ(under(ftz, -149, sign), s) << token_of(ftz);
      EXPECT_EQ(under(ftz, -160, sign), ftz == Ftz::kFlushBeforeRounding ? s : kLeast | s);
    }
    EXPECT_EQ(under(Ftz::kKeep, -149, sign), 0x007FFFFF | s);
  }
}

// 2^24 + 1 + 1: what the order and the place of the roundings decide.
TEST(DotFacts, TheModesDiffer) {
  DotConfig config{.a = block_of("e4m3fn", "e8m0", 2), .b = block_of("e4m3fn", "e8m0", 2)};
  DotOperands operands;
  operands.a_scales = {0x7F + 24, 0x7F};
  operands.b_scales = {0x7F, 0x7F};
  operands.a_codes = {0x38, 0x00, 0x38, 0x38};
  operands.b_codes = {0x38, 0x38, 0x38, 0x38};
  const auto in_mode = [&](DotMode mode) {
    config.mode = mode;
    return dot_of(config, operands).code;
  };
  EXPECT_EQ(in_mode(DotMode::kExactOnce), 0x4B800001U);
  EXPECT_EQ(in_mode(DotMode::kFp32Seq), 0x4B800000U) << "each 1 is a tie and vanishes";
  EXPECT_EQ(in_mode(DotMode::kFp32Tree), 0x4B800001U) << "1 + 1 first";
  EXPECT_EQ(in_mode(DotMode::kBlockExactFp32Seq), 0x4B800001U);
  config.accumulator = {.group = 4, .alignment_bits = 24};
  EXPECT_EQ(in_mode(DotMode::kAccumulator), 0x4B800000U) << "both fall below the window";
  config.accumulator.alignment_bits = 25;
  EXPECT_EQ(in_mode(DotMode::kAccumulator), 0x4B800001U);
  config.accumulator = {.group = 4, .alignment_bits = 24, .align_rounding = Rounding::kToOdd};
  EXPECT_EQ(in_mode(DotMode::kAccumulator), 0x4B800002U) << "two sticky bits of weight 2";
}

TEST(DotFacts, OneRoundingToANarrowResult) {
  // 1 + 2^-8 + 2^-25 to bf16: above the midpoint; via binary32 it is the midpoint.
  DotConfig config{.a = block_of("e4m3fn", "e8m0", 1),
                   .b = block_of("e4m3fn", "e8m0", 1),
                   .result = formats::bf16};
  DotOperands operands;
  operands.a_scales = {0x7F, 0x7F - 8, 0x7F - 25};
  operands.b_scales = {0x7F, 0x7F, 0x7F};
  operands.a_codes = operands.b_codes = {0x38, 0x38, 0x38};
  EXPECT_EQ(dot_of(config, operands).code, 0x3F81U);
  config.mode = DotMode::kFp32Seq;
  EXPECT_EQ(dot_of(config, operands).code, 0x3F80U);
}

TEST(DotFacts, TheTraceTellsEveryRounding) {
  DotConfig config{.a = mx_format("e4m3fn"), .b = mx_format("e4m3fn")};
  const DotOperands operands = equal_products(0x39, 0x3A);
  std::vector<DotStep> trace;
  const auto steps = [&](DotMode mode, DotStep::What what) {
    config.mode = mode;
    DotProduct dot = made(config);
    const Encoded traced = dot(operands.a(), operands.b(), std::nullopt, trace);
    EXPECT_EQ(traced, dot(operands.a(), operands.b()));
    EXPECT_EQ(decode(config.result, traced.code), trace.back().rounded);
    return std::count_if(trace.begin(), trace.end(),
                         [&](const DotStep& step) { return step.what == what; });
  };
  EXPECT_EQ(steps(DotMode::kExactOnce, DotStep::What::kResult), 1);
  EXPECT_EQ(steps(DotMode::kFp32Seq, DotStep::What::kSum), 32);
  EXPECT_EQ(steps(DotMode::kFp32Tree, DotStep::What::kSum), 31);
  EXPECT_EQ(steps(DotMode::kFp32Tree, DotStep::What::kProduct), 32);
  EXPECT_EQ(steps(DotMode::kBlockExactFp32Seq, DotStep::What::kSum), 1);
}

TEST(DotFacts, ProblemsAreNamed) {
  const DotConfig good{.a = mx_format("e4m3fn"), .b = mx_format("e5m2")};
  EXPECT_EQ(DotProduct::problem(good), "");
  const auto problem = [&](auto change) {
    DotConfig config = good;
    config.mode = DotMode::kAccumulator;
    change(config);
    return DotProduct::problem(config);
  };
  EXPECT_NE(problem([](DotConfig& c) { c.b.block_size = 16; }), "");
  EXPECT_NE(problem([](DotConfig& c) { c.a.tile_lines = 2; }), "");
  EXPECT_NE(problem([](DotConfig& c) { c.a.negative_zero = NegativeZeroDatum::kMinusInfinity; }),
            "");
  EXPECT_NE(problem([](DotConfig& c) { c.a.element = c.b.element = formats::fp64; }), "");
  EXPECT_NE(problem([](DotConfig& c) { c.rounding = Rounding::kStochasticA; }), "");
  EXPECT_NE(problem([](DotConfig& c) { c.result = formats::fp64; }), "");
  EXPECT_NE(problem([](DotConfig& c) { c.accumulator.group = 0; }), "");
  EXPECT_NE(problem([](DotConfig& c) { c.accumulator.alignment_bits = 57; }), "");
  EXPECT_NE(problem([](DotConfig& c) { c.accumulator.align_rounding = Rounding::kStochasticB; }),
            "");
  EXPECT_NE(problem([](DotConfig& c) { c.accumulator.format = formats::e8m0; }), "");
  EXPECT_NE(problem([](DotConfig& c) {
              c.accumulator.carry = DotCarry::kAfterwards;
              c.accumulator.normalize = DotNormalize::kAtEnd;
            }),
            "");
}

}  // namespace
}  // namespace mx::oracle
