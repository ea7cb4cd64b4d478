// SPDX-License-Identifier: Apache-2.0
// Operations between formats, against exact rationals, and values that are no codes.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <vector>

#include "oracle/element/arithmetic.hpp"
#include "reference/arithmetic/arithmetic.hpp"
#include "reference/arithmetic/format_of.hpp"
#include "reference/format/table.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"
#include "tests/support/report.hpp"
#include "tests/support/stream.hpp"

namespace mx::oracle {
namespace {

using Op = ArithmeticOperation;

constexpr std::array kFormats = {formats::e4m3fn, formats::e5m2,    formats::e2m1fn,
                                 formats::fp16,   formats::bf16,    formats::fp32,
                                 formats::fp64,   formats::e4m3fnuz};

ElementPolicy ieee(Rounding rounding) { return Arithmetic::ieee(formats::fp32, rounding).policy; }

Operation made_operation(const OperationConfig& config) { return Operation::make(config).value(); }

/// A code of any kind: often small, large or special.
std::uint64_t draw(const ElementFormat& format, Stream& stream) {
  const std::uint64_t code = stream.next64() & format.code_mask();
  const std::uint64_t sign = stream.next() & 1 ? format.sign_bit() : 0;
  switch (stream.below(8)) {
    case 0:
      return sign | (code & format.magnitude_mask()) >>
                        stream.below(static_cast<std::uint32_t>(format.bits));
    case 1:
      return sign | (format.magnitude_mask() - stream.below(3));
    case 2:
      return sign | (format.max_code - stream.below(3));
    case 3:
      return sign | (static_cast<std::uint64_t>(format.bias) << format.man_bits);
    default:
      return code;
  }
}

// Every operation between formats that differ is the exact result, rounded once.
TEST(FormatOf, IsTheExactResultRoundedOnce) {
  Stream stream(48);
  std::uint64_t compared = 0;
  std::uint64_t wrong_by_way_of_the_widest = 0;
  for (const ElementFormat& result : kFormats) {
    const ElementOracle<RationalField> judge(result);
    for (const Token<Op>& operation : tokens<Op>()) {
      for (const Rounding rounding :
           {Rounding::kTiesToEven, Rounding::kTowardNegative, Rounding::kToOdd}) {
        OperationConfig config{.operation = operation.value, .result = result};
        config.policy = ieee(rounding);
        config.integer = {static_cast<IntegerType>(stream.below(8)),
                          static_cast<OutOfRange>(stream.below(3))};
        for (ElementFormat& each : config.operands) each = kFormats[stream.below(kFormats.size())];
        const Operation op = made_operation(config);
        for (int i = 0; i < 60; ++i) {
          std::vector<std::uint64_t> codes;
          for (std::size_t k = 0; k < op.operands(); ++k) {
            codes.push_back(draw(op.config().operand_format(k), stream));
          }
          const Encoded got = op(codes);
          const Outcome want = operate(judge, operation.value, config.operands, codes,
                                       config.policy, config.integer);
          ASSERT_EQ(hex(got.code), hex(want.code))
              << operation.text << " to " << result.name << ' ' << hex(codes[0]);
          ASSERT_EQ(got.flags, want.flags) << operation.text << " to " << result.name;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 30000U);
  // The control: a result that is rounded to binary32 on the way differs, so the judge would see
  // it.
  OperationConfig straight{.operation = Op::kMultiply, .result = formats::e4m3fn};
  straight.operands = {formats::fp32, formats::fp32, {}};
  straight.policy = ieee(Rounding::kTiesToEven);
  const Operation once = made_operation(straight);
  const Arithmetic wide = Arithmetic::ieee(formats::fp32);
  const Conversion narrow = made({formats::fp32, formats::e4m3fn, straight.policy});
  for (std::uint64_t a = 0x3F880000; a < 0x3F880100; ++a) {
    for (std::uint64_t b = 0x3F7FFF80; b < 0x3F800080; ++b) {
      const std::array<std::uint64_t, 2> codes = {a, b};
      wrong_by_way_of_the_widest += once(codes).code != narrow(wide.multiply(a, b).code).code;
    }
  }
  EXPECT_GT(wrong_by_way_of_the_widest, 0U);
}

// Where all formats are one, it is the arithmetic of that format.
TEST(FormatOf, IsTheArithmeticOfOneFormat) {
  for (const ElementFormat& format : {formats::e2m1fn, formats::e4m3fn, formats::e5m2}) {
    const Arithmetic one = Arithmetic::ieee(format, Rounding::kTowardZero);
    for (const Token<Op>& operation : tokens<Op>()) {
      OperationConfig config{.operation = operation.value, .result = format};
      config.operands = {format, format, format};
      config.policy = one.policy;
      const Operation op = made_operation(config);
      for (std::uint64_t a = 0; a <= format.code_mask(); ++a) {
        for (std::uint64_t b = 0; b <= format.code_mask(); b += op.operands() == 1 ? 256U : 3U) {
          const std::array<std::uint64_t, 3> codes = {a, b, (7 * a + b) & format.code_mask()};
          const std::span<const std::uint64_t> given(codes.data(), op.operands());
          ASSERT_EQ(op(given), one(operation.value, given)) << operation.text << ' ' << hex(a);
        }
      }
    }
  }
}

std::string problem_of(OperationConfig config) {
  return std::string(Operation::make(config).problem());
}

TEST(FormatOf, RefusesWhatItCannotCompute) {
  OperationConfig config{.operation = Op::kAdd, .result = formats::fp32};
  config.operands = {formats::fp32, formats::int8, {}};
  EXPECT_EQ(problem_of(config), "arithmetic takes floats");
  config.operands[1] = formats::fp16;
  EXPECT_TRUE(Operation::make(config));  // the third operand is not read
  config.result = formats::int8;
  EXPECT_EQ(problem_of(config), "arithmetic takes floats");
  config.operation = Op::kQuietLess;
  EXPECT_TRUE(Operation::make(config));  // and a comparison's result is not, either
  config.operation = Op::kAdd;
  config.result = formats::fp32;
  config.policy.rounding = Rounding::kStochasticB;
  EXPECT_EQ(problem_of(config), "arithmetic takes no stochastic rounding");
  config.policy = {};
  config.policy.src_ftz = SourceSubnormals::kFlush;
  EXPECT_EQ(problem_of(config), "arithmetic takes src_ftz = keep");
  config.policy = {};
  config.policy.staging = Staging::kViaFp16;
  EXPECT_EQ(problem_of(config), "arithmetic rounds once: staging must be none");
}

// A value is rounded as a code of that value is.
TEST(ConversionOfValues, IsThatOfACodeOfTheValue) {
  Stream stream(49);
  for (const ElementFormat& to : kFormats) {
    for (const Rounding rounding : {Rounding::kTiesToAway, Rounding::kStochasticB}) {
      ElementPolicy policy = ieee(rounding);
      policy.staging = stream.below(2) == 0 ? Staging::kNone : Staging::kViaFp16;
      const Conversion convert = made({formats::fp64, to, policy});
      for (int i = 0; i < 2000; ++i) {
        const std::uint64_t code = draw(formats::fp64, stream);
        const auto random = static_cast<std::uint32_t>(stream.below(1U << 16));
        ASSERT_EQ(convert.of(decode(formats::fp64, code), random), convert(code, random))
            << hex(code);
      }
    }
  }
}

// A sticky value lies between two: it is no tie, and rounds up where the direction says so.
TEST(ConversionOfValues, ACutValueLiesBetweenTwo) {
  const auto code_of = [](std::uint64_t significand, bool is_cut, Rounding rounding) {
    Unpacked x = unpack_integer(false, significand, -63);
    x.sticky = is_cut;
    return made({formats::fp64, formats::e4m3fn, ieee(rounding)}).of(x);
  };
  const std::uint64_t one = std::uint64_t{1} << 63, tie = one + (one >> 4);
  EXPECT_EQ(code_of(tie, false, Rounding::kTiesToEven), (Encoded{0x38, kFlagInexact}));
  EXPECT_EQ(code_of(tie, true, Rounding::kTiesToEven), (Encoded{0x39, kFlagInexact}));
  EXPECT_EQ(code_of(tie - 1, true, Rounding::kTiesToEven), (Encoded{0x38, kFlagInexact}));
  EXPECT_EQ(code_of(one, false, Rounding::kTowardPositive), (Encoded{0x38, 0}));
  EXPECT_EQ(code_of(one, true, Rounding::kTowardPositive), (Encoded{0x39, kFlagInexact}));
}

}  // namespace
}  // namespace mx::oracle
