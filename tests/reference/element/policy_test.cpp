// Every policy field at random on top of each other: built-in and guest destinations, sources from
// binary64 down to codes of a few bits, code and flags compared with the oracle.
#include <gtest/gtest.h>

#include <iostream>

#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/guest_formats.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle {
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
      const Outcome want =
          judge.encode(source_value(formats::fp32, conversion.policy, input), conversion.policy, r);
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
    for (const std::uint64_t input : inputs) {
      for (const Staging staging :
           {Staging::kViaFp16, Staging::kViaBf16, Staging::kViaFp32, Staging::kNone}) {
        ConversionConfig conversion{source, destination, {}};
        conversion.policy.staging = staging;
        conversion.policy.rounding = pick<Rounding>(stream);
        conversion.policy.overflow = pick<Overflow>(stream);
        conversion.policy.src_ftz = pick<SourceSubnormals>(stream);
        const std::uint32_t r = stream.next() >> 16;
        const Real staged = source_value(source, conversion.policy, input);
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

INSTANTIATE_TEST_SUITE_P(All, PolicyStaging, ::testing::ValuesIn(narrow_formats()), format_name);
INSTANTIATE_TEST_SUITE_P(All, PolicyFields, ::testing::ValuesIn(every_format()), format_name);

}  // namespace
}  // namespace mx::oracle
