// Long arrays: convert() chooses its tables by their length. Every narrow destination, sources of
// every width that the tables take, policies with every field at random; compared with conversions
// one by one and, for a part of them, with the oracle.
#include <gtest/gtest.h>

#include <functional>

#include "reference/bulk/bulk.hpp"
#include "reference/catalog/catalog.hpp"
#include "tests/reference/judgement/element_sweep.hpp"
#include "tests/support/guest_formats.hpp"
#include "tests/support/made.hpp"
#include "tests/support/print.hpp"
#include "tests/support/random_policy.hpp"
#include "tests/support/sample.hpp"
#include "tests/support/stimuli.hpp"

namespace mx::oracle::array_test {
namespace {

using ConvertArray = std::function<std::uint8_t(
    const ConversionConfig&, std::span<const std::uint64_t>, std::span<const std::uint32_t>,
    std::span<std::uint64_t>, std::span<std::uint8_t>)>;

ConvertArray reference_array() {
  return [](const ConversionConfig& c, auto source, auto random, auto codes, auto flags) {
    return mx::bulk::convert(made(c), source, random, codes, flags);
  };
}

std::vector<std::uint64_t> inputs_for(const ElementFormat& source, const ElementFormat& destination,
                                      Stream& stream) {
  std::vector<std::uint64_t> inputs = special_patterns(source);
  for (const std::uint64_t c : exponent_patterns(source)) {
    if (stream.below(4) == 0) inputs.push_back(c);
  }
  for (const std::uint64_t c : threshold_patterns(source, destination, 2, 1)) inputs.push_back(c);
  for (const std::uint64_t c : random_patterns(source, destination, 2500, stream)) {
    inputs.push_back(c);
  }
  return inputs;
}

/// One array, with and without flags.
void compare(const ConversionConfig& conversion, std::span<const std::uint64_t> inputs,
             const ElementOracle<WideTickField>& judge, const ConvertArray& implementation,
             Stream& stream, Report& report) {
  std::vector<std::uint32_t> random(inputs.size());
  for (std::uint32_t& word : random) {
    word = stream.next() >> (32 - conversion.policy.random_bits);
  }
  std::vector<std::uint64_t> codes(inputs.size()), bare(inputs.size());
  std::vector<std::uint8_t> flags(inputs.size());
  const std::uint8_t all = implementation(conversion, inputs, random, codes, flags);
  const std::uint8_t bare_all = implementation(conversion, inputs, random, bare, {});
  std::uint8_t expected_all = 0;
  const Conversion one_by_one = made(conversion);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Encoded got{codes[i], flags[i]};
    Encoded want = one_by_one(inputs[i], random[i]);
    if (i % 16 == 0) {
      const Real x =
          source_value(conversion.source, conversion.destination, conversion.policy, inputs[i]);
      const Outcome outcome = judge.encode(x, conversion.policy, random[i]);
      want = {outcome.code, outcome.flags};
      report.classify("judged by the oracle");
    }
    expected_all |= want.flags;
    report.check(got == want && bare[i] == want.code, [&] {
      return describe_mismatch(conversion, inputs[i], random[i], got, {want.code, want.flags});
    });
  }
  report.check(all == expected_all && bare_all == expected_all,
               [&] { return describe(conversion) + ": the OR of the flags"; });
}

std::vector<ElementFormat> narrow_formats() {
  std::vector<ElementFormat> all = every_format();
  static FormatCatalog catalog;
  for (const char* name : {"int8", "uint8", "uint3", "fixed8.-64", "fixed8.64", "ufixed1.0", "sm2",
                           "sm8", "exp2", "exp8nan", "e2m5fin", "e7m0", "e6m1fnuz", "e5m2b40",
                           "e5m2b-20", "ue1m7fin", "binary3p1ue", "binary8p8ue", "binary7p2uf"}) {
    if (const ElementFormat* format = catalog.find(name)) all.push_back(*format);
  }
  std::erase_if(all, [](const ElementFormat& format) { return format.bits > 8; });
  return all;
}

class LongArrays : public ::testing::TestWithParam<ElementFormat> {};

TEST_P(LongArrays, EveryPolicy) {
  const ElementFormat& destination = GetParam();
  const ElementOracle<WideTickField> judge(destination);
  Stream stream(740);
  Report report;
  for (const ElementFormat& source :
       {formats::fp32, formats::bf16, formats::fp16, formats::tf32, *make_format("e6m16")}) {
    const std::vector<std::uint64_t> inputs = test::one_in(
        3, inputs_for(source, destination, stream), static_cast<std::uint64_t>(source.bits));
    ASSERT_GE(inputs.size(), test::part(2500, 3));
    for (const Rounding rounding : all_roundings()) {
      ConversionConfig conversion{source, destination, {}};
      conversion.policy.rounding = rounding;
      compare(conversion, inputs, judge, reference_array(), stream, report);
      do {
        conversion.policy = random_policy(rounding, stream);
      } while (undefined(destination, conversion.policy));
      compare(conversion, inputs, judge, reference_array(), stream, report);
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
  EXPECT_GT(report.count("judged by the oracle"), test::part(10'000, 4));
}

std::string format_name(const ::testing::TestParamInfo<ElementFormat>& info) {
  std::string name(info.param.name);
  for (char& c : name) {
    if (c == '.' || c == '-') c = '_';
  }
  return name + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(All, LongArrays, ::testing::ValuesIn(narrow_formats()), format_name);

// All bf16 and fp16 inputs in one array each.
TEST(LongArraysWhole, EverySixteenBitInput) {
  std::vector<std::uint64_t> inputs(65536);
  for (std::uint64_t i = 0; i < inputs.size(); ++i) inputs[i] = i;
  Report report;
  std::vector<std::uint64_t> codes(inputs.size());
  std::vector<std::uint8_t> flags(inputs.size());
  for (const ElementFormat& destination : narrow_formats()) {
    for (const ElementFormat& source : {formats::bf16, formats::fp16}) {
      for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kTowardNegative}) {
        ConversionConfig conversion{source, destination, {}};
        conversion.policy.rounding = rounding;
        const Conversion one_by_one = made(conversion);
        mx::bulk::convert(one_by_one, inputs, {}, codes, flags);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          const Encoded want = one_by_one(inputs[i]);
          report.check(codes[i] == want.code && flags[i] == want.flags, [&] {
            return describe_mismatch(conversion, inputs[i], 0, {codes[i], flags[i]},
                                     {want.code, want.flags});
          });
        }
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

// Conversion::each, which writes goldens, is the conversion of one code after the other: every
// destination, policies with every field at random, staging and quirk too.
TEST(ConversionOfEach, IsThatOfOne) {
  Stream stream(742);
  Report report;
  for (const ElementFormat& destination : every_format()) {
    for (const ElementFormat& source :
         {formats::fp32, formats::bf16, formats::e5m2, formats::int8}) {
      const std::vector<std::uint64_t> inputs = random_patterns(source, destination, 150, stream);
      for (const Rounding rounding : all_roundings()) {
        ConversionConfig config{source, destination, random_policy(rounding, stream)};
        if (undefined(destination, config.policy)) config.policy = {};
        config.policy.staging = pick<Staging>(stream);
        config.policy.e8m0_quirk = pick<E8m0Quirk>(stream);
        const Conversion conversion = made(config);
        std::vector<std::uint64_t> random(inputs.size());
        for (std::uint64_t& word : random) {
          word = stream.next() >> (32 - config.policy.random_bits);
        }
        std::vector<std::uint64_t> codes(inputs.size()), flags(inputs.size());
        for (const bool is_drawn : {true, false}) {
          if (!is_drawn) random.clear();
          conversion.each(inputs, random, codes, flags);
          for (std::size_t i = 0; i < inputs.size(); ++i) {
            const auto word = is_drawn ? static_cast<std::uint32_t>(random[i]) : 0U;
            const Encoded want = conversion(inputs[i], word);
            report.check(codes[i] == want.code && flags[i] == want.flags, [&] {
              return describe_mismatch(config, inputs[i], word,
                                       {codes[i], static_cast<std::uint8_t>(flags[i])},
                                       {want.code, want.flags});
            });
          }
        }
      }
    }
  }
  EXPECT_EQ(report.exit_code(), 0) << report.text();
}

// Arrays that are wrong in one way are seen.
TEST(LongArraysControl, WrongArraysAreCaught) {
  const ElementFormat destination = *make_format("ue5m3");
  const ElementOracle<WideTickField> judge(destination);
  using Damage = std::function<void(ElementPolicy&)>;
  const std::vector<Damage> damages = {
      [](ElementPolicy& p) { p.rounding = Rounding::kTiesToAway; },
      [](ElementPolicy& p) { p.overflow = Overflow::kNoneInfOrNan; },
      [](ElementPolicy& p) { p.tininess = Tininess::kBeforeRounding; },
      [](ElementPolicy& p) { p.unsigned_negative = UnsignedNegative::kMagnitude; },
      [](ElementPolicy& p) { p.src_ftz = SourceSubnormals::kFlush; },
      [](ElementPolicy& p) { p.dst_ftz = ResultSubnormals::kFlushAfterRounding; },
      [](ElementPolicy& p) { p.nan = NanPolicy::kToPositiveMax; }};
  for (std::size_t i = 0; i <= damages.size(); ++i) {
    Stream stream(741);
    Report report;
    const ConvertArray wrong = [&](ConversionConfig c, auto source, auto random, auto codes,
                                   auto flags) {
      if (i < damages.size()) damages[i](c.policy);
      return mx::bulk::convert(made(c), source, random, codes, flags);
    };
    const std::vector<std::uint64_t> inputs = inputs_for(formats::fp32, destination, stream);
    compare({formats::fp32, destination, {}}, inputs, judge, wrong, stream, report);
    // Flushed fp32 subnormals are zeros of ue5m3 either way, with other flags.
    EXPECT_EQ(report.exit_code(), i < damages.size() ? 6 : 0) << "damage " << i;
  }
}

}  // namespace
}  // namespace mx::oracle::array_test
