// Every policy field at random on top of each other: built-in and guest destinations, sources from
// binary64 down to codes of a few bits, code and flags compared with the oracle.
#include <gtest/gtest.h>

#include <iostream>

#include "reference/catalog/catalog.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/guest_formats.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle::policy_test {
namespace {

std::vector<std::uint64_t> directed_inputs(const ElementFormat& source,
                                           const ElementFormat& destination, Stream& stream) {
  std::vector<std::uint64_t> inputs = special_patterns(source);
  if (destination.bits <= 10) {
    for (const std::uint64_t c : threshold_patterns(source, destination, 1, 1)) inputs.push_back(c);
  }
  for (const std::uint64_t c : random_patterns(source, destination, 2000, stream)) {
    inputs.push_back(c);
  }
  return inputs;
}

class PolicyFields : public ::testing::TestWithParam<ElementFormat> {};
class PolicyStaging : public ::testing::TestWithParam<ElementFormat> {};

TEST_P(PolicyFields, AnyCombinationOnFp32) {
  const ElementFormat& destination = GetParam();
  Stream stream(100);
  const ElementOracle<WideTickField> judge(destination);
  Report report;
  for (const std::uint64_t input : directed_inputs(formats::fp32, destination, stream)) {
    for (int i = 0; i < 12; ++i) {
      ConversionConfig conversion{formats::fp32, destination,
                                  random_policy(pick<Rounding>(stream), stream)};
      if (undefined(destination, conversion.policy)) continue;
      const std::uint32_t r = stream.next() >> (32 - conversion.policy.random_bits);
      const Outcome want = judge.encode(
          source_value(formats::fp32, destination, conversion.policy, input), conversion.policy, r);
      const Encoded got = made(conversion)(input, r);
      report.check(got.code == want.code && got.flags == want.flags,
                   [&] { return describe_mismatch(conversion, input, r, got, want); });
      const Encoded array = array_implementation()(conversion)(input, r);
      report.check(array == got, [&] {
        return "array path: " + describe_mismatch(conversion, input, r, array, want);
      });
      if ((want.flags & kFlagUnderflow) != 0) report.classify("underflow");
      if ((want.flags & kFlagOverflow) != 0) report.classify("overflow");
      if ((want.flags & kFlagInvalid) != 0) report.classify("invalid");
      if (want.flags == 0) report.classify("exact");
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  // fp32 and fp64 have room for every fp32 value; elsewhere each class must have occurred.
  if (destination.bits <= 16) {
    EXPECT_GT(report.count("overflow"), 20U);
  }
  if (destination.bits <= 16 && destination.kind == FormatKind::kFloat) {
    EXPECT_GT(report.count("underflow"), 20U);
  }
  EXPECT_GT(report.count("invalid"), 20U);
  EXPECT_GT(report.count("exact"), 100U);
}

// Staging rounds twice, which is visible: spec F9.5. Sources wide enough that the stage bites.
TEST_P(PolicyStaging, StagedConversions) {
  const ElementFormat& destination = GetParam();
  Stream stream(101);
  const ElementOracle<WideTickField> judge(destination);
  Report report;
  for (const ElementFormat& source : {formats::fp32, formats::fp64}) {
    std::vector<std::uint64_t> inputs = special_patterns(source);
    for (const std::uint64_t c : threshold_patterns(source, destination, 1, 1)) {
      inputs.push_back(c);
      // Half an ulp of each stage away: where double rounding goes wrong.
      for (const int bits : {7, 10, 23}) {
        const int low = source.man_bits - bits - 1;
        if (low >= 0) inputs.push_back(c ^ (std::uint64_t{1} << low));
      }
    }
    for (const std::uint64_t input :
         test::one_in(4, inputs, static_cast<std::uint64_t>(source.bits))) {
      for (const Staging staging : {Staging::kViaFp16, Staging::kViaBf16, Staging::kViaFp32,
                                    Staging::kViaUnbounded, Staging::kNone}) {
        ConversionConfig conversion{source, destination, {}};
        conversion.policy.staging = staging;
        conversion.policy.rounding = pick<Rounding>(stream);
        conversion.policy.overflow = pick<Overflow>(stream);
        conversion.policy.src_ftz = pick<SourceSubnormals>(stream);
        const std::uint32_t r = stream.next() >> 16;
        const Real staged = source_value(source, destination, conversion.policy, input);
        const Outcome want = judge.encode(staged, conversion.policy, r);
        const Encoded got = made(conversion)(input, r);
        report.check(got.code == want.code && got.flags == want.flags,
                     [&] { return describe_mismatch(conversion, input, r, got, want); });
        if (staging == Staging::kNone || !staged.finite()) continue;
        const Real once = value_of(source, input);
        if (once.finite() && judge.encode(once, conversion.policy, r).code != want.code) {
          report.classify("double rounding shows");
        }
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  if (destination.man_bits > 0) {
    EXPECT_GT(report.count("double rounding shows"), 10U);
  }
}

std::string format_name(const ::testing::TestParamInfo<ElementFormat>& info) {
  return std::string(info.param.name);
}

std::vector<ElementFormat> narrow_formats() {
  std::vector<ElementFormat> all = every_format();
  std::erase_if(all, [](const ElementFormat& format) { return format.bits > 10; });
  return all;
}

// The smallest normal binary16 number is 2^-14; below it numbers of unbounded exponent lie 2^-25
// apart, subnormal ones 2^-24.
TEST(PolicyLimits, ThreeFlushesAroundTheSmallestNormalNumber) {
  using Ftz = ResultSubnormals;
  struct Row {
    std::uint32_t source;
    Rounding rounding;
    std::uint64_t pre, post, unbounded;
  };
  constexpr Rounding kEven = Rounding::kTiesToEven, kUp = Rounding::kTowardPositive;
  const Row rows[] = {
      {0x38800000, kEven, 0x0400, 0x0400, 0x0400},  // 2^-14
      {0x387FFFFF, kEven, 0, 0x0400, 0x0400},
      {0x387FF001, kEven, 0, 0x0400, 0x0400},
      {0x387FF000, kEven, 0, 0x0400, 0x0400},  // a tie of the finer steps, to even
      {0x387FEFFF, kEven, 0, 0x0400, 0},
      {0x387FE000, kEven, 0, 0x0400, 0},  // a tie of the wider ones
      {0x387FDFFF, kEven, 0, 0, 0},
      {0x387FE001, kUp, 0, 0x0400, 0x0400},
      {0x387FE000, kUp, 0, 0x0400, 0},
      {0x387FFFFF, Rounding::kTowardZero, 0, 0, 0},
      {0x387FC000, kEven, 0, 0, 0},  // the largest subnormal number
      {0x33800000, kEven, 0, 0, 0},
  };
  for (const Row& row : rows) {
    const auto code = [&](Ftz ftz, std::uint32_t source, Rounding rounding) {
      ConversionConfig c{formats::fp32, formats::fp16, {.rounding = rounding, .dst_ftz = ftz}};
      return made(c)(source, 0).code;
    };
    const auto check = [&](std::uint32_t sign, Rounding rounding) {
      const std::uint64_t minus = std::uint64_t{sign} << 15;
      const std::uint32_t source = row.source | sign << 31;
      EXPECT_EQ(code(Ftz::kFlushBeforeRounding, source, rounding), row.pre | minus) << hex(source);
      EXPECT_EQ(code(Ftz::kFlushAfterRounding, source, rounding), row.post | minus) << hex(source);
      EXPECT_EQ(code(Ftz::kFlushAfterUnboundedRounding, source, rounding), row.unbounded | minus)
          << hex(source);
    };
    check(0, row.rounding);
    check(1, row.rounding == kUp ? Rounding::kTowardNegative : row.rounding);
  }
}

// The largest finite number, its neighbours, a tie and what lies beyond: under always_inf_or_nan
// whatever is beyond after rounding is infinite.
TEST(PolicyLimits, OverflowToInfinityWhateverTheRounding) {
  constexpr std::uint32_t kLargest = 0x477FE000, kTie = 0x477FF000, kBeyond = 0x47800000;
  for (const std::uint32_t sign : {0U, 1U}) {
    const auto code = [&](std::uint32_t source, Rounding rounding, Overflow overflow) {
      ConversionConfig c{
          formats::fp32, formats::fp16, {.rounding = rounding, .overflow = overflow}};
      return made(c)(source | sign << 31, 0).code & 0x7FFF;
    };
    constexpr Overflow kAlways = Overflow::kAlwaysInfOrNan;
    for (std::size_t i = 0; i < 9; ++i) {
      const auto rounding = static_cast<Rounding>(i);
      EXPECT_EQ(code(kLargest, rounding, kAlways), 0x7BFFU) << token_of(rounding);
      EXPECT_EQ(code(kLargest - 1, rounding, kAlways),
                code(kLargest - 1, rounding, Overflow::kNoneInfOrNan));
      EXPECT_EQ(code(kBeyond, rounding, kAlways), 0x7C00U) << token_of(rounding);
      EXPECT_EQ(code(0x7F800000, rounding, kAlways), 0x7C00U) << token_of(rounding);
    }
    EXPECT_EQ(code(kTie - 1, Rounding::kTiesToEven, kAlways), 0x7BFFU);
    EXPECT_EQ(code(kTie, Rounding::kTiesToEven, kAlways), 0x7C00U);
    EXPECT_EQ(code(kTie, Rounding::kTowardZero, kAlways), 0x7BFFU) << "not beyond once it is cut";
    EXPECT_EQ(code(kBeyond, Rounding::kTowardZero, Overflow::kNoneInfOrNan), 0x7BFFU);
  }
  ConversionConfig c{formats::fp32,
                     *make_format("e4m3fn"),
                     {.rounding = Rounding::kTowardZero, .overflow = Overflow::kAlwaysInfOrNan}};
  EXPECT_EQ(made(c)(0x44000000, 0).code, 0x7FU) << "NaN where there is no infinity";
}

INSTANTIATE_TEST_SUITE_P(All, PolicyStaging, ::testing::ValuesIn(narrow_formats()), format_name);
INSTANTIATE_TEST_SUITE_P(All, PolicyFields, ::testing::ValuesIn(every_format()), format_name);

}  // namespace
}  // namespace mx::oracle::policy_test
