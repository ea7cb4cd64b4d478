// Soft-float arithmetic against exact rationals, and against the machine's own binary32 and
// binary64.
#include "reference/arithmetic/arithmetic.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "oracle/element/arithmetic.hpp"
#include "reference/format/table.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/guest_formats.hpp"
#include "tests/support/print.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle {
namespace {

/// Those whose operands are codes of the format.
std::vector<ArithmeticOperation> operations() {
  std::vector<ArithmeticOperation> list;
  for (const Token<ArithmeticOperation>& each : tokens<ArithmeticOperation>()) {
    if (each.value != ArithmeticOperation::kFromInteger) list.push_back(each.value);
  }
  return list;
}

std::string describe_operation(const Arithmetic& arithmetic, ArithmeticOperation operation,
                               std::span<const std::uint64_t> x, const Encoded& got,
                               const Outcome& want) {
  std::string text = std::string(arithmetic.format.name) + ' ' + std::string(token_of(operation)) +
                     ' ' + std::string(token_of(arithmetic.policy.rounding)) + ' ' +
                     std::string(token_of(arithmetic.policy.overflow)) + ' ' +
                     std::string(token_of(arithmetic.integer.type)) + ' ' +
                     std::string(token_of(arithmetic.integer.out_of_range));
  for (const std::uint64_t code : x) text += ' ' + hex(code);
  return text + ": got " + hex(got.code) + " flags " + hex(got.flags) + ", oracle " +
         hex(want.code) + " flags " + hex(want.flags);
}

void check(const ElementOracle<RationalField>& judge, const Arithmetic& arithmetic,
           ArithmeticOperation operation, std::span<const std::uint64_t> x, Report& report) {
  const Outcome want = operate(judge, operation, x, arithmetic.policy, arithmetic.integer);
  const Encoded got = arithmetic(operation, x);
  report.check(got.code == want.code && got.flags == want.flags,
               [&] { return describe_operation(arithmetic, operation, x, got, want); });
}

Arithmetic configured(const ElementFormat& format, std::uint64_t turn) {
  const std::vector<Overflow> overflows = all_overflows();
  Arithmetic arithmetic = Arithmetic::ieee(format, static_cast<Rounding>(turn % 9));
  arithmetic.policy.overflow = overflows[turn / 9 % overflows.size()];
  arithmetic.integer = {static_cast<IntegerType>(turn / 9 % 8),
                        static_cast<OutOfRange>(turn / 72 % 3)};
  return arithmetic;
}

class ArithmeticOn : public ::testing::TestWithParam<ElementFormat> {};

// Every pair of codes, fma with a third code that turns; rounding and overflow policy turn too.
TEST_P(ArithmeticOn, EveryPairOfCodes) {
  const ElementFormat& format = GetParam();
  const ElementOracle<RationalField> judge(format);
  const std::uint64_t count = std::uint64_t{1} << format.bits;
  Report report;
  std::uint64_t turn = 0;
  for (const ArithmeticOperation operation : operations()) {
    for (std::uint64_t a = 0; a < count; ++a) {
      const std::uint64_t last = operands_of(operation) == 1 ? 216 : count;
      for (std::uint64_t b = 0; b < last; ++b, ++turn) {
        if (!test::runs_whole() && test::random_number(turn) % 4 != 0) continue;
        const std::uint64_t third = (a * 7 + b * 13 + turn) % count;
        const std::uint64_t x[] = {a, b, third};
        check(judge, configured(format, turn), operation,
              std::span(x).first(operands_of(operation)), report);
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.cases(), test::part(count * count * 4, 5));
}

std::vector<ElementFormat> small_arithmetic_formats() {
  std::vector<ElementFormat> all;
  for (const ElementFormat& format : every_format()) {
    for (const char* name :
         {"e4m3fn", "e5m2", "e3m2fn", "e2m1fn", "int8", "e4m3fnuz", "binary8p4se", "e3m0"}) {
      if (format.name == name) all.push_back(format);
    }
  }
  return all;
}

std::string format_name(const ::testing::TestParamInfo<ElementFormat>& info) {
  return std::string(info.param.name);
}

INSTANTIATE_TEST_SUITE_P(All, ArithmeticOn, ::testing::ValuesIn(small_arithmetic_formats()),
                         format_name);

/// Operands that meet: random bits, equal exponents, one ulp apart, far apart, specials.
std::uint64_t operand(const ElementFormat& format, std::uint64_t near, Stream& stream) {
  const std::uint64_t all = format.code_mask();
  switch (stream.below(6)) {
    case 0: {
      const std::vector<std::uint64_t> specials = special_patterns(format);
      return specials[stream.below(specials.size())];
    }
    case 1:
      return (near + stream.below(5) - 2) & all;
    case 2:
      return near ^ format.sign_bit();
    case 3:
      return (near ^ (stream.next64() & format.man_mask())) & all;
    case 4: {
      const std::uint64_t apart = stream.below(static_cast<unsigned>(format.man_bits) + 4);
      return (near + (apart << format.man_bits)) & all;
    }
    default:
      return stream.next64() & all;
  }
}

class WideArithmetic : public ::testing::TestWithParam<ElementFormat> {};

TEST_P(WideArithmetic, DirectedAndRandomOperands) {
  const ElementFormat& format = GetParam();
  const ElementOracle<RationalField> judge(format);
  Stream stream(900);
  Report report;
  const int cases = format.bits <= 16 ? 12000 : format.bits == 32 ? 4000 : 800;
  for (const ArithmeticOperation operation : operations()) {
    for (int i = 0; i < cases; ++i) {
      std::uint64_t x[3];
      x[0] = operand(format, stream.next64() & format.code_mask(), stream);
      x[1] = operand(format, x[0], stream);
      x[2] = operand(format,
                     operation == ArithmeticOperation::kFma && i % 2 == 0
                         ? Arithmetic::ieee(format).multiply(x[0], x[1]).code
                         : x[1],
                     stream);
      check(judge, configured(format, static_cast<std::uint64_t>(i)), operation,
            std::span(x).first(operands_of(operation)), report);
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

INSTANTIATE_TEST_SUITE_P(All, WideArithmetic,
                         ::testing::Values(formats::fp16, formats::bf16, formats::tf32,
                                           formats::fp32, formats::fp64),
                         format_name);

// The machine's own arithmetic as one more opinion, ties_to_even.
TEST(HostArithmetic, Binary32AndBinary64) {
  Stream stream(901);
  std::uint64_t compared = 0;
  const Arithmetic f32 = Arithmetic::ieee(formats::fp32);
  const Arithmetic f64 = Arithmetic::ieee(formats::fp64);
  for (int i = 0; i < 40000; ++i) {
    const std::uint64_t a = operand(formats::fp32, stream.next(), stream);
    const std::uint64_t b = operand(formats::fp32, a, stream);
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
    const auto y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
    if (std::isnan(x) || std::isnan(y)) continue;
    const auto same = [&](const Encoded& got, float host) {
      ++compared;
      return std::isnan(host) ? got.code == 0x7FC00000
                              : got.code == std::bit_cast<std::uint32_t>(host);
    };
    ASSERT_TRUE(same(f32.add(a, b), x + y)) << hex(a) << ' ' << hex(b);
    ASSERT_TRUE(same(f32.subtract(a, b), x - y)) << hex(a) << ' ' << hex(b);
    ASSERT_TRUE(same(f32.multiply(a, b), x * y)) << hex(a) << ' ' << hex(b);
    ASSERT_TRUE(same(f32.divide(a, b), x / y)) << hex(a) << ' ' << hex(b);
    ASSERT_TRUE(same(f32.sqrt(a), std::sqrt(x))) << hex(a);
  }
  for (int i = 0; i < 40000; ++i) {
    const std::uint64_t a = operand(formats::fp64, stream.next64(), stream);
    const std::uint64_t b = operand(formats::fp64, a, stream);
    const auto x = std::bit_cast<double>(a);
    const auto y = std::bit_cast<double>(b);
    if (std::isnan(x) || std::isnan(y)) continue;
    const auto same = [&](const Encoded& got, double host) {
      ++compared;
      return std::isnan(host) ? got.code == 0x7FF8000000000000
                              : got.code == std::bit_cast<std::uint64_t>(host);
    };
    ASSERT_TRUE(same(f64.add(a, b), x + y)) << hex(a) << ' ' << hex(b);
    ASSERT_TRUE(same(f64.multiply(a, b), x * y)) << hex(a) << ' ' << hex(b);
    ASSERT_TRUE(same(f64.divide(a, b), x / y)) << hex(a) << ' ' << hex(b);
    ASSERT_TRUE(same(f64.sqrt(a), std::sqrt(x))) << hex(a);
    ASSERT_TRUE(same(f64.fma(a, b, a), std::fma(x, y, x))) << hex(a) << ' ' << hex(b);
  }
  EXPECT_GT(compared, 200'000U);
}

}  // namespace
}  // namespace mx::oracle
