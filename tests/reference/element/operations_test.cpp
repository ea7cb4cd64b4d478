// Operations besides the six of IEEE 754-2019 section 5.4.1: laws, corners and conversions between
// floats and integers, against exact rationals and the machine's own instructions.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "oracle/element/arithmetic.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/format/integers.hpp"
#include "reference/format/table.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/print.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle {
namespace {

using Op = ArithmeticOperation;

constexpr std::uint64_t kInf = 0x7F800000, kQuiet = 0x7FC00000, kSignaling = 0xFF800001;
constexpr std::uint64_t kMinusZero = 0x80000000, kOne = 0x3F800000;

struct Example {
  Op operation;
  std::vector<std::uint64_t> operands;
  std::uint64_t code;
  std::uint8_t flags;
};

void expect_examples(const Arithmetic& arithmetic, const std::vector<Example>& list) {
  for (const Example& each : list) {
    const Encoded got = arithmetic(each.operation, each.operands);
    const std::string text =
        std::string(token_of(each.operation)) + ' ' + hex(each.operands[0]) +
        (each.operands.size() > 1 ? ' ' + hex(each.operands[1]) : std::string());
    EXPECT_EQ(hex(got.code), hex(each.code)) << text;
    EXPECT_EQ(hex(got.flags), hex(each.flags)) << text;
  }
}

// IEEE 754-2019 section 5.3.1: n is even where x / y is in the middle; a zero has the sign of x.
TEST(Remainder, AsItsDefinitionSays) {
  expect_examples(
      Arithmetic::ieee(formats::fp32),
      {{Op::kRemainder, {0x40A00000, 0x40000000}, 0x3F800000, 0},  // 5 rem 2 = 1: 2.5 to 2
       {Op::kRemainder, {0x40E00000, 0x40000000}, 0xBF800000, 0},  // 7 rem 2 = -1: 3.5 to 4
       {Op::kRemainder, {0x3F800000, 0x40000000}, 0x3F800000, 0},  // 1 rem 2 = 1: 0.5 to 0
       {Op::kRemainder, {0x40400000, 0x40000000}, 0xBF800000, 0},  // 3 rem 2 = -1
       {Op::kRemainder, {0xC0800000, 0x40000000}, kMinusZero, 0},  // -4 rem 2 = -0
       {Op::kRemainder, {0xC0800000, 0xC0000000}, kMinusZero, 0},  // the sign of x alone
       {Op::kRemainder, {kOne, kInf}, kOne, 0},
       {Op::kRemainder, {kMinusZero, kOne}, kMinusZero, 0},
       {Op::kRemainder, {kInf, kOne}, kQuiet, kFlagInvalid},
       {Op::kRemainder, {kOne, kMinusZero}, kQuiet, kFlagInvalid},
       {Op::kRemainder, {kOne, kSignaling}, kQuiet, kFlagInvalid},
       // 2^104 (2^24 - 1) and a subnormal: the quotient has 250 bits.
       {Op::kRemainder, {0x7F7FFFFF, 0x0000000B}, 0x80000001, 0},
       {Op::kRemainder, {0x7F7FFFFF, 0x00000013}, 0x80000007, 0},
       {Op::kRemainder, {0x7F7FFFFF, 0x0000000D}, 0, 0}});
}

// Property: |r| is at most |y| / 2, and always exact where there are subnormals. The machine's own
// remainder() is one more opinion.
TEST(Remainder, IsExactAndAsTheMachineHasIt) {
  Stream stream(905);
  const Arithmetic f32 = Arithmetic::ieee(formats::fp32);
  const Arithmetic f64 = Arithmetic::ieee(formats::fp64);
  int numbers = 0;
  for (int i = 0; i < 40000; ++i) {
    const std::uint64_t a = stream.next(), b = stream.next() >> stream.below(24);
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
    const auto y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    const std::uint64_t c = stream.next64(), d = stream.next64() >> stream.below(50);
    const auto u = std::bit_cast<double>(c);
    const auto v = std::bit_cast<double>(d);
    if (!std::isfinite(x) || !std::isfinite(u) || std::isnan(y) || std::isnan(v)) continue;
    if (y == 0 || v == 0) continue;
    const Encoded narrow = f32.remainder(a, b), wide = f64.remainder(c, d);
    ASSERT_EQ(narrow.code, std::bit_cast<std::uint32_t>(std::remainder(x, y))) << hex(a) << hex(b);
    ASSERT_EQ(wide.code, std::bit_cast<std::uint64_t>(std::remainder(u, v))) << hex(c) << hex(d);
    ASSERT_EQ(narrow.flags | wide.flags, 0);
    ++numbers;
  }
  EXPECT_GT(numbers, 30000);
}

// IEEE 754-2019 section 5.9: the rounding's integer, the sign of x, inexact alone.
TEST(RoundToIntegral, AsItsDefinitionSays) {
  expect_examples(Arithmetic::ieee(formats::fp32),
                  {{Op::kRoundToIntegral, {0x3FC00000}, 0x40000000, kFlagInexact},  // 1.5
                   {Op::kRoundToIntegral, {0x40200000}, 0x40000000, kFlagInexact},  // 2.5
                   {Op::kRoundToIntegral, {0xBF000000}, kMinusZero, kFlagInexact},  // -0.5
                   {Op::kRoundToIntegral, {0x00000001}, 0, kFlagInexact},
                   {Op::kRoundToIntegral, {0x4B000001}, 0x4B000001, 0},  // 2^23 + 1
                   {Op::kRoundToIntegral, {kInf}, kInf, 0},
                   {Op::kRoundToIntegral, {kSignaling}, kQuiet, kFlagInvalid}});
  expect_examples(Arithmetic::ieee(formats::fp32, Rounding::kToOdd),
                  {{Op::kRoundToIntegral, {0x40200000}, 0x40400000, kFlagInexact},
                   {Op::kRoundToIntegral, {0x00000001}, kOne, kFlagInexact}});
  // The integer may lie beyond the format, whose policy then has its say: 7.5 of e2m3fn to 8.
  Arithmetic narrow = Arithmetic::ieee(formats::e2m3fn, Rounding::kAwayFromZero);
  expect_examples(
      narrow,
      {{Op::kRoundToIntegral, {0x1F}, 0x1F, kFlagInexact | kFlagOverflow | kFlagSaturated}});
}

struct NanRow {
  Op operation;
  std::uint64_t quiet, signaling;  ///< the result of 1 and such a NaN, in either order
  std::uint64_t zeros;             ///< of +0 and -0, in either order
};

// spec F1.2, the table of minima and maxima.
TEST(Selection, NanAndZerosOfEachRule) {
  const Arithmetic f32 = Arithmetic::ieee(formats::fp32);
  for (const NanRow& row :
       {NanRow{Op::kMinimum, kQuiet, kQuiet, kMinusZero}, NanRow{Op::kMaximum, kQuiet, kQuiet, 0},
        NanRow{Op::kMinimumNumber, kOne, kOne, kMinusZero},
        NanRow{Op::kMaximumNumber, kOne, kOne, 0}, NanRow{Op::kMinNum, kOne, kQuiet, kMinusZero},
        NanRow{Op::kMaxNum, kOne, kQuiet, 0}}) {
    const Op op = row.operation;
    expect_examples(f32, {{op, {kOne, kQuiet}, row.quiet, 0},
                          {op, {kQuiet, kOne}, row.quiet, 0},
                          {op, {kOne, kSignaling}, row.signaling, kFlagInvalid},
                          {op, {kSignaling, kOne}, row.signaling, kFlagInvalid},
                          {op, {kQuiet, kQuiet}, kQuiet, 0},
                          {op, {kQuiet, kSignaling}, kQuiet, kFlagInvalid},
                          {op, {0, kMinusZero}, row.zeros, 0},
                          {op, {kMinusZero, 0}, row.zeros, 0}});
  }
  for (const Op op : {Op::kSelectMinimum, Op::kSelectMaximum}) {
    expect_examples(f32, {{op, {kOne, kQuiet}, kQuiet, kFlagInvalid},
                          {op, {kQuiet, kOne}, kOne, kFlagInvalid},
                          {op, {kSignaling, kOne}, kOne, kFlagInvalid},
                          {op, {0, kMinusZero}, kMinusZero, 0},
                          {op, {kMinusZero, 0}, 0, 0}});
  }
}

// Laws over all pairs of codes: a result is an operand or a NaN, minima are below and maxima above,
// and but for x86's they commute where no two NaNs meet; a comparison agrees with them.
TEST(Selection, LawsOverEveryPair) {
  const Arithmetic f = Arithmetic::ieee(formats::e5m2);
  const auto is_nan = [&](std::uint64_t code) {
    return decode(formats::e5m2, code).cls == ValueClass::kNan;
  };
  const auto ask = [&](Op op, std::uint64_t a, std::uint64_t b) {
    const std::uint64_t x[] = {a, b};
    return f(op, x).code;
  };
  for (std::uint64_t a = 0; a < 256; ++a) {
    for (std::uint64_t b = 0; b < 256; ++b) {
      for (const Token<Op>& op : tokens<Op>()) {
        if (kind_of(op.value) != OperationKind::kSelected) continue;
        const std::uint64_t got = ask(op.value, a, b);
        ASSERT_TRUE(got == a || got == b || is_nan(got)) << op.text;
        const bool is_x86 = op.value == Op::kSelectMinimum || op.value == Op::kSelectMaximum;
        ASSERT_TRUE(is_x86 || got == ask(op.value, b, a)) << op.text;
        if (is_nan(a) || is_nan(b)) continue;
        const bool is_minimum = op.text.find("min") != std::string_view::npos;
        for (const std::uint64_t operand : {a, b}) {
          ASSERT_EQ(
              ask(Op::kQuietLessEqual, is_minimum ? got : operand, is_minimum ? operand : got), 1U)
              << op.text;
        }
      }
      const std::uint64_t less = ask(Op::kQuietLess, a, b), equal = ask(Op::kQuietEqual, a, b);
      ASSERT_EQ(ask(Op::kQuietLessEqual, a, b), less + equal);
      ASSERT_EQ(less + equal + ask(Op::kQuietLess, b, a), is_nan(a) || is_nan(b) ? 0U : 1U);
      ASSERT_EQ(ask(Op::kSignalingEqual, a, b), equal);
      ASSERT_EQ(ask(Op::kSignalingLess, a, b), less);
      ASSERT_EQ(ask(Op::kSignalingLessEqual, a, b), less + equal);
    }
  }
}

TEST(Compare, InvalidForSignalingNanAndByTheOperation) {
  for (const Op quiet : {Op::kQuietEqual, Op::kQuietLess, Op::kQuietLessEqual}) {
    expect_examples(Arithmetic::ieee(formats::fp32),
                    {{quiet, {kOne, kQuiet}, 0, 0}, {quiet, {kSignaling, kOne}, 0, kFlagInvalid}});
  }
  for (const Op op : {Op::kSignalingEqual, Op::kSignalingLess, Op::kSignalingLessEqual}) {
    expect_examples(Arithmetic::ieee(formats::fp32),
                    {{op, {kOne, kQuiet}, 0, kFlagInvalid},
                     {op, {kSignaling, kOne}, 0, kFlagInvalid},
                     {op, {kInf, kInf}, op == Op::kSignalingLess ? 0U : 1U, 0}});
  }
}

// The codes that RISC-V (F, table of out-of-range results), x86 (integer indefinite) and ARM
// (FPToFixed) give for what an integer does not hold.
TEST(ToInteger, OutOfRangeAsMachinesHaveIt) {
  constexpr std::uint64_t kMinusTwo = 0xC0000000, kHuge = 0x7F000000, kMinusInf = 0xFF800000;
  const auto expect = [&](IntegerType type, OutOfRange rule,
                          const std::array<std::uint64_t, 3>& codes) {
    Arithmetic f32 = Arithmetic::ieee(formats::fp32);
    f32.integer = {type, rule};
    expect_examples(f32, {{Op::kToInteger, {kHuge}, codes[0], kFlagInvalid},
                          {Op::kToInteger, {kMinusInf}, codes[1], kFlagInvalid},
                          {Op::kToInteger, {kQuiet}, codes[2], kFlagInvalid},
                          {Op::kToInteger, {kSignaling}, codes[2], kFlagInvalid}});
    if (formats::integer(type).is_signed) return;
    expect_examples(f32, {{Op::kToInteger, {kMinusTwo}, codes[1], kFlagInvalid},
                          {Op::kToInteger, {0xBE800000}, 0, kFlagInexact}});  // -0.25
  };
  const std::uint64_t all = ~std::uint64_t{0};
  expect(IntegerType::kI32, OutOfRange::kSaturateNanMax, {0x7FFFFFFF, 0x80000000, 0x7FFFFFFF});
  expect(IntegerType::kU32, OutOfRange::kSaturateNanMax, {0xFFFFFFFF, 0, 0xFFFFFFFF});
  expect(IntegerType::kI64, OutOfRange::kSaturateNanMax, {all >> 1, all / 2 + 1, all >> 1});
  expect(IntegerType::kU64, OutOfRange::kSaturateNanMax, {all, 0, all});
  expect(IntegerType::kI32, OutOfRange::kSaturateNanZero, {0x7FFFFFFF, 0x80000000, 0});
  expect(IntegerType::kU64, OutOfRange::kSaturateNanZero, {all, 0, 0});
  expect(IntegerType::kI32, OutOfRange::kIndefinite, {0x80000000, 0x80000000, 0x80000000});
  expect(IntegerType::kU32, OutOfRange::kIndefinite, {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF});
  expect(IntegerType::kI64, OutOfRange::kIndefinite, {all / 2 + 1, all / 2 + 1, all / 2 + 1});
}

/// Doubles around a whole number: itself, its halves, and the next ones of each.
std::vector<double> near(double whole) {
  std::vector<double> list;
  for (const double x : {whole - 1, whole - 0.5, whole, whole + 0.5, whole + 1}) {
    for (const double y : {std::nextafter(x, -1e300), x, std::nextafter(x, 1e300)}) {
      list.push_back(y);
      list.push_back(-y);
    }
  }
  return list;
}

// Every boundary of every type, from fp64, under every rounding and rule.
TEST(ToInteger, BoundariesOfEveryType) {
  const ElementOracle<RationalField> judge(formats::fp64);
  Report report;
  for (const Token<IntegerType>& type : tokens<IntegerType>()) {
    const ElementFormat& format = formats::integer(type.value);
    for (const int bits : {0, 1, format.bits - 2, format.bits - 1, format.bits}) {
      for (const double x : near(std::ldexp(1.0, bits))) {
        for (std::uint64_t turn = 0; turn < 27; ++turn) {
          Arithmetic f = Arithmetic::ieee(formats::fp64, static_cast<Rounding>(turn % 9));
          f.integer = {type.value, static_cast<OutOfRange>(turn / 9)};
          const std::uint64_t code[] = {std::bit_cast<std::uint64_t>(x)};
          const Outcome want = operate(judge, Op::kToInteger, code, f.policy, f.integer);
          const Encoded got = f(Op::kToInteger, code);
          report.check(got.code == want.code && got.flags == want.flags, [&] {
            return std::string(type.text) + ' ' + hex(code[0]) + ": got " + hex(got.code) +
                   " flags " + hex(got.flags) + ", oracle " + hex(want.code) + " flags " +
                   hex(want.flags);
          });
        }
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.cases(), 30000U);
}

// Every 16-bit integer, and larger ones around powers of two, into every kind of format.
TEST(FromInteger, AsTheOracleHasIt) {
  Report report;
  for (const ElementFormat* format : {&formats::fp16, &formats::bf16, &formats::fp32,
                                      &formats::fp64, &formats::e4m3fn, &formats::e5m2}) {
    const ElementOracle<RationalField> judge(*format);
    const bool is_wide = format->bits > 16;
    for (const Token<IntegerType>& type : tokens<IntegerType>()) {
      const ElementFormat& whole = formats::integer(type.value);
      std::vector<std::uint64_t> codes;
      const std::uint64_t all = whole.bits <= 16 && !is_wide ? whole.code_mask() : 200;
      for (std::uint64_t code = 0; code <= all; code += whole.bits == 16 ? 7 : 1) {
        codes.push_back(code);
      }
      for (int bit = 0; bit < whole.bits; ++bit) {
        for (int low = 0; low < bit; ++low) {
          const std::uint64_t x = std::uint64_t{1} << bit | std::uint64_t{1} << low;
          for (const std::uint64_t code : {x - 1, x, x + 1, ~x, ~x + 1}) {
            codes.push_back(code & whole.code_mask());
          }
        }
      }
      std::uint64_t turn = 0;
      for (const std::uint64_t code : codes) {
        Arithmetic f = Arithmetic::ieee(*format, static_cast<Rounding>(turn++ % 9));
        f.integer.type = type.value;
        const std::uint64_t x[] = {code};
        const Outcome want = operate(judge, Op::kFromInteger, x, f.policy, f.integer);
        const Encoded got = f(Op::kFromInteger, x);
        report.check(got.code == want.code && got.flags == want.flags, [&] {
          return std::string(type.text) + ' ' + hex(code) + " to " + std::string(format->name) +
                 ": got " + hex(got.code) + " flags " + hex(got.flags) + ", oracle " +
                 hex(want.code) + " flags " + hex(want.flags);
        });
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.cases(), 100000U);
}

// The machine's own conversions, ties_to_even.
TEST(FromInteger, AsTheMachineHasIt) {
  Stream stream(906);
  Arithmetic to32 = Arithmetic::ieee(formats::fp32), to64 = Arithmetic::ieee(formats::fp64);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t code = stream.next64() >> stream.below(64);
    to32.integer.type = to64.integer.type = IntegerType::kI64;
    const auto whole = static_cast<std::int64_t>(code);
    ASSERT_EQ(to32.from_integer(code).code,
              std::bit_cast<std::uint32_t>(static_cast<float>(whole)));
    ASSERT_EQ(to64.from_integer(code).code,
              std::bit_cast<std::uint64_t>(static_cast<double>(whole)));
    to32.integer.type = to64.integer.type = IntegerType::kU64;
    ASSERT_EQ(to32.from_integer(code).code, std::bit_cast<std::uint32_t>(static_cast<float>(code)));
    ASSERT_EQ(to64.from_integer(code).code,
              std::bit_cast<std::uint64_t>(static_cast<double>(code)));
  }
}

}  // namespace
}  // namespace mx::oracle
